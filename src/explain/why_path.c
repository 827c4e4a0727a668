// SPDX-License-Identifier: MIT
/*
 * Explains rights at a path: the rule, its limits and the remedy. Searches the paths to which git's
 * settings refer, as a session would.
 */
#include <limits.h>
#include <string.h>

#include "base/path.h"
#include "explain/refused.h"
#include "explain/remedy.h"
#include "explain/why.h"
#include "git/protect/git_protect.h"
#include "host/resolve.h"
#include "plan/exec_rules.h"
#include "plan/pattern_dirs.h"
#include "plan/pty.h"
#include "plan/shared_dirs.h"
#include "policy/model/value.h"

struct path_answer {
	const struct resolved *resolved;
	const struct verdict *verdict;
	unsigned asked, missing;
	const struct decision *by; /* about the right of telling_right */
	const char *pinned_by; /* the rule because of which a directory cannot be moved, or NULL */
	const char *only;      /* to which of the files at the path it applies; NULL: all */
	const char *running;   /* why execution differs from the rule; NULL: it does not */
};

static void
describe_rule(const struct planned_rule *rule, struct str *to)
{
	char words[RIGHTS_WORDS];

	policy_rights_to_words(rule->rights, words);
	str_printf(to, "%s %s ", rule->effect == EFFECT_ALLOW ? "allow" : "deny", words);
	str_visible(to, rule->rule->path);
	if (rule->match != MATCH_SUBPATH)
		str_printf(to, " (%s)", match_names[rule->match]);
}

static int
parse_rights(const char *what, struct cordon_error *err)
{
	int rights = policy_rights_from_letters(what);

	for (int i = 0; i < RIGHT_KINDS; i++)
		if (strcmp(what, right_names[i]) == 0)
			return 1 << i;
	if (rights > 0)
		return rights;
	return cordon_fail(
		err, CORDON_E_USAGE, 0,
		"\"%.40s\" is not a right; there are read, write, create, delete, execute, letters "
		"of rwcdx, and connect, socket, env",
		what);
}

/* The right that explains the answer: the first missing one, or the first requested one. */
static int
telling_right(unsigned asked, unsigned have)
{
	unsigned missing = asked & ~have;

	return __builtin_ctz(missing != 0 ? missing : asked);
}

static int
absolute_path(const struct plan *plan, const char *subject, struct arena *arena,
	      const char **ret_path, struct cordon_error *err)
{
	const struct token_text text = {subject, {"the path", 0, 0}, false, false};
	int rc;

	if (*subject != '~' && *subject != '$') {
		*ret_path = *subject == '/' ? subject
					    : path_join(arena, plan->host->cwd, subject, err);
		return *ret_path == NULL ? -CORDON_E_MEMORY : 0;
	}
	if (value_path(subject, false) != NULL)
		return cordon_fail(err, CORDON_E_PATH, 0, "\"%.60s\" %s", subject,
				   value_path(subject, false));
	rc = host_expand_token(arena, plan->host, &text, ret_path, err);
	if (rc == 0 && *ret_path == NULL)
		return cordon_fail(err, CORDON_E_PATH, 0, "\"%.80s\" is not set here", subject);
	return rc;
}

int
why_subject(const struct plan *plan, const char *subject, struct arena *arena, struct resolved *ret,
	    struct cordon_error *err)
{
	const char *path;
	int rc = absolute_path(plan, subject, arena, &path, err);

	return rc < 0 ? rc : resolve_path(arena, plan->host->view, path, ret, err);
}

/*
 * Resolves the directory of a path, but not its last component. Deleting acts on the name; all
 * other rights on the target of a link.
 */
static int
entry_path(const struct plan *plan, const char *subject, struct arena *arena, const char **ret_path,
	   struct cordon_error *err)
{
	struct resolved folder;
	const char *path, *last;
	char *trimmed, *dir;
	int rc = absolute_path(plan, subject, arena, &path, err);

	if (rc < 0)
		return rc;
	trimmed = arena_strdup(arena, path, err);
	if (trimmed == NULL)
		return -CORDON_E_MEMORY;
	while (strlen(trimmed) > 1 && trimmed[strlen(trimmed) - 1] == '/')
		trimmed[strlen(trimmed) - 1] = '\0';
	last = path_last(trimmed);
	*ret_path = NULL;
	if (*last == '\0' || strcmp(last, ".") == 0 || strcmp(last, "..") == 0)
		return 0;
	dir = path_parent(arena, trimmed, err);
	rc = dir == NULL ? -CORDON_E_MEMORY
			 : resolve_path(arena, plan->host->view, dir, &folder, err);
	if (rc < 0)
		return rc;
	*ret_path = path_join(arena, folder.path, last, err);
	return *ret_path == NULL ? -CORDON_E_MEMORY : 0;
}

