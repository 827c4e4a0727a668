// SPDX-License-Identifier: MIT
/*
 * Explanations. Everything said here comes from the same index, settings and tables that decide;
 * nothing is decided again. What git takes from the project is looked for, as it will be then.
 */
#include "plan/why.h"

#include <string.h>

#include "base/path.h"
#include "plan/advice.h"
#include "plan/environ.h"
#include "plan/gitnames.h"
#include "plan/hold.h"
#include "plan/network.h"
#include "plan/resolve.h"
#include "plan/terminals.h"
#include "policy/value.h"

/* Below the home; each stands for itself and everything in it. */
static const char *const secrets[] = {".ssh",
				      ".gnupg",
				      ".aws",
				      ".azure",
				      ".kube",
				      ".docker",
				      ".netrc",
				      ".npmrc",
				      ".pypirc",
				      ".pgpass",
				      ".password-store",
				      ".config/gh",
				      ".config/gcloud",
				      ".config/op",
				      ".config/rclone",
				      ".git-credentials",
				      ".cargo/credentials",
				      ".cargo/credentials.toml",
				      ".local/share/keyrings",
				      ".mozilla",
				      ".config/google-chrome",
				      ".config/chromium",
				      "Library/Keychains",
				      ".vault-token",
				      NULL};

bool
why_is_secret(const struct plan *plan, const char *path)
{
	const char *home = plan->host->home;

	if (home == NULL || !path_below(path, home) || strlen(path) == strlen(home))
		return false;
	path += strlen(home) + (strcmp(home, "/") != 0);
	for (size_t i = 0; secrets[i] != NULL; i++)
		if (path_below(path, secrets[i]))
			return true;
	return false;
}

void
why_source(const struct planned_rule *rule, struct str *to)
{
	const struct place *place = &rule->rule->place;

	if (place->line == 0) {
		str_visible(to, place->file);
		return;
	}
	str_visible(to, place->file);
	str_printf(to, ":%u:%u", place->line, place->column);
}

static void
describe_rule(const struct planned_rule *rule, struct str *to)
{
	char words[RIGHTS_WORDS];

	rights_to_words(rule->rights, words);
	str_printf(to, "%s %s ", rule->effect == EFFECT_ALLOW ? "allow" : "deny", words);
	str_visible(to, rule->rule->path);
	if (rule->match != MATCH_SUBPATH)
		str_printf(to, " (%s)", match_names[rule->match]);
}

/* ---- files ---- */

static int
parse_rights(const char *what, struct cordon_error *err)
{
	int rights = rights_from_letters(what);

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

/* The right that explains the answer: the first one missing, or the first one asked for. */
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
	rc = token_expand(arena, plan->host, &text, ret_path, err);
	if (rc == 0 && *ret_path == NULL)
		return cordon_fail(err, CORDON_E_PATH, 0, "\"%.80s\" is nothing here", subject);
	return rc;
}

static int
subject_path(const struct plan *plan, const char *subject, struct arena *arena,
	     struct resolved *ret, struct cordon_error *err)
{
	const char *path;
	int rc = absolute_path(plan, subject, arena, &path, err);

	return rc < 0 ? rc : resolve_path(arena, plan->host->view, path, ret, err);
}

/*
 * The name itself: its folder resolved, the last component as it stands. Deleting acts on the name;
 * everything else on what it leads to.
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

	if (by->protection != NULL) {
		str_printf(to, "protected in every project (%s): %s", by->protection->pattern,
			   by->protection->reason);
		return;
	}
	if (by->rule == NULL) {
		rights_to_letters(plan->index.default_rights, letters);
		str_add(to, allowed ? "no rule speaks about it" : "no rule allows it");
		if (*letters != '\0')
			str_printf(to, "; the default is \"%s\"", letters);
		return;
	}
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
 * What keeps a folder there from being moved: a deny below it, or on macOS, where moving and removing
 * are one operation, a pattern that is about what is in it. NULL: nothing.
 */
