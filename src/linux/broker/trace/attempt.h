/* SPDX-License-Identifier: MIT */
/* What the kernel answers to an open by the command. */
#pragma once

/*
 * Opens an O_PATH fd for reading as the command would, under this inner layer. Returns 0, an errno, or -1 if it
 * cannot be tested.
 */
int attempt_read(int layer, int object);