static void
explain_decision(const struct plan *plan, const struct decision *by, bool allowed, struct str *to)
{
	char letters[RIGHT_KINDS + 1];
	struct refusal refusal = {0};

	refusal_decided(&refusal, by);
	if (!allowed && (by->rule == NULL || by->protection != NULL))
		refused_print_cause(plan, &refusal, to);
	if (by->protection != NULL) {
		str_add(to, " (");
		str_visible(to, by->protection->pattern);
		str_add(to, ")");
		return;
	}
	if (by->rule == NULL) {
		policy_rights_to_letters(plan->index.default_rights, letters);
		str_add(to, allowed ? "no rule applies" : "");
		if (*letters != '\0')
			str_printf(to, "; the default is \"%s\"", letters);
		return;
	}
	str_add(to, allowed ? "" : "it is denied by ");
	why_source(by->rule, to);
	str_add(to, ": ");
	describe_rule(by->rule, to);
	if (by->overridden)
		str_printf(to, "; final, because the %s layer is trusted more",
			   layer_names[by->rule->layer]);
	if (by->rule->rule->why != NULL) {
		str_add(to, " - ");
		str_visible(to, by->rule->rule->why);
	}
}

/*
 * Returns the rule because of which a directory cannot be moved, or NULL: a deny below it, or on
 * macOS, where renaming and deleting are one operation, a pattern for its entries.
 */
static const char *
pinned_by_rule(const struct plan *plan, const char *path, const struct verdict *verdict)
{
	auto_arena struct arena arena = {0};
	const struct pattern_dir *pattern;
	struct pattern_dirs dirs;

	if (verdict->pinned_by != NULL)
		return verdict->pinned_by->path;
	if (plan->host->system != SYSTEM_MACOS || !(verdict->rights & RIGHT_DELETE))
		return NULL;
	if (pattern_dirs_make(&arena, plan, &dirs, NULL) < 0)
		return "unknown, because memory ran out";
	pattern = pattern_dirs_find(&dirs, path);
	return pattern == NULL ? NULL : pattern->by;
}

static void
explain_pinned(const struct plan *plan, const char *pinned_by, struct str *to)
{
	bool macos = plan->host->system == SYSTEM_MACOS;

	str_add(to, macos ? "  but a folder there cannot be moved or removed: "
			  : "  but it cannot be moved: ");
	str_visible(to, pinned_by);
	str_add(to, macos ? " is about what is in it\n" : " below it is denied\n");
}

/* Returns a restriction to some files at the path, known only in the session; or NULL. */
static const char *
only_some(const struct plan *plan, const char *path, const struct verdict *verdict, unsigned asked)
{
	if ((asked & ~verdict->rights) || strcmp(path, TERMINALS) == 0)
		return NULL;
	if (!(asked & plan_own_terminals(plan, path)))
		return plan_shared_only(plan, path, verdict, asked);
	return "only if it is a terminal that the command is started on, has or makes itself";
}

static struct path_answer
answer_for(const struct plan *plan, const struct resolved *resolved, const struct verdict *verdict,
	   unsigned asked)
{
	return (struct path_answer){
		.resolved = resolved,
		.verdict = verdict,
		.asked = asked,
		.missing = asked & ~verdict->rights,
		.by = &verdict->by[telling_right(asked, verdict->rights)],
		.pinned_by = pinned_by_rule(plan, resolved->path, verdict),
		.only = only_some(plan, resolved->path, verdict, asked),
	};
}

/* ---- as text ---- */

/* Names a grant that has no effect because its path does not exist. */
static void
explain_left_out(const struct plan *plan, const struct path_answer *answer, struct str *to)
{
	const struct index *index = &plan->index;

	for (size_t i = 0; i < index->path_count; i++) {
		const struct planned_rule *rule = &index->paths[i];

		if (!rule->is_absent || !(rule->rights & answer->missing) ||
		    !path_below(answer->resolved->path, rule->path))
			continue;
		str_add(to, "  ");
		why_source(rule, to);
		str_add(to, rule->exists ? " allows it, but calls are not supervised here, and "
					   "Landlock would grant its subfolders as well: "
					 : " allows it, but applies only once this exists: ");
		str_visible(to, rule->path);
		str_add(to, "\n");
		return;
	}
}