static const char *
held_by(const struct plan *plan, const char *path, const struct verdict *verdict)
{
	auto_arena struct arena arena = {0};
	const struct hold *hold;
	struct holds holds;

	if (verdict->held != NULL)
		return verdict->held->path;
	if (plan->host->system != SYSTEM_MACOS || !(verdict->rights & RIGHT_DELETE))
		return NULL;
	if (holds_make(&arena, plan, &holds, NULL) < 0)
		return "something that cannot be told for want of memory";
	hold = holds_find(&holds, path);
	return hold == NULL ? NULL : hold->by;
}

static void
explain_held(const struct plan *plan, const char *held, struct str *to)
{
	bool macos = plan->host->system == SYSTEM_MACOS;

	str_add(to, macos ? "  but a folder there cannot be moved or removed: "
			  : "  but it cannot be moved: ");
	str_visible(to, held);
	str_add(to, macos ? " is about what is in it\n" : " below it is denied\n");
}

/* Which one it is nobody knows before the command runs. */
static const char *
only_terminals(const struct plan *plan, const char *path, const struct verdict *verdict,
	       unsigned asked)
{
	if ((asked & ~verdict->rights) || strcmp(path, TERMINALS) == 0 ||
	    !(asked & plan_own_terminals(plan, path)))
		return NULL;
	return "only if it is a terminal that the command is started on, has or makes itself";
}

static void
explain_path_text(const struct plan *plan, const char *what, const struct resolved *resolved,
		  const struct verdict *verdict, unsigned asked, struct str *to)
{
	unsigned missing = asked & ~verdict->rights;
	const struct decision *by = &verdict->by[telling_right(asked, verdict->rights)];
	const char *held = held_by(plan, resolved->path, verdict);
	const char *only = only_terminals(plan, resolved->path, verdict, asked);
	char columns[RIGHT_KINDS + 1];

	rights_to_columns(verdict->rights, columns);
	str_printf(to, "%s: %s ", missing ? "denied" : "allowed", what);
	str_visible(to, resolved->path);
	str_printf(to, "\n  rights here: %s\n  because: ", columns);
	explain_decision(plan, by, missing == 0, to);
	str_add(to, "\n");
	if (missing == 0 && verdict->vetted != NULL && (asked & RIGHTS_CHANGE))
		str_printf(to, "  but only in git's own way, and the new content is vetted: %s\n",
			   verdict->vetted->reason);
	if (only != NULL)
		str_printf(to, "  but %s\n", only);
	if (missing == 0 && by->rule != NULL && plan->host->system == SYSTEM_LINUX &&
	    plan->host->view == &fs_real && plan_leaves_out(plan, by->rule)) {
		str_add(to, "  but it is left out until there is a ");
		str_visible(to, by->rule->path);
		str_add(to, "\n");
	}
	if (missing == 0 && held != NULL && (asked & RIGHT_DELETE))
		explain_held(plan, held, to);
	if (verdict->limit_hit)
		str_add(to,
			"  a pattern needs too many steps for this path and was counted as a denial\n");
	if (missing != 0)
		advice_print_text(plan, by, resolved, missing, to);
}

static void
json_rule(const struct planned_rule *rule, struct str *to)
{
	char letters[RIGHT_KINDS + 1];

	rights_to_letters(rule->rights, letters);
	str_printf(to,
		   "{\"effect\": \"%s\", \"rights\": \"%s\", \"match\": \"%s\", \"layer\": \"%s\", "
		   "\"path\": ",
		   rule->effect == EFFECT_ALLOW ? "allow" : "deny", letters,
		   match_names[rule->match], layer_names[rule->layer]);
	str_json(to, rule->rule->path);
	str_add(to, ", \"source\": ");
	str_json(to, rule->rule->place.file);
	str_printf(to, ", \"line\": %u, \"column\": %u}", rule->rule->place.line,
		   rule->rule->place.column);
}

