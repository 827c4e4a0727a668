/* SPDX-License-Identifier: MIT */
/* What the handlers of names share. */
#pragma once

#include <sys/stat.h>

#include "linux/broker/broker.h"

bool spot_is_there(const struct spot *place, struct stat *ret_stat);
/* -1 with the errno that the kernel would have for a name that is, or is not, there. */
int spot_refuse(struct broker *broker, const struct spot *place, unsigned right);
/* Answers with the result of a call of our own. */
void request_finish(const struct call *request, int rc);
