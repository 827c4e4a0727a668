/* SPDX-License-Identifier: MIT */
/* What is never advised, though an option would grant it. Pure but for the variable PATH. */
#pragma once

#include "plan/plan.h"

/* Devices, homes and what holds them; for writing also programs that are found by their names. */
bool unwise_grant(const struct plan *plan, const char *path, unsigned missing);
/* Besides: secrets, and files that shells and their like run or write by themselves. */
bool unwise_hint(const struct plan *plan, const char *path, unsigned missing);
/* A folder that nobody asked for itself: of a system, or of many programs. */
bool unwise_folder(const struct plan *plan, const char *path);