static void
explain_path_json(const struct plan *plan, const struct resolved *resolved,
		  const struct verdict *verdict, unsigned asked, struct str *to)
{
	const struct decision *by = &verdict->by[telling_right(asked, verdict->rights)];
	const char *held = held_by(plan, resolved->path, verdict);
	const char *only = only_terminals(plan, resolved->path, verdict, asked);
	auto_str struct str reason = {0};
	char letters[RIGHT_KINDS + 1];

	explain_decision(plan, by, !(asked & ~verdict->rights), &reason);
	if (only != NULL)
		str_printf(&reason, "; %s", only);
	rights_to_letters(asked, letters);
	str_printf(to, "{\"allowed\": %s, \"asked\": \"%s\", \"path\": ",
		   asked & ~verdict->rights ? "false" : "true", letters);
	str_json(to, resolved->path);
	rights_to_letters(verdict->rights, letters);
	str_printf(to, ", \"exists\": %s, \"rights\": \"%s\", \"vetted\": %s, \"reason\": ",
		   resolved->exists ? "true" : "false", letters,
		   verdict->vetted != NULL ? "true" : "false");
	str_json(to, reason.text == NULL ? "" : reason.text);
	str_add(to, ", \"held_by\": ");
	if (held != NULL)
		str_json(to, held);
	else
		str_add(to, "null");
	str_add(to, ", \"rule\": ");
	if (by->rule != NULL)
		json_rule(by->rule, to);
	else
		str_add(to, "null");
	str_add(to, ", \"protection\": ");
	if (by->protection != NULL)
		str_json(to, by->protection->pattern);
	else
		str_add(to, "null");
	advice_print_json(plan, by, resolved, asked & ~verdict->rights, to);
	str_add(to, "}\n");
	to->failed = to->failed || reason.failed;
}

static int
delete_by_name(const struct plan *plan, const char *entry, struct verdict *to,
	       struct cordon_error *err)
{
	struct verdict name;
	int rc = gitnames_decide(plan, entry, &name, err);

	if (rc < 0)
		return rc;
	to->rights = (to->rights & ~(unsigned)RIGHT_DELETE) | (name.rights & RIGHT_DELETE);
	to->by[3] = name.by[3];
	to->held = name.held;
	return 0;
}

static int
why_path(const struct plan *plan, const char *what, const char *subject, bool json, struct str *to,
	 struct cordon_error *err)
{
	auto_arena struct arena arena = {0};
	struct resolved resolved;
	struct verdict verdict;
	const char *entry = NULL;
	int asked = parse_rights(what, err), rc;

	if (asked < 0)
		return asked;
	rc = subject_path(plan, subject, &arena, &resolved, err);
	if (rc == 0)
		rc = entry_path(plan, subject, &arena, &entry, err);
	if (rc < 0)
		return rc;
	/* asked about a link's removal, the answer is about the link */
	if (asked == RIGHT_DELETE && entry != NULL)
		resolved.path = entry;
	rc = gitnames_decide(plan, resolved.path, &verdict, err);
	if (rc == 0 && (asked & RIGHT_DELETE) && entry != NULL)
		rc = delete_by_name(plan, entry, &verdict, err);
	if (rc < 0)
		return rc;
	if (json)
		explain_path_json(plan, &resolved, &verdict, (unsigned)asked, to);
	else
		explain_path_text(plan, what, &resolved, &verdict, (unsigned)asked, to);
	return !((unsigned)asked & ~verdict.rights);
}

/* ---- network, sockets, environment: one line each ---- */

static void
explain(const char *what, const char *subject, bool allowed, const char *reason,
	const struct place *place, const char *remedy, bool json, struct str *to)
{
	auto_str struct str source = {0};

	if (place != NULL && place->line != 0)
		str_printf(&source, "%s:%u:%u", place->file, place->line, place->column);
	else if (place != NULL)
		str_add(&source, place->file);
	if (!json) {
		str_printf(to, "%s: %s ", allowed ? "allowed" : "denied", what);
		str_visible(to, subject);
		str_printf(to, "\n  because: %s", reason);
		if (source.length > 0) {
			str_add(to, " (");
			str_visible(to, source.text);
			str_add(to, ")");
		}
		if (remedy != NULL) {
			str_add(to, "\n  to allow it: ");
			str_visible(to, remedy);
		}
		str_add(to, "\n");
		return;
	}
	str_printf(to,
		   "{\"allowed\": %s, \"asked\": \"%s\", \"subject\": ", allowed ? "true" : "false",
		   what);
	str_json(to, subject);
	str_add(to, ", \"reason\": ");
	str_json(to, reason);
	str_add(to, ", \"source\": ");
	if (source.length > 0)
		str_json(to, source.text);
	else
		str_add(to, "null");
	str_add(to, ", \"remedy\": ");
	if (remedy != NULL)
		str_json(to, remedy);
	else
		str_add(to, "null");
	str_add(to, "}\n");
}

