// SPDX-License-Identifier: MIT
/* Prints folded refusals: lines for people, members of a policy, sentences for agents. */
#include <string.h>

#include "explain/denials.h"
#include "explain/option_member.h"
#include "explain/refused.h"

/* ---- lines ---- */

static void
print_subject(const struct denial *denial, struct str *to)
{
	if (denial->count == 1)
		str_add(to, denial->subject);
	else
		str_printf(to, "%u names below %s", denial->count, denial->subject);
}

static void
print_head(const struct denial *denial, const char *verb, struct str *to)
{
	enum cause_form form = refused_form(denial->cause);

	str_printf(to, "%s%s", verb, form == FORM_CALLER ? " for " : " ");
	print_subject(denial, to);
	str_add(to, form == FORM_SUBJECT ? " " : ": ");
}

void
denials_print_line(const struct denial *denial, struct str *to)
{
	print_head(denial, denial->what, to);
	str_add(to, denial->reason);
	if (*denial->allow == '-')
		str_printf(to, "; allow %s with %s", denial->count == 1 ? "it" : "all",
			   denial->allow);
	if (denial->known != KNOWN_DECIDED)
		str_printf(to, " (%s)", event_known_names[denial->known]);
}

/* ---- the policy ---- */

const char *
denials_base(const struct plan *plan)
{
	const char *name = "agent";

	for (size_t i = 0; plan != NULL && i < plan->stack->count; i++)
		if (plan->stack->entries[i].name != NULL &&
		    strcmp(plan->stack->entries[i].name, "system") != 0)
			return plan->stack->entries[i].name;
	return name;
}

static size_t
shown(const struct denials *denials)
{
	return denials->count < DENIALS_SHOWN ? denials->count : DENIALS_SHOWN;
}

/* Prints the values of a member, without repeats. Returns false if there are none. */
static bool
print_values(const struct denial *items, size_t count, size_t member, const struct plan *plan,
	     struct str *to)
{
	bool is_first = true;

	for (size_t i = 0; i < count; i++) {
		auto_str struct str value = {0};
		bool is_repeated = false;

		for (size_t j = 0; j < i; j++)
			is_repeated = is_repeated || strcmp(items[j].allow, items[i].allow) == 0;
		if (is_repeated ||
		    !option_member_read(&option_members[member], items[i].allow, &value))
			continue;
		if (is_first && strcmp(option_members[member].key, "extends") == 0)
			str_printf(to, "\"%s\", ", denials_base(plan));
		str_add(to, is_first ? "" : ", ");
		is_first = false;
		if (option_members[member].is_number)
			str_add(to, value.text);
		else
			str_json(to, value.text);
	}
	return !is_first;
}

/* Prints KEY: VALUES; members of one section stand in one pair of braces. */
static void
print_member(const char *values, size_t member, const char *before, struct str *to)
{
	const char *section = option_members[member].section;
	bool is_same = *section != '\0' && strcmp(section, before) == 0;

	if (*before != '\0' && !is_same)
		str_add(to, "}");
	str_add(to, to->length > 0 ? ", " : "");
	if (*section != '\0' && !is_same)
		str_printf(to, "\"%s\": {", section);
	str_printf(to, option_members[member].is_list ? "\"%s\": [%s]" : "\"%s\": %s",
		   option_members[member].key, values);
}

static void
print_policy(const struct denial *items, size_t count, const struct plan *plan, struct str *to)
{
	const char *before = "";

	for (size_t member = 0; member < OPTION_MEMBERS; member++) {
		auto_str struct str values = {0};

		if (!print_values(items, count, member, plan, &values) || values.failed)
			continue;
		print_member(values.text, member, before, to);
		before = option_members[member].section;
	}
	str_add(to, *before != '\0' ? "}" : "");
}

void
denials_print_policy(const struct denials *denials, const struct plan *plan, struct str *to)
{
	print_policy(denials->items, shown(denials), plan, to);
}

/* ---- for agents ---- */

/* What can be done without asking. */
static const char *
other_way(const struct denial *denial)
{
	static const char *const network[] = {"network", "network.udp", "connect",
					      "send",	 "resolve",	NULL};
	static const char *const reads[] = {"read", "execute", NULL};

	for (int i = 0; network[i] != NULL; i++)
		if (strcmp(denial->what, network[i]) == 0)
			return "Do without this connection";
	for (int i = 0; reads[i] != NULL; i++)
		if (strcmp(denial->what, reads[i]) == 0)
			return "Do without this file";
	return *denial->subject == '/' ? "Write inside the project or below $TMPDIR instead"
				       : "Do without it";
}

