/* SPDX-License-Identifier: MIT */
/* The small box a guarantee is tried in, and what it is made from. */
#pragma once

#include "enforce/enforce.h"
#include "linux/selftest/fixture.h"

/* What the box looks at while it is used. */
struct fixture_sandbox {
	struct host host;
	struct rule rule; /* where every rule came from: here */
	struct word named;
	struct socket_grant grant;
	struct plan plan;
	char open_folder[PATH_MAX], kept_folder[PATH_MAX];
	struct sandbox *box;
};

/* What is to be tried, and where. */
struct fixture_sandbox_wish {
	const struct facts *facts;
	enum guarantee guarantee;
	bool is_told; /* with a broker beside it, whatever keeps it */
};

/* Not where it takes a broker and there is none of our own, as inside another cordon. */
bool fixture_sandbox_can_be(const struct facts *facts, enum guarantee guarantee);
/* Can there be a broker of our own, for what is kept without one as well? */
bool fixture_sandbox_can_tell(const struct facts *facts);
/* To be cleared also after a failure. */
int fixture_sandbox_make(struct fixture_sandbox *sandbox, const struct fixture *fixture,
			 const struct fixture_sandbox_wish *wish, struct cordon_error *err);
void fixture_sandbox_clear(struct fixture_sandbox *sandbox);
/* Does somebody have to answer for who is in it? */
bool fixture_sandbox_is_routed(const struct fixture_sandbox *sandbox);