static int
why_connect(const struct plan *plan, const char *subject, bool json, struct str *to,
	    struct cordon_error *err)
{
	const struct network *network = &plan->settings.network;
	auto_str struct str remedy = {0};
	struct net_answer answer;
	char host[256];
	unsigned port;
	int rc = network_split(subject, host, sizeof host, &port, err);

	if (rc < 0)
		return rc;
	answer = network_decide(network, host, port);
	if (!answer.allowed)
		network_advise(network, host, port, &answer, &remedy);
	if (remedy.failed)
		return cordon_no_memory(err);
	explain("connect", subject, answer.allowed, answer.reason,
		answer.domain != NULL ? &answer.domain->place
				      : (network->place.file != NULL ? &network->place : NULL),
		remedy.text, json, to);
	return answer.allowed;
}

static bool
is_preset(const char *name)
{
	for (size_t i = 0; socket_presets[i] != NULL; i++)
		if (strcmp(socket_presets[i], name) == 0)
			return true;
	return false;
}

static void
explain_danger(const char *socket, bool json, struct str *to)
{
	const char *danger = json ? NULL : plan_socket_danger(socket);

	if (danger != NULL)
		str_printf(to, "  think twice: %s\n", danger);
}

static int
why_preset(const struct plan *plan, const char *name, bool json, struct str *to,
	   struct cordon_error *err)
{
	auto_arena struct arena arena = {0};
	const struct words *granted = &plan->settings.sockets;
	const struct place *place = NULL;
	const char *remedy = arena_printf(&arena, err, "--socket %s", name);

	if (remedy == NULL)
		return -CORDON_E_MEMORY;
	for (size_t i = 0; i < granted->count; i++)
		if (strcmp(granted->items[i].text, name) == 0)
			place = &granted->items[i].place;
	explain("socket", name, place != NULL,
		place != NULL ? "the policy names it" : "the socket is not granted", place,
		place != NULL ? NULL : remedy, json, to);
	explain_danger(name, json, to);
	return place != NULL;
}

static int
why_socket(const struct plan *plan, const char *subject, bool json, struct str *to,
	   struct cordon_error *err)
{
	auto_arena struct arena arena = {0};
	struct socket_answer answer;
	auto_str struct str remedy = {0};
	struct resolved resolved;
	int rc = subject_path(plan, subject, &arena, &resolved, err);

	if (rc < 0)
		return rc;
	answer = plan_decide_socket(plan, resolved.path);
	str_add(&remedy, "--socket ");
	str_shell(&remedy, resolved.path);
	if (remedy.failed)
		return cordon_no_memory(err);
	explain("socket", resolved.path, answer.allowed, answer.reason, answer.place,
		answer.allowed ? NULL : remedy.text, json, to);
	explain_danger(resolved.path, json, to);
	return answer.allowed;
}

static int
why_env(const struct plan *plan, const char *name, bool json, struct str *to,
	struct cordon_error *err)
{
	struct env_answer answer = environ_decide(&plan->settings, name);
	auto_arena struct arena arena = {0};
	const char *remedy = arena_printf(&arena, err, "--env %s", name);

	if (remedy == NULL)
		return -CORDON_E_MEMORY;
	explain("env", name, answer.passes, answer.reason, answer.place,
		answer.passes ? NULL : remedy, json, to);
	return answer.passes;
}

int
why_answer(const struct plan *plan, const char *what, const char *subject, bool json,
	   struct str *to, struct cordon_error *err)
{
	if (strcmp(what, "connect") == 0)
		return why_connect(plan, subject, json, to, err);
	if (strcmp(what, "socket") == 0)
		return is_preset(subject) ? why_preset(plan, subject, json, to, err)
					  : why_socket(plan, subject, json, to, err);
	if (strcmp(what, "env") == 0)
		return why_env(plan, subject, json, to, err);
	return why_path(plan, what, subject, json, to, err);
}