static void
print_question(const struct denial *denial, struct str *to)
{
	if (*denial->allow == '-')
		str_printf(to, "ask the user to allow it with the option %s.", denial->allow);
	else if (*denial->allow != '\0')
		str_printf(to, "ask the user to add %s to the policy.", denial->allow);
	else
		str_add(to, "tell the user that it is needed.");
}

static void
print_advice(const struct denial *denial, enum on_refusal on_refusal, struct str *to)
{
	if (on_refusal == ON_REFUSAL_WORKAROUND) {
		str_printf(to, "%s.", other_way(denial));
		return;
	}
	if (on_refusal == ON_REFUSAL_STOP)
		str_add(to, "Stop here, try no other way, and ");
	else
		str_printf(to, "%s, or ", other_way(denial));
	print_question(denial, to);
}

/* The policy's own advice for people, where it has one. */
const char *
denials_advice(const struct plan *plan)
{
	static const char *const advice[] = {
		[ON_REFUSAL_STOP] = "stop, and try no other way",
		[ON_REFUSAL_WORKAROUND] = "do without it",
		[ON_REFUSAL_SMART] = "do without it where that is possible, else stop",
	};

	return plan == NULL ? NULL : advice[plan->settings.on_refusal];
}

/* One sentence about what happened, one about what to do: never to restrict less than this needs. */
static void
print_sentence(const struct denial *denial, enum on_refusal on_refusal, struct str *to)
{
	auto_str struct str text = {0};
	size_t reason = strcspn(denial->reason, ";");

	str_add(&text, "The sandbox refused: ");
	print_head(denial, denial->what, &text);
	str_add_n(&text, denial->reason, reason);
	str_add(&text, ". ");
	print_advice(denial, on_refusal, &text);
	str_json(to, text.failed ? "" : text.text);
}

static void
print_hint(const struct denial *denial, const struct plan *plan, struct str *to)
{
	auto_str struct str policy = {0};

	str_add(to, "{\"hint\": ");
	print_sentence(denial, plan == NULL ? ON_REFUSAL_UNSET : plan->settings.on_refusal, to);
	str_add(to, ", \"what\": ");
	str_json(to, denial->what);
	str_add(to, ", \"subject\": ");
	str_json(to, denial->subject);
	str_printf(to, ", \"count\": %u, \"cause\": ", denial->count);
	str_json(to, denial->cause);
	str_add(to, ", \"allow\": ");
	str_json_or_null(to, *denial->allow == '\0' ? NULL : denial->allow);
	print_policy(denial, 1, plan, &policy);
	str_add(to, ", \"policy\": ");
	str_json_or_null(to, policy.failed || policy.length == 0 ? NULL : policy.text);
	str_add(to, "}");
}

void
denials_print_json(const struct denials *denials, const struct plan *plan, const char *session,
		   size_t max, struct str *to)
{
	const size_t begin = to->length, tail = sizeof "], \"more\": 4294967295}";
	size_t count = 0;

	str_add(to, "{\"v\": 1, \"session\": ");
	str_json(to, session);
	str_printf(to, ", \"refused\": %zu", denials->added);
	if (plan != NULL && plan->settings.on_refusal != ON_REFUSAL_UNSET)
		str_printf(to, ", \"on_refusal\": \"%s\"",
			   on_refusal_names[plan->settings.on_refusal]);
	str_add(to, ", \"hints\": [");
	for (; count < shown(denials); count++) {
		auto_str struct str hint = {0};

		print_hint(&denials->items[count], plan, &hint);
		if (hint.failed || to->length - begin + hint.length + 2 + tail > max)
			break;
		str_printf(to, "%s%s", count == 0 ? "" : ", ", hint.text);
	}
	str_printf(to, "], \"more\": %zu}", denials->count - count);
}

void
denials_print_list(const struct denials *denials, const struct plan *plan, struct str *to)
{
	str_add(to, "[");
	for (size_t i = 0; i < denials->count; i++) {
		const struct denial *denial = &denials->items[i];
		auto_str struct str line = {0}, policy = {0};

		denials_print_line(denial, &line);
		print_policy(denial, 1, plan, &policy);
		str_printf(to, "%s{\"line\": ", i == 0 ? "" : ",\n");
		str_json(to, line.failed || line.text == NULL ? "" : line.text);
		str_add(to, ", \"allow\": ");
		str_json_or_null(to, *denial->allow == '\0' ? NULL : denial->allow);
		str_add(to, ", \"policy\": ");
		str_json_or_null(to, policy.failed || policy.length == 0 ? NULL : policy.text);
		str_add(to, "}");
	}
	str_add(to, "]");
}
