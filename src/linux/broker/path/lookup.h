/* SPDX-License-Identifier: MIT */
/*
 * Finding what a caller's path names, as the caller would: an object that is held, or a place where
 * nothing is yet. Links into procfs and out of it are followed for the caller, never for us.
 */
#pragma once

#include <stdint.h>

#include "linux/broker/lookup_parent.h"
#include "linux/broker/notif.h"

enum lookup_how {
	LOOKUP_NO_FOLLOW = 1, /* a link as last name is meant itself */
	LOOKUP_NEW = 2,	      /* where nothing is, a name may be made */
};

struct lookup_object {
	int object;	     /* held by O_PATH; -1: nothing is there, but at: */
	int folder;	     /* held; -1: not asked for */
	char name[PATH_MAX]; /* in folder, with the slashes behind it */
	bool is_proc;	     /* the object is procfs's own */
	bool by_steps;	     /* the kernel alone would not have come here for us */
	int why;
};

static inline void
auto_lookup_fn(const struct lookup_object *found)
{
	if (found->object >= 0)
		close(found->object);
	if (found->folder >= 0)
		close(found->folder);
}
#define auto_lookup __attribute__((cleanup(auto_lookup_fn)))

/* True, or false with why. base is borrowed, and looked at only for a path that is not absolute. */
bool lookup(const struct notif_call *request, int base, const char *path, unsigned how,
	    struct lookup_object *ret_found);
/* By the kernel alone. 1: found, 0: not, and why is sure, -1: another way must tell. */
int lookup_object(int base, const char *path, unsigned how, struct lookup_object *ret_found);
/*
 * Only the folder of a name, without a look at what is there, nor whether it is in procfs, where nothing
 * can be made. False: another way must tell.
 */
bool lookup_new(int base, const char *path, struct lookup_object *ret_found);
/* lookup_steps.c: component by component, for what the kernel would follow for us. */
bool lookup_by_steps(const struct notif_call *request, int base, const char *path, unsigned how,
		     struct lookup_object *ret_found);
