/* SPDX-License-Identifier: MIT */
/* What the two files about records share; see record.h for what others may use. */
#pragma once

#include "session/record.h"

bool record_is_id(const char *text);
/* 0, or -1 for anything that is not exactly a record of this id. The record lives in arena. */
int record_parse(struct arena *arena, const char *id, const char *text, size_t length,
		 struct record *ret);
int record_read(struct arena *arena, int fd, const char *id, struct record *ret);
