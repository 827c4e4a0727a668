/* SPDX-License-Identifier: MIT */
/* Paths that are never suggested, though an option would grant them. Pure except for $PATH. */
#pragma once

#include "plan/plan.h"

/* Devices, home directories and their parents; for changes also directories of PATH. */
bool unwise_grant(const struct plan *plan, const char *path, unsigned missing);
/* These, secrets, and files that shells and similar programs run or write by themselves. */
bool unwise_hint(const struct plan *plan, const char *path, unsigned missing);
/* A directory below the home in which many programs have theirs, such as ~/.cache. */
bool unwise_common(const struct plan *plan, const char *path);
/* A directory of the system or shared by many programs, which is too wide for a suggestion. */
bool unwise_folder(const struct plan *plan, const char *path);
