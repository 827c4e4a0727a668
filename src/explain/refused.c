// SPDX-License-Identifier: MIT
/* Adds to a refusal what the plan knows: the reason of a rule, and the remedy. */
#include "explain/refused.h"

#include <limits.h>
#include <string.h>

#include "base/ascii.h"
#include "base/path.h"
#include "explain/hints.h"
#include "explain/remedy.h"
#include "explain/unwise.h"
#include "git/protect/git_protect.h"
#include "plan/network.h"

_Static_assert((int)REFUSAL_OBSERVED == KNOWN_OBSERVED &&
		       (int)REFUSAL_PREDICTED == KNOWN_PREDICTED &&
		       (int)REFUSAL_GUESSED == KNOWN_GUESSED,
	       "in the order of enum event_known");

struct explained {
	const struct plan *plan;
	const struct refusal *refusal;
	const char *profile;	 /* an add-on that grants it; NULL: none */
	const struct hint *hint; /* NULL: none */
};

/* ---- the rule ---- */

static bool
is_rule(const struct planned_rule *rule, const struct refusal *refusal)
{
	const struct srcpos *srcpos = &rule->rule->srcpos;

	return srcpos->line == refusal->line && srcpos->column == refusal->column &&
	       (unsigned)rule->layer == refusal->layer && (unsigned)rule->match == refusal->match &&
	       strncmp(srcpos->file, refusal->rule, sizeof refusal->rule - 1) == 0;
}

/* The planned rule at that source position; one rule may stand for several paths. */
static const struct planned_rule *
find_rule(const struct plan *plan, const struct refusal *refusal)
{
	const struct index *index = &plan->index;
	const struct planned_rule *found = NULL;

	for (size_t i = 0; i < index->pattern_count; i++)
		if (is_rule(&index->patterns[i], refusal))
			found = &index->patterns[i];
	for (size_t i = 0; i < index->path_count; i++)
		if (is_rule(&index->paths[i], refusal) &&
		    path_below(refusal->subject, index->paths[i].path))
			found = &index->paths[i];
	return found;
}

/* ---- why ---- */

static void
add_detail(const char *text, struct str *to)
{
	if (text != NULL)
		str_printf(to, ": %s", text);
}

static void
print_denied(const struct explained *w, struct str *to)
{
	const struct refusal *refusal = w->refusal;
	const struct planned_rule *rule;

	if (refusal->line > 0 || refusal->rule[0] == '-') {
		refusal_print_reason(refusal, to);
		return;
	}
	rule = w->plan == NULL ? NULL : find_rule(w->plan, refusal);
	str_add(to, "is denied");
	add_detail(rule == NULL ? NULL : rule->rule->why, to);
}

static void
print_reason(const struct explained *w, struct str *to)
{
	const struct refusal *refusal = w->refusal;
	char advice[200];

	if (w->hint != NULL) {
		str_printf(to, "%s: %s", cause_text(CAUSE_NOT_GRANTED), w->hint->why);
		return;
	}
	if (refusal->cause == CAUSE_DENIED) {
		print_denied(w, to);
		return;
	}
	refusal_print_reason(refusal, to);
	if (w->plan == NULL)
		return;
	if (refusal->cause == CAUSE_PROTECTED || refusal->cause == CAUSE_VETTED)
		add_detail(git_protect_reason(w->plan, refusal->rule), to);
	if (refusal->cause == CAUSE_NO_NETWORK) {
		network_advise_unnamed(&w->plan->settings.network, advice, sizeof advice);
		str_printf(to, "; %s", advice);
	}
}

/* ---- the remedy ---- */

static bool
is_right(const struct refusal *refusal)
{
	return refusal->what < RIGHT_KINDS;
}

/* Did no rule or a profile decide? A deny that the user wrote is intended. */
static bool
is_by_profile(const struct refusal *refusal)
{
	return refusal->cause == CAUSE_NOT_GRANTED ||
	       (refusal->cause == CAUSE_DENIED && str_starts(refusal->rule, "profile "));
}

static struct explained
words_for(const struct plan *plan, const struct refusal *refusal)
{
	struct explained w = {plan, refusal, NULL, NULL};

	if (plan == NULL || !is_by_profile(refusal))
		return w;
	if (is_right(refusal))
		w.profile = remedy_profile(plan, refusal->subject, 1u << refusal->what);
	if (w.profile == NULL)
		w.hint = hint_find(plan, refusal->subject);
	return w;
}

/* A truncated path would name another file. */
static bool
is_whole(const struct refusal *refusal)
{
	return *refusal->subject == '/' && strlen(refusal->subject) < sizeof refusal->subject - 1;
}

