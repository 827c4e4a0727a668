/* SPDX-License-Identifier: MIT */
/*
 * Reports objects, packs and indexes of them that changed during a run and whose content is not what
 * their names say. git does not compare the two when it reads, so they would change what an unchanged
 * ref brings.
 */
#pragma once

#include "review/new_refs.h"

/* Records the directories at the start. */
void new_objects_record(struct refs *refs);
/* Reports as "replaced". Returns false if something could not be examined. */
bool new_objects_report(const struct refs *refs, changed_fn *report, void *sink);
