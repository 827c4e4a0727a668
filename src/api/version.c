// SPDX-License-Identifier: MIT
/* The function behind cordon --version --verbose: the build, and the facts of this host. Reads no policy. */
#include "base/array.h"
#include "base/str.h"
#include "enforce/enforce.h"

#ifdef __clang__
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif

static const char *
linked(const struct enforce_build *build)
{
	return build->is_static ? "static" : "dynamic";
}

/* The facts that hold, or those that do not, in one line. */
static void
text_facts(const struct facts *facts, const char *heading, bool wanted, struct str *to)
{
	const char *before = heading;

	for (int i = 0; i < FACT_COUNT; i++) {
		bool is_of_system = (i == FACT_SEATBELT) == (facts->system == SYSTEM_MACOS);

		if (facts_words((enum fact)i) == NULL || !is_of_system ||
		    (facts->values[i] != 0) != wanted)
			continue;
		str_printf(to, "%s%s", before, facts_words((enum fact)i));
		before = "; ";
	}
	if (before != heading)
		str_add(to, "\n");
}

static void
print_text(const struct enforce_build *build, const struct facts *facts, struct str *to)
{
	str_printf(to, "cordon " CORDON_VERSION "\ncompiler:  " COMPILER "\nC library: %s, %s\n",
		   build->libc, linked(build));
	str_printf(to, "filters:   %s\nkernel:    %s\n",
		   build->filters == NULL ? "none" : build->filters, facts->kernel);
	if (facts->system == SYSTEM_LINUX && facts->values[FACT_LANDLOCK_ABI] == 0)
		str_add(to, "Landlock:  none\n");
	else if (facts->system == SYSTEM_LINUX)
		str_printf(to, "Landlock:  ABI %d\n", facts->values[FACT_LANDLOCK_ABI]);
	text_facts(facts, "has:       ", true, to);
	text_facts(facts, "lacks:     ", false, to);
}

static void
print_json(const struct enforce_build *build, const struct facts *facts, struct str *to)
{
	str_add(to, "{\"v\": 1, \"version\": \"" CORDON_VERSION "\", \"build\": {\"compiler\": ");
	str_json(to, COMPILER);
	str_add(to, ", \"libc\": ");
	str_json(to, build->libc);
	str_printf(to, ", \"static\": %s, \"filters\": ", build->is_static ? "true" : "false");
	str_json_or_null(to, build->filters);
	str_add(to, "}, \"facts\": ");
	facts_print(facts, to);
	str_add(to, "}\n");
}

int
cordon_version(enum cordon_format format, char **ret_text, struct cordon_error *err)
{
	auto_str struct str text = {0};
	struct enforce_build build = {0};
	struct facts facts = {0};
	int rc = enforce_probe(&facts, err);

	if (rc == 0)
		rc = enforce_probe_notify(&facts, err);
	if (rc < 0)
		return rc;
	enforce_probe_limits(&facts);
	enforce_describe_build(&build);
	if (format == CORDON_JSON)
		print_json(&build, &facts, &text);
	else
		print_text(&build, &facts, &text);
	return str_finish(&text, ret_text, err);
}
