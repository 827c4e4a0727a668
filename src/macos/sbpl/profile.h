/* SPDX-License-Identifier: MIT */
/*
 * A plan as a Seatbelt profile: text and parameters. Pure; built and tested on every system. The text is
 * ASCII, because every path is a parameter. The result does not depend on the order of precedence, which is
 * undocumented: it is the same under every order that has been described.
 */
#pragma once

#include "ipc/proxy_task.h"
#include "macos/sbpl/path_filter.h"
#include "plan/plan.h"

/* Two paths of which this session's profile alone allows one and denies the other. */
struct sbpl_fingerprint {
	const char *allowed, *denied; /* canonical; NULL: none */
};

/* What a session adds to the profile of its plan. */
struct sbpl_options {
	const char *private_tmp; /* canonical path, granted whole; NULL: none */
	const char *tag;	 /* part of every report of a denial; NULL: none */
	struct sbpl_fingerprint fingerprint;
	struct sbpl_fingerprint editor; /* by which an editor knows them */
	/* unix socket on which the session listens already; canonical; NULL: none */
	const char *socket_path;
	unsigned proxy_port; /* the only reachable port in mode domains; 0: none */
};

struct sbpl_row;
struct sbpl {
	struct arena arena;
	char *text;
	struct sbpl_row *rows; /* see rows.h */
	size_t row_count;
	const char *dropped; /* operations that this system does not know; NULL: none */
	struct parameter *parameters;
	size_t parameter_count;
};

/*
 * Fails, with the source position, for an expression that Seatbelt cannot express and for a deny on a name
 * that no path has on macOS. The tag consists of letters, digits and "-".
 */
int sbpl_make(const struct plan *plan, const struct sbpl_options *options, struct sbpl **ret_sbpl,
	      struct cordon_error *err);
/* A profile that only denies the paths of fingerprints, to recognise a session's processes. The rest of options has no effect. */
int sbpl_fingerprint_only(const struct sbpl_options *options, struct sbpl **ret_sbpl,
			  struct cordon_error *err);
/* The proxy's profile. It is tested with one path that it allows and one that it denies. */
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
