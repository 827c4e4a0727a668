/* SPDX-License-Identifier: MIT */
/*
 * A plan as a Seatbelt profile: text and parameters. A pure function, built and tried on every
 * system. The text is ASCII whatever the plan names, because every path is a parameter; which rule
 * wins is the same under every order of precedence that anyone has described.
 */
#pragma once

#include "ipc/proxy_task.h"
#include "macos/sbpl/path_filter.h"
#include "plan/plan.h"

/* Two paths that only this session treats in opposite ways: by them its processes are known. */
struct sbpl_fingerprint {
	const char *allowed, *denied; /* canonical; NULL: none */
};

/* What a session adds to a plan. */
struct sbpl_options {
	const char *private_tmp; /* canonical; granted whole; NULL: none */
	const char *tag;	 /* stands in every report of a denial; NULL: none */
	struct sbpl_fingerprint fingerprint;
	const char *socket_path; /* a unix socket it listens at already; canonical; NULL: none */
	unsigned proxy_port;	 /* all that can be reached in mode domains; 0: nothing */
};

struct sbpl {
	struct arena arena;
	char *text;
	struct parameter *parameters;
	size_t parameter_count;
};

/*
 * An expression that Seatbelt cannot say, and a deny on a name that macOS never gives a path, are
 * errors with their place. The tag is letters, digits and "-" only.
 */
int sbpl_make(const struct plan *plan, const struct sbpl_options *options, struct sbpl **ret_sbpl,
	      struct cordon_error *err);
/* Restricts nothing but one path, so that the processes of a session can be told from others. */
int sbpl_fingerprint_only(const struct sbpl_fingerprint *fingerprint, struct sbpl **ret_sbpl,
			  struct cordon_error *err);
/* Of the proxy. By one path that it may open and one that it may not its profile is tried. */
#define SBPL_PROXY_ALLOWED "/dev/null"
#define SBPL_PROXY_DENIED "/"
int sbpl_proxy(const struct role *role, struct sbpl **ret_sbpl, struct cordon_error *err);
struct sbpl *sbpl_free(struct sbpl *sbpl);
static inline void
auto_sbpl_fn(struct sbpl **sbpl)
{
	sbpl_free(*sbpl);
}
#define auto_sbpl __attribute__((cleanup(auto_sbpl_fn)))
