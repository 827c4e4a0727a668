/* SPDX-License-Identifier: MIT */
/* Detaching children that made us their tracer; enforce_untrace is in enforce.h. */
#pragma once

struct sandbox;

/* By the thread that started the command, which enforce_untrace may need from then on. */
void untrace_ready(struct sandbox *box);