/* Limits of an allowed access. */
static void
explain_limits(const struct plan *plan, const struct path_answer *answer, struct str *to)
{
	const struct verdict *verdict = answer->verdict;

	if (verdict->vetted != NULL && (answer->asked & RIGHTS_CHANGE))
		str_printf(to, "  but only in git's own way, and the new content is vetted: %s\n",
			   verdict->vetted->reason);
	if (answer->only != NULL)
		str_printf(to, "  but %s\n", answer->only);
	if (answer->pinned_by != NULL && (answer->asked & RIGHT_DELETE))
		explain_pinned(plan, answer->pinned_by, to);
	if (answer->pinned_by != NULL && (answer->asked & RIGHT_CREATE) &&
	    plan->host->system == SYSTEM_LINUX) {
		str_add(to, "  but not as a symbolic link: ");
		str_visible(to, answer->pinned_by);
		str_add(to, " below it is denied\n");
	}
}

/* Rules that seem to allow a denied access. */
static void
explain_missing(const struct plan *plan, const struct path_answer *answer, struct str *to)
{
	explain_left_out(plan, answer, to);
	if (plan->host->system == SYSTEM_LINUX && answer->by->rule == NULL &&
	    answer->by->protection == NULL &&
	    (answer->missing & plan_unnamed(plan, answer->resolved->path)))
		str_add(to,
			"  to create and remove a name takes rights to its folder, which are not "
			"granted\n");
}

static void
explain_text(const struct plan *plan, const char *what, const struct path_answer *answer,
	     struct str *to)
{
	char columns[RIGHT_KINDS + 1];

	policy_rights_to_columns(answer->verdict->rights, columns);
	str_printf(to, "%s: %s ", answer->missing ? "denied" : "allowed", what);
	str_visible(to, answer->resolved->path);
	str_printf(to, "\n  rights here: %s\n  because: ", columns);
	explain_decision(plan, answer->by, answer->missing == 0, to);
	str_add(to, "\n");
	if (answer->running != NULL)
		str_printf(to, "  %s\n", answer->running);
	if (answer->missing == 0)
		explain_limits(plan, answer, to);
	if (answer->verdict->limit_hit)
		str_add(to, "  a pattern needs too many steps for this path and was counted as a "
			    "denial\n");
	if (answer->missing != 0)
		explain_missing(plan, answer, to);
	if (answer->missing != 0)
		remedy_print_text(plan, answer->by, answer->resolved, answer->missing, to);
}

/* ---- as JSON ---- */

static void
json_rule(const struct planned_rule *rule, struct str *to)
{
	char letters[RIGHT_KINDS + 1];

	policy_rights_to_letters(rule->rights, letters);
	str_printf(to,
		   "{\"effect\": \"%s\", \"rights\": \"%s\", \"match\": \"%s\", \"layer\": \"%s\", "
		   "\"path\": ",
		   rule->effect == EFFECT_ALLOW ? "allow" : "deny", letters,
		   match_names[rule->match], layer_names[rule->layer]);
	str_json(to, rule->rule->path);
	str_add(to, ", \"source\": ");
	str_json(to, rule->rule->srcpos.file);
	str_printf(to, ", \"line\": %u, \"column\": %u}", rule->rule->srcpos.line,
		   rule->rule->srcpos.column);
}

void
why_print_head(const struct why_head *head, struct str *to)
{
	str_printf(to, "{\"v\": 1, \"allowed\": %s, \"asked\": \"%s\", \"subject\": ",
		   head->allowed ? "true" : "false", head->what);
	str_json(to, head->subject);
	if (!head->allowed && head->cause != CAUSE_NONE)
		refused_print_id(head->cause, to);
	else
		str_add(to, ", \"cause\": null");
	str_add(to, ", \"reason\": ");
	str_json(to, head->reason);
	str_add(to, ", \"source\": ");
	str_json_or_null(to, head->source);
}

static void
json_head(const struct plan *plan, const struct path_answer *answer, struct str *to)
{
	const struct decision *by = answer->by;
	auto_str struct str reason = {0}, source = {0};
	char asked[RIGHT_KINDS + 1];
	struct refusal refusal = {0};

	policy_rights_to_letters(answer->asked, asked);
	refusal_decided(&refusal, by);
	explain_decision(plan, by, answer->missing == 0, &reason);
	if (answer->only != NULL)
		str_printf(&reason, "; %s", answer->only);
	if (answer->running != NULL)
		str_printf(&reason, "; %s", answer->running);
	if (by->rule != NULL)
		str_printf(&source, "%s:%u:%u", by->rule->rule->srcpos.file,
			   by->rule->rule->srcpos.line, by->rule->rule->srcpos.column);
	why_print_head(&(struct why_head){asked, answer->resolved->path, answer->missing == 0,
					  (enum cause)refusal.cause,
					  reason.text == NULL ? "" : reason.text, source.text},
		       to);
	to->failed = to->failed || reason.failed || source.failed;
}

