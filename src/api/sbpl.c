// SPDX-License-Identifier: MIT
/* cordon_plan_sbpl(): prints the Seatbelt profile of a plan as text or JSON. */
#include "discover/context.h"
#include "macos/sbpl/profile.h"

/* Parameters follow as comments, so the output is a valid profile; a newline in a name is escaped. */
static void
print_text(const struct sbpl *sbpl, struct str *to)
{
	str_add(to, sbpl->text);
	str_add(to, "\n; parameters\n");
	for (size_t i = 0; i < sbpl->parameter_count; i++) {
		str_printf(to, "; %s = ", sbpl->parameters[i].name);
		str_visible(to, sbpl->parameters[i].value);
		str_add(to, "\n");
	}
}

static void
print_json(const struct sbpl *sbpl, struct str *to)
{
	str_add(to, "{\"profile\": ");
	str_json(to, sbpl->text);
	str_add(to, ", \"parameters\": {");
	for (size_t i = 0; i < sbpl->parameter_count; i++) {
		str_printf(to, "%s\n  \"%s\": ", i == 0 ? "" : ",", sbpl->parameters[i].name);
		str_json_bytes(to, sbpl->parameters[i].value);
	}
	str_add(to, sbpl->parameter_count > 0 ? "\n}}\n" : "}}\n");
}

int
cordon_plan_sbpl(const struct cordon_plan *context, enum cordon_format format, char **ret_text,
		 struct cordon_error *err)
{
	const struct sbpl_options options = {0};
	auto_sbpl struct sbpl *sbpl = NULL;
	auto_str struct str text = {0};
	int rc;

	if (context->host.system != SYSTEM_MACOS)
		return cordon_fail(
			err, CORDON_E_USAGE, 0,
			"a Seatbelt profile is for macOS: plan for it with --system macos");
	rc = sbpl_make(context->plan, &options, &sbpl, err);
	if (rc < 0)
		return rc;
	if (format == CORDON_JSON)
		print_json(sbpl, &text);
	else
		print_text(sbpl, &text);
	return str_finish(&text, ret_text, err);
}
