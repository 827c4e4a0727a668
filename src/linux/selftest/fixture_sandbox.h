/* SPDX-License-Identifier: MIT */
/* The small sandbox in which a guarantee is tested. */
#pragma once

#include "enforce/enforce.h"
#include "linux/selftest/fixture.h"

/* Objects that the sandbox refers to. */
struct fixture_sandbox {
	struct host host;
	struct rule rule; /* origin of every rule */
	struct word named;
	struct socket_grant grant;
	struct plan plan;
	char open_folder[PATH_MAX], kept_folder[PATH_MAX];
	struct sandbox *built;
};

/* The guarantee to test, on a host with these facts. */
struct fixture_sandbox_wish {
	const struct facts *facts;
	enum guarantee guarantee;
	bool has_broker; /* with a broker, whatever enforces the guarantee */
};

/* Returns false if it needs a broker of its own and cannot have one, as inside another cordon. */
bool fixture_sandbox_can_be(const struct facts *facts, enum guarantee guarantee);
/* Can a broker be added for a guarantee that does not need one? */
bool fixture_sandbox_can_tell(const struct facts *facts);
/* Clear it also after a failure. */
int fixture_sandbox_make(struct fixture_sandbox *sandbox, const struct fixture *fixture,
			 const struct fixture_sandbox_wish *wish, struct cordon_error *err);
void fixture_sandbox_clear(struct fixture_sandbox *sandbox);
/* Does the sandbox need a broker? */
bool fixture_sandbox_is_routed(const struct fixture_sandbox *sandbox);