static void
explain_json(const struct plan *plan, const struct path_answer *answer, struct str *to)
{
	const struct decision *by = answer->by;
	char rights[RIGHT_KINDS + 1];

	policy_rights_to_letters(answer->verdict->rights, rights);
	json_head(plan, answer, to);
	remedy_print_json(plan, by, answer->resolved, answer->missing, to);
	str_add(to, ", \"path\": ");
	str_json(to, answer->resolved->path);
	str_printf(to, ", \"exists\": %s, \"rights\": \"%s\", \"vetted\": %s, \"held_by\": ",
		   answer->resolved->exists ? "true" : "false", rights,
		   answer->verdict->vetted != NULL ? "true" : "false");
	str_json_or_null(to, answer->pinned_by);
	str_add(to, ", \"rule\": ");
	if (by->rule != NULL)
		json_rule(by->rule, to);
	else
		str_add(to, "null");
	str_add(to, ", \"protection\": ");
	str_json_or_null(to, by->protection == NULL ? NULL : by->protection->pattern);
	str_add(to, "}\n");
}

/* ---- answering ---- */

/*
 * Corrects the execute right where the Landlock layers differ from the rules (exec_rules.h).
 * Returns the reason, or NULL if they agree or such a file cannot be executed anyway.
 */
static const char *
correct_running(const struct plan *plan, const struct resolved *resolved, struct verdict *to)
{
	const struct fs_view *view = plan->host->view;
	enum fs_kind kind = fs_kind_of(view, resolved->path);

	if (plan->host->system != SYSTEM_LINUX || view->start == NULL ||
	    (kind != FS_FILE && kind != FS_MISSING))
		return NULL;
	if ((to->rights & RIGHT_EXECUTE) && !exec_rules_is_granted(plan, resolved->path)) {
		to->rights &= ~(unsigned)RIGHT_EXECUTE;
		return to->rights & RIGHT_READ
			       ? "but Landlock grants execution only to folders and files that "
				 "exist at the start, and this is not among them"
			       : "but what may not be read cannot be executed";
	}
	if ((to->rights & RIGHT_EXECUTE) && exec_gaps_is_unread_script(plan, resolved->path)) {
		to->rights &= ~(unsigned)RIGHT_EXECUTE;
		return "but it is a script, and its interpreter may not read it";
	}
	if (!(to->rights & RIGHT_EXECUTE) && exec_gaps_is_unenforced(plan, resolved->path)) {
		to->rights |= RIGHT_EXECUTE;
		return "but Landlock grants execution to whole folders, and this is in one";
	}
	return NULL;
}

/* The index of the decision about deleting. */
#define DELETE __builtin_ctz(RIGHT_DELETE)

static int
delete_by_name(const struct plan *plan, const char *entry, struct verdict *to,
	       struct cordon_error *err)
{
	struct verdict name;
	int rc = git_protect_decide(plan, entry, &name, err);

	if (rc < 0)
		return rc;
	to->rights = (to->rights & ~(unsigned)RIGHT_DELETE) | (name.rights & RIGHT_DELETE);
	to->by[DELETE] = name.by[DELETE];
	to->pinned_by = name.pinned_by;
	return 0;
}

int
why_path(const struct plan *plan, const char *what, const char *subject, bool json, struct str *to,
	 struct cordon_error *err)
{
	auto_arena struct arena arena = {0};
	struct resolved resolved;
	struct verdict verdict;
	struct path_answer answer;
	const char *entry = NULL, *running = NULL;
	int asked = parse_rights(what, err), rc;

	if (asked < 0)
		return asked;
	rc = why_subject(plan, subject, &arena, &resolved, err);
	if (rc == 0)
		rc = entry_path(plan, subject, &arena, &entry, err);
	if (rc < 0)
		return rc;
	/* removing a link is decided for the link itself */
	if (asked == RIGHT_DELETE && entry != NULL)
		resolved.path = entry;
	rc = git_protect_decide(plan, resolved.path, &verdict, err);
	if (rc == 0 && (asked & RIGHT_DELETE) && entry != NULL)
		rc = delete_by_name(plan, entry, &verdict, err);
	if (rc < 0)
		return rc;
	if (asked & RIGHT_EXECUTE)
		running = correct_running(plan, &resolved, &verdict);
	answer = answer_for(plan, &resolved, &verdict, (unsigned)asked);
	answer.running = running;
	if (json)
		explain_json(plan, &answer, to);
	else
		explain_text(plan, what, &answer, to);
	return answer.missing == 0;
}