static void
print_rule_option(const struct explained *w, struct str *to)
{
	const struct refusal *refusal = w->refusal;
	const struct fs_view *view = w->plan->host->view;
	static const struct protection some;
	char path[PATH_MAX];
	struct resolved at = {.path = refusal->subject,
			      .kind = refusal->is_folder ? FS_DIR : FS_FILE};
	struct decision by = {.overridden = refusal->overrides};
	const char *option;
	enum fs_kind kind;

	if (refusal->cause == CAUSE_DENIED && (by.rule = find_rule(w->plan, refusal)) == NULL)
		return;
	if (refusal->cause == CAUSE_PROTECTED)
		by.protection = &some;
	kind = fs_kind_of(view, refusal->subject);
	at.exists = kind != FS_MISSING;
	/* to list a folder is to read all below it */
	if (kind == FS_DIR && refusal->missing == RIGHT_READ &&
	    unwise_folder(w->plan, refusal->subject))
		return;
	option = remedy_option(w->plan, &by, &at, refusal->missing, path);
	if (option != NULL)
		remedy_print_option(option, path, to);
}

static void
print_local_option(const struct explained *w, struct str *to)
{
	const struct network *network = &w->plan->settings.network;
	char host[sizeof w->refusal->subject];
	unsigned port;

	if (network_split(w->refusal->subject, host, sizeof host, &port, NULL) == 0)
		network_advise(network, host, port, &(struct net_answer){.allowed = false}, to);
}

static void
print_option(const struct explained *w, struct str *to)
{
	const struct refusal *refusal = w->refusal;
	enum cause_remedy remedy = cause_row((enum cause)refusal->cause)->remedy;
	bool is_change = refusal->what == REFUSED_CHANGE;

	if (w->profile != NULL)
		str_printf(to, "-p %s", w->profile);
	else if (w->hint != NULL)
		str_add(to, w->hint->allow == NULL ? "" : w->hint->allow);
	else if (remedy == REMEDY_RULE && w->plan != NULL && is_right(refusal) && is_whole(refusal))
		print_rule_option(w, to);
	else if (remedy == REMEDY_LOCAL && w->plan != NULL)
		print_local_option(w, to);
	else if ((remedy == REMEDY_GRANT || (remedy == REMEDY_CHANGE && is_change)) &&
		 is_whole(refusal))
		remedy_print_option(refusal->what == REFUSED_READ ? "--read" : "--write",
				    refusal->subject, to);
	else
		refusal_print_option(refusal, to);
}

/* ---- lines ---- */

void
refused_print_line(const struct plan *plan, const struct refusal *refusal, struct str *to)
{
	static const char *const heads[] = {[FORM_SUBJECT] = "%s %s ",
					    [FORM_SENTENCE] = "%s %s: ",
					    [FORM_CALLER] = "%s for %s: "};
	struct explained w = words_for(plan, refusal);
	auto_str struct str option = {0};

	str_printf(to, heads[cause_row((enum cause)refusal->cause)->form], refusal_what(refusal),
		   refusal->subject);
	print_reason(&w, to);
	print_option(&w, &option);
	if (option.length > 0 && *option.text == '-')
		str_printf(to, "; allow it with %s", option.text);
	to->failed = to->failed || option.failed;
}

static void
print_id(enum cause cause, struct str *to)
{
	for (const char *at = cause_row(cause)->id; *at != '\0'; at++)
		str_printf(to, "%c", *at == '_' ? '-' : ascii_lower(*at));
}

void
refused_print_id(enum cause cause, struct str *to)
{
	str_add(to, ", \"cause\": \"");
	print_id(cause, to);
	str_add(to, "\"");
}

/* An id of a later version is taken for a sentence. */
enum cause_form
refused_form(const char *id)
{
	for (int cause = CAUSE_NONE + 1; cause < CAUSE_COUNT; cause++) {
		auto_str struct str text = {0};

		print_id((enum cause)cause, &text);
		if (!text.failed && strcmp(text.text, id) == 0)
			return cause_row((enum cause)cause)->form;
	}
	return FORM_SENTENCE;
}

/* NULL if it is empty, or there was no memory for it. */
static const char *
text_of(const struct str *text)
{
	return text->failed || text->length == 0 ? NULL : text->text;
}

void
refused_fill(const struct plan *plan, const struct refusal *refusal, struct refused_text *text,
	     struct event_refused *ret_event)
{
	struct explained w = words_for(plan, refusal);

	print_id((enum cause)refusal->cause, &text->cause);
	refusal_print_rule(refusal, &text->rule);
	print_reason(&w, &text->reason);
	print_option(&w, &text->option);
	*ret_event = (struct event_refused){.what = refusal_what(refusal),
					    .subject = refusal->subject,
					    .cause = text_of(&text->cause),
					    .guarantee = refusal_guarantee(refusal),
					    .rule = text_of(&text->rule),
					    .reason = text_of(&text->reason),
					    .allow = text_of(&text->option),
					    .known = (enum event_known)refusal->known,
					    .nest = refusal->nest};
}

void
refused_text_free(struct refused_text *text)
{
	str_free(&text->cause);
	str_free(&text->rule);
	str_free(&text->reason);
	str_free(&text->option);
}

void
refused_print_cause(const struct plan *plan, const struct refusal *refusal, struct str *to)
{
	struct explained w = {plan, refusal, NULL, NULL};

	if (cause_row((enum cause)refusal->cause)->form == FORM_SUBJECT)
		str_add(to, "it ");
	print_reason(&w, to);
}
