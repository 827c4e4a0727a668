/* SPDX-License-Identifier: MIT */
/* Shared by the handlers that create, remove and rename names. */
#pragma once

#include <sys/stat.h>

#include "linux/broker/broker.h"

bool names_is_there(const struct lookup *entry, struct stat *ret_stat);
/*
 * Returns -1 with the errno that the kernel would have for an existing or missing name. verdict: what
 * refused the right; NULL: already reported.
 */
int names_refuse(const struct notif_call *request, const struct lookup *entry,
		 const struct verdict *verdict, unsigned right);
/* Answers with the result of a system call: 0, or -1 with errno. */
void names_finish(const struct notif_call *request, int rc);
