/* SPDX-License-Identifier: MIT */
/*
 * Finding what a caller's path names, as the caller would: an object that is held, or a place where
 * nothing is yet. Links into procfs and out of it are followed for the caller, never for us.
 */
#pragma once

#include <stdint.h>

#include "linux/broker/lookup_parent.h"
#include "linux/broker/notif.h"

enum find_how {
	FIND_KEEP = 1,	/* a link as last name is meant itself */
	FIND_PLACE = 2, /* where nothing is, a name may be made */
};

struct found {
	int object;	     /* held by O_PATH; -1: nothing is there, but at: */
	int folder;	     /* held; -1: not asked for */
	char name[PATH_MAX]; /* in folder, with the slashes behind it */
	bool is_proc;	     /* the object is procfs's own */
	bool by_steps;	     /* the kernel alone would not have come here for us */
	int why;
};

static inline void
auto_found_fn(const struct found *found)
{
	if (found->object >= 0)
		close(found->object);
	if (found->folder >= 0)
		close(found->folder);
}
#define auto_found __attribute__((cleanup(auto_found_fn)))

/* True, or false with why. base is borrowed, and looked at only for a path that is not absolute. */
bool find(const struct call *request, int base, const char *path, unsigned how,
	  struct found *ret_found);
/* By the kernel alone. 1: found, 0: not, and why is sure, -1: another way must tell. */
int find_object(int base, const char *path, unsigned how, struct found *ret_found);
/*
 * Only the folder of a name, without a look at what is there, nor whether it is in procfs, where nothing
 * can be made. False: another way must tell.
 */
bool find_new(int base, const char *path, struct found *ret_found);
/* lookup_steps.c: component by component, for what the kernel would follow for us. */
bool find_stepwise(const struct call *request, int base, const char *path, unsigned how,
		   struct found *ret_found);
