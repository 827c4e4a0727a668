/* SPDX-License-Identifier: MIT */
/* Detaches children that made the guard their tracer; enforce_untrace is in enforce.h. */
#pragma once

struct sandbox;

/* Called by the thread that started the command; enforce_untrace may need it from then on. */
void untrace_ready(struct sandbox *sandbox);
