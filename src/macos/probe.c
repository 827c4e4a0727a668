// SPDX-License-Identifier: MIT
/* Facts of a Mac. Seatbelt is part of every supported macOS; nothing else varies. */
#include <stdio.h>
#include <sys/utsname.h>

#include "enforce/enforce.h"

int
enforce_probe(struct facts *ret_facts, struct cordon_error *err)
{
	struct facts facts = {.system = SYSTEM_MACOS};
	struct utsname name;

	(void)err;
	facts.values[FACT_SEATBELT] = 1;
	if (uname(&name) == 0)
		snprintf(facts.kernel, sizeof facts.kernel, "%.20s %.50s", name.sysname,
			 name.release);
	*ret_facts = facts;
	return 0;
}

int
enforce_probe_notify(struct facts *facts, struct cordon_error *err)
{
	(void)facts, (void)err;
	return 0;
}

void
enforce_probe_limits(struct facts *facts)
{
	(void)facts;
}

void
enforce_probe_tracking(struct facts *facts)
{
	(void)facts;
}

enum system
enforce_system(void)
{
	return SYSTEM_MACOS;
}

void
enforce_describe_build(struct enforce_build *ret)
{
	*ret = (struct enforce_build){.libc = "libSystem"};
}
