/* SPDX-License-Identifier: MIT */
/* Functions shared by record.c and record_dir.c. The public interface is record.h. */
#pragma once

#include "session/record.h"

bool record_is_id(const char *text);
/* Both return 0 with the record in arena, or -1 if it is not a valid record of this id. */
int record_parse(struct arena *arena, const char *id, const char *text, size_t length,
		 struct record *ret);
int record_read(struct arena *arena, int fd, const char *id, struct record *ret);
