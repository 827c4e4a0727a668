// SPDX-License-Identifier: MIT
/*
 * Every finding of the linter, and beside each a text so much like it that is fine and must not be
 * found. The file system is a table, except for start-up files, which are read for real.
 */
#include "explain/lint/lint.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/confusable.h"
#include "base/str.h"
#include "fakefs.h"
#include "policy/read/reader.h"
#include "tap.h"

static const struct fake_entry tree[] = {
	{"/usr/bin/cc", FS_FILE, NULL},
	{"/bin", FS_LINK, "usr/bin"},
	{"/etc/hosts", FS_FILE, NULL},
	{"/opt/tool/x", FS_FILE, NULL},
	{"/opt/secret", FS_HIDDEN, NULL},
	{"/home/u/.ssh/id", FS_FILE, NULL},
	{"/home/u/.aws/credentials", FS_FILE, NULL},
	{"/home/u/.config/gh/hosts.yml", FS_FILE, NULL},
	{"/home/u/.config/htop/htoprc", FS_FILE, NULL},
	{"/home/u/.config/cordon/config.json", FS_FILE, NULL},
	{"/home/u/.local/bin/tool", FS_FILE, NULL},
	{"/home/u/.local/share/x", FS_FILE, NULL},
	{"/home/u/.local/state/cordon/x", FS_FILE, NULL},
	{"/home/u/.cargo/registry/x", FS_FILE, NULL},
	{"/home/u/data/deep/x", FS_FILE, NULL},
	{"/home/u/data/M\xc3\xbcller", FS_FILE, NULL},
	{"/home/u/p/.git/config", FS_FILE, NULL},
	{"/home/u/p/src/x", FS_FILE, NULL},
	{"/home/u/p/bin/x", FS_FILE, NULL},
	{"/home/u/p/.env", FS_FILE, NULL},
	{NULL, FS_MISSING, NULL},
};

/* What every case stands on unless it says otherwise. */
#define BASE                                                                                \
	"{\"extends\": [], \"files\": {\"write\": [\"$PROJECT\"], \"execute\": [\"/usr\", " \
	"\"$PROJECT\"], \"read\": [\"/etc\"]}}"

struct texts {
	const char *profile, *system, *user, *command, *project;
	bool trusted;
	enum dialect dialect; /* of the user's text */
	const char *home;     /* with the real file system */
	const char *mounts;
};

/* Of the last look: the finding that was counted first. */
static struct srcpos last_place;
static char last_text[2048];

static struct policy *
policy_of(const char *file, const char *text, enum dialect dialect)
{
	const struct reading_as as = {dialect, NULL, SYSTEM_LINUX, COMMAND_RUN};
	struct cordon_error err = {0};
	struct policy *policy = NULL;

	if (policy_read(file, text, strlen(text), &as, &policy, &err) == 0)
		return policy;
	printf("# %s\n", err.text);
	tap.failed_checks++;
	return policy_new(file, NULL);
}

static void
push(struct stack *stack, const char *file, const char *text, enum layer layer,
     enum dialect dialect)
{
	struct stack_entry *entry;

	if (text == NULL)
		return;
	entry = arena_push(&stack->arena, &stack->entries, &stack->count, sizeof *entry, NULL);
	*entry = (struct stack_entry){.policy = policy_of(file, text, dialect), .layer = layer};
	if (layer != LAYER_PROFILE)
		return;
	entry->name = "base";
	for (size_t i = 0; i < entry->policy->rule_count; i++)
		entry->policy->rules[i].optional = true;
}

static struct stack *
stack_of(const struct texts *texts)
{
	struct stack *stack = calloc(1, sizeof *stack);

	push(stack, "profile base", texts->profile == NULL ? BASE : texts->profile, LAYER_PROFILE,
	     DIALECT_NATIVE);
	push(stack, "system", texts->system, LAYER_SYSTEM, DIALECT_NATIVE);
	push(stack, "user", texts->user, LAYER_USER, texts->dialect);
	push(stack, "command", texts->command, LAYER_COMMAND, DIALECT_NATIVE);
	if (texts->project == NULL)
		return stack;
	stack->project_trusted = texts->trusted;
	if (texts->trusted) {
		push(stack, "project", texts->project, LAYER_PROJECT, DIALECT_NATIVE);
		stack->project = stack->entries[stack->count - 1].policy;
	} else {
		stack->project = policy_of("project", texts->project, DIALECT_NATIVE);
	}
	return stack;
}

static int
count(const struct findings *findings, enum severity severity, const char *part)
{
	int found = 0;

	for (size_t i = 0; i < findings->count; i++) {
		const struct lint_finding *finding = &findings->items[i];

		if (finding->severity != severity || strstr(finding->text, part) == NULL)
			continue;
		if (found++ > 0)
			continue;
		last_place = finding->srcpos;
		snprintf(last_text, sizeof last_text, "%s", finding->text);
	}
	return found;
}

static bool
is_sorted(const struct findings *findings)
{
	for (size_t i = 1; i < findings->count; i++) {
		const struct srcpos *a = &findings->items[i - 1].srcpos,
				    *b = &findings->items[i].srcpos;
		int order = strcmp(a->file, b->file);

		if (order > 0 || (order == 0 && (a->line > b->line ||
						 (a->line == b->line && a->column > b->column))))
			return false;
	}
	return true;
}

/* How many findings of this weight have these words. */
static int
look_for(const struct texts *texts, enum severity severity, const char *part)
{
	static const char *const environ_pairs[] = {
		"PATH=/usr/bin:/home/u/.local/bin:/home/u/p/bin", NULL};
	const struct fs_view fake = fake_fs(tree);
	const struct host host = {.home = texts->home == NULL ? "/home/u" : texts->home,
				  .cwd = "/home/u/p",
				  .project = "/home/u/p",
				  .config_dir = "/home/u/.config/cordon",
				  .state_dir = "/home/u/.local/state/cordon",
				  .environ = environ_pairs,
				  .mounts = texts->mounts,
				  .view = texts->home == NULL ? &fake : &fs_real};
	const struct facts facts = {.values[FACT_SECCOMP_FILTER] = 1};
	auto_plan struct plan *plan = NULL;
	struct findings findings = {0};
	struct cordon_error err = {0};
	int found = -1;

	last_place = (struct srcpos){0};
	*last_text = '\0';
	if (plan_make(&host, &facts, stack_of(texts), NULL, &plan, &err) == 0 &&
	    lint_plan(plan, &findings, &err) == 0)
		found = count(&findings, severity, part);
	else
		printf("# %s\n", err.text);
	if (!is_sorted(&findings)) {
		printf("# findings are not sorted\n");
		found = -2;
	}
	if (found > 0) {
		static char file[256];

		snprintf(file, sizeof file, "%s", last_place.file);
		last_place.file = file;
	}
	return found;
}

#define warnings(part, ...) look_for(&(struct texts){__VA_ARGS__}, LINT_WARNING, part)
#define notes(part, ...) look_for(&(struct texts){__VA_ARGS__}, LINT_NOTE, part)
#define FILES(text) "{\"files\": {" text "}}"

static void
a_plain_policy_has_no_finding(void)
{
	const char *plain = "{\"files\": {\"read\": [\"~/data\"], \"deny\": [\"~/data/deep\"]}, "
			    "\"network\": {\"domains\": [\"api.example.com\"]}, "
			    "\"env\": {\"allow\": [\"EDITOR\"], \"set\": {\"CI\": \"1\"}}}";

	check_int(warnings("", .user = plain), 0);
	check_int(notes("", .user = plain), 0);
}

/* ---- pairs ---- */

static void
same_path_allowed_and_denied_names_the_winner(void)
{
	check_int(warnings("that one wins",
			   .user = FILES("\"read\": [\"~/data\"],\n\"deny\": [\"~/data\"]")),
		  1);
	check_str(last_place.file, "user");
	check_int(last_place.line, 2);
	check(strstr(last_text, "user:1:21 allows") != NULL);
	check_int(warnings("that one wins", .user = FILES("\"read\": [\"~/data\"], "
							  "\"protect\": [\"~/data\"]")),
		  0);
	check_int(warnings("that one wins", .system = FILES("\"deny\": [\"~/data\"]"),
			   .user = FILES("\"read\": [\"~/data\"]")),
		  0);
	check_int(warnings("that one wins",
			   .user = FILES("\"deny\": [\"~/data\"], \"rules\": [{\"effect\": "
					 "\"allow\", \"rights\": \"r\", \"path\": \"~/data\", "
					 "\"match\": \"literal\"}]")),
		  0);
}

static void
same_pattern_allowed_and_denied_names_the_later(void)
{
	check_int(warnings("the later pattern", .user = FILES("\"read\": [\"~/data/*.x\"], "
							      "\"deny\": [\"~/data/*.x\"]")),
		  1);
	check(strstr(last_text, "allows read of") == last_text);
	check_int(warnings("the later pattern", .user = FILES("\"read\": [\"~/data/*.x\"], "
							      "\"deny\": [\"~/data/*.y\"]")),
		  0);
}

/* ---- rules that change nothing ---- */

static void
allow_of_what_is_allowed_above_changes_nothing(void)
{
	check_int(notes("changes nothing", .user = FILES("\"read\": [\"/etc/hosts\"]")), 1);
	check(strstr(last_text, "profile base:1:") != NULL);
	check_int(notes("changes nothing", .user = FILES("\"write\": [\"/etc/hosts\"]")), 0);
	check_int(notes("changes nothing", .user = FILES("\"deny\": [\"/etc\"],"
							 "\"read\": [\"/etc/hosts\"]")),
		  0);
	check_int(notes("changes nothing", .profile = "{\"files\": {\"default\": \"r\"}}",
			.user = FILES("\"read\": [\"/opt/tool\"]")),
		  1);
}

static void
allow_below_a_deny_is_needed(void)
{
	check_int(notes("changes nothing",
			.user = FILES("\"read\": [\"~/data\", \"~/data/deep/x\"]")),
		  1);
	check_int(last_place.column, 31);
	check_int(notes("changes nothing",
			.user = FILES("\"read\": [\"~/data\", \"~/data/deep/x\"], "
				      "\"deny\": [\"~/data/deep\"]")),
		  0);
}

/* On one machine it is a link, on the next a folder: the policy is for both. */
static void
allow_of_what_is_a_link_here_is_not_complained_about(void)
{
	check_int(notes("changes nothing", .user = FILES("\"execute\": [\"/usr/bin\"]")), 1);
	check_int(notes("changes nothing", .user = FILES("\"execute\": [\"/bin\"]")), 0);
}

/* A deny also applies under the names that mounts give, which no text contains. */
static void
mount_aliases_have_no_finding(void)
{
	const char *mounts = "1 0 8:1 / / rw - ext4 /dev/a rw\n"
			     "2 1 8:1 /home/u /mnt rw - ext4 /dev/a rw\n";

	check_int(notes("there is no /mnt", .user = FILES("\"deny\": [\"$PROJECT/none\"]"),
			.mounts = mounts),
		  0);
	check_int(notes("changes nothing", .user = FILES("\"deny\": [\"$PROJECT/none\"]"),
			.mounts = mounts),
		  0);
	check_int(notes("there is no /home/u/p/none",
			.user = FILES("\"deny\": [\"$PROJECT/none\"]"), .mounts = mounts),
		  1);
}

static void
sockets_that_lead_out_of_the_sandbox_are_a_warning(void)
{
#define SOCKET(name) "{\"sockets\": [\"" name "\"]}"
	check_int(warnings("the socket docker: it starts containers", .user = SOCKET("docker")), 1);
	check_int(warnings("reach every file", .user = SOCKET("/var/run/docker.sock")), 1);
	check_int(warnings("types into every window", .user = SOCKET("/tmp/.X11-unix/X0")), 1);
	check_int(warnings("outside of every sandbox", .user = SOCKET("/run/user/7/bus")), 1);
	check_int(warnings("the socket", .user = SOCKET("ssh-agent")), 0);
	check_int(warnings("the socket", .user = SOCKET("/run/docker.sock.d/x")), 0);
	check_int(warnings("the socket", .user = SOCKET("/home/u/p/bus")), 0);
	/* asked for is not granted */
	check_int(warnings("the socket", .project = SOCKET("docker")), 0);
#undef SOCKET
}

static void
of_two_equal_rules_one_is_superfluous(void)
{
	check_int(notes("changes nothing", .user = FILES("\"read\": [\"~/data\", \"~/data\"]")), 1);
	check_int(notes("changes nothing", .user = FILES("\"read\": [\"~/data\"]"),
			.command = FILES("\"read\": [\"~/data\"]")),
		  1);
	check_str(last_place.file, "command");
	check_int(notes("changes nothing", .user = FILES("\"read\": [\"~/data\"], "
							 "\"write\": [\"~/data\"]")),
		  1);
	check_int(last_place.column, 21);
	check_int(notes("changes nothing", .user = FILES("\"execute\": [\"~/data\"], "
							 "\"write\": [\"~/data\"]")),
		  0);
}

static void
naming_a_protected_path_is_not_superfluous(void)
{
	check_int(notes("changes nothing", .user = FILES("\"write\": [\"$PROJECT/src\"]")), 1);
	check_int(notes("changes nothing", .user = FILES("\"write\": [\"$PROJECT/.git/config\"]")),
		  0);
}

static void
deny_of_what_nothing_allows_changes_nothing(void)
{
	check_int(notes("nothing allows it", .command = FILES("\"deny\": [\"~/data\"]")), 1);
	check_int(notes("nothing allows it", .command = FILES("\"deny\": [\"~/data\"]"),
			.user = FILES("\"read\": [\"~/data/deep\"]")),
		  0);
	check_int(notes("nothing allows it", .command = FILES("\"deny\": [\"$PROJECT/.env\"]")), 0);
	check_int(notes("nothing allows it", .command = FILES("\"deny\": [\"~/data\"]"),
			.user = FILES("\"read\": [\"~/**/x\"]")),
		  0);
	/* it guards against what less trusted texts may say one day */
	check_int(notes("nothing allows it", .user = FILES("\"deny\": [\"~/data\"]")), 0);
}

static void
deny_below_a_deny_changes_nothing(void)
{
	check_int(notes("denies it already",
			.user = FILES("\"deny\": [\"~/data\", \"~/data/deep\"]")),
		  1);
	check_int(notes("denies it already",
			.user = FILES("\"deny\": [\"~/data\", \"~/data/deep/x\"], "
				      "\"read\": [\"~/data/deep\"]")),
		  0);
}

static void
allow_against_a_final_deny_has_no_effect(void)
{
	check_int(warnings("never applies", .system = FILES("\"deny\": [\"~/data\"]"),
			   .user = FILES("\"read\": [\"~/data/deep\"]")),
		  1);
	check_str(last_place.file, "user");
	check(strstr(last_text, "system:1:") != NULL);
	check_int(warnings("never applies", .system = FILES("\"protect\": [\"~/data\"]"),
			   .user = FILES("\"write\": [\"~/data/deep\"]")),
		  0);
	check_int(warnings("never applies", .profile = FILES("\"deny\": [\"~/data\"]"),
			   .user = FILES("\"read\": [\"~/data/deep\"]")),
		  0);
	check_int(warnings("never applies",
			   .system = FILES("\"deny\": [\"~/data\"], \"read\": [\"~/data/deep/x\"]"),
			   .user = FILES("\"read\": [\"~/data/deep\"]")),
		  0);
	/* the project's allow is silenced, but the user's grants the same, so nothing is missing */
	check_int(warnings("never applies", .user = FILES("\"read\": [\"~/data/deep\"]"),
			   .command = FILES("\"deny\": [\"~/data\"]"),
			   .project = FILES("\"read\": [\"~/data/deep\"]"), .trusted = true),
		  0);
}

static void
allow_of_a_path_against_a_pattern_has_no_effect(void)
{
	check_int(warnings("never applies", .user = FILES("\"read\": [\"$PROJECT/.env\"]"),
			   .project = FILES("\"deny\": [\"**/.env\"]")),
		  0);
	check_int(warnings("never applies", .profile = FILES("\"deny\": [\"**/.env\"]"),
			   .user = FILES("\"read\": [\"$PROJECT/.env\"]")),
		  1);
	check(strstr(last_text, "patterns are applied after") != NULL);
	check_int(warnings("never applies", .profile = FILES("\"deny\": [\"**/.env\"]"),
			   .user = FILES("\"read\": [\"$PROJECT/src\"]")),
		  0);
	check_int(warnings("never applies", .profile = FILES("\"deny\": [\"**/.env\"]"),
			   .user = FILES("\"read\": [\"$PROJECT/.env\", \"**/p/.env\"]")),
		  0);
}

static void
deny_that_a_profile_opens_again_names_it(void)
{
	check_int(notes("(and 3 more)", .user = FILES("\"deny\": [\"/\"]")), 1);
	check_int(notes("below it again", .user = FILES("\"deny\": [\"/home\"]")), 1);
	check(strstr(last_text, "profile base opens $PROJECT") == last_text);
	check_int(notes("below it again", .user = FILES("\"deny\": [\"~/data\"]")), 0);
	check_int(notes("below it again", .user = FILES("\"deny\": [\"/home\", \"$PROJECT\"]")), 0);
	check_int(notes("below it again", .profile = FILES("\"read\": [\"~/.ssh/*.pub\"]"),
			.user = FILES("\"deny\": [\"~/.ssh\"]")),
		  1);
}

/* ---- one rule ---- */

static void
missing_path_suggests_a_neighbour(void)
{
	check_int(notes("there is no", .user = FILES("\"read\": [\"~/dtaa/deep\"]")), 1);
	check_str(last_text, "there is no /home/u/dtaa; did you mean /home/u/data?");
	check_int(notes("did you mean /home/u/.ssh?", .user = FILES("\"deny\": [\"~/.shh\"]")), 1);
	check_int(notes("there is no /home/u/elsewhere",
			.user = FILES("\"read\": [\"~/elsewhere\"]")),
		  1);
	check_str(last_text, "there is no /home/u/elsewhere");
	/* with a slash at its end it is made at the start */
	check_int(notes("there is no", .user = FILES("\"write\": [\"~/elsewhere\"]")), 1);
	check_int(notes("there is no", .user = FILES("\"write\": [\"~/elsewhere/\"]")), 0);
	check_int(notes("there is no", .user = FILES("\"read\": [\"~/data/deep\"]")), 0);
	check_int(notes("there is no", .user = FILES("\"read\": [\"/opt/secret/x\"]")), 0);
	check_int(notes("there is no",
			.user = FILES("\"rules\": [{\"effect\": \"allow\", \"rights\": \"r\", "
				      "\"path\": \"~/elsewhere\", \"optional\": true}]")),
		  0);
}

static void
grant_of_a_secret_is_found(void)
{
	check_int(warnings("where secrets are kept", .user = FILES("\"read\": [\"~/.ssh\"]")), 1);
	check_int(warnings("where secrets are kept", .user = FILES("\"read\": [\"~/.ssh/id\"]")),
		  1);
	check_int(warnings("where secrets are kept", .user = FILES("\"read\": [\"~/.ssh/*\"]")), 1);
	check_int(warnings("where secrets are kept", .user = FILES("\"read\": [\"~/.ssh/*.pub\"]")),
		  0);
	check_int(warnings("where secrets are kept", .user = FILES("\"deny\": [\"~/.ssh\"]")), 0);
	check_int(warnings("where secrets are kept", .system = FILES("\"deny\": [\"~/.ssh\"]"),
			   .user = FILES("\"read\": [\"~/.ssh\"]")),
		  0);
}

static void
change_of_what_all_projects_share_is_found(void)
{
	check_int(warnings("rely on", .user = FILES("\"write\": [\"~/.cargo/registry\"]")), 1);
	check_int(warnings("rely on", .user = FILES("\"write\": [\"~/.cargo/registry/x\"]")), 0);
	check_int(warnings("rely on", .user = FILES("\"read\": [\"~/.cargo/registry\"]")), 0);
	check_int(notes("shared by all", .user = FILES("\"read\": [\"~/.cargo/registry\"]")), 1);
}

static void
wide_grant_names_the_secrets_in_it(void)
{
	check_int(warnings("~/.config opens ~/.config/gh, where",
			   .user = FILES("\"read\": [\"~/.config\"]")),
		  1);
	check_int(warnings(" opens ", .user = FILES("\"read\": [\"~/.config\"], "
						    "\"deny\": [\"~/.config/gh\"]")),
		  0);
	check_int(warnings(" opens ", .user = FILES("\"read\": [\"~/.config/htop\"]")), 0);
	check_int(warnings("~/.ssh", .user = FILES("\"read\": [\"~/**\"]")), 1);
}

static void
change_of_a_folder_on_path_is_found(void)
{
	check_int(warnings("a folder on PATH", .user = FILES("\"write\": [\"~/.local\"]")), 1);
	check_int(warnings("a folder on PATH", .user = FILES("\"write\": [\"~/.local/bin/tool\"]")),
		  1);
	check_int(warnings("a folder on PATH", .user = FILES("\"execute\": [\"~/.local\"]")), 0);
	check_int(warnings("a folder on PATH", .user = FILES("\"write\": [\"~/.local/share\"]")),
		  0);
	check_int(warnings("a folder on PATH", .user = FILES("\"write\": [\"$PROJECT\"]")), 0);
	check_int(warnings("a folder on PATH", .user = FILES("\"write\": [\"~/.local\"], "
							     "\"protect\": [\"~/.local/bin\"]")),
		  0);
}

static void
grant_of_our_own_files_has_no_effect(void)
{
	check_int(warnings("has no effect",
			   .user = FILES("\"write\": [\"~/.config/cordon/config.json\"]")),
		  1);
	check_int(warnings("has no effect", .user = FILES("\"read\": [\"~/.local/state/cordon\"]")),
		  1);
	check_int(warnings("has no effect", .user = FILES("\"read\": [\"~/.config/cordon\"]")), 0);
	check_int(notes("stays closed", .user = FILES("\"write\": [\"~/.config\"]")), 1);
	check_int(notes("stays closed", .user = FILES("\"write\": [\"~/.config/htop\"]")), 0);
}

static void
naming_a_protected_path_lifts_its_protection(void)
{
	check_int(warnings("lifts the protection",
			   .user = FILES("\"write\": [\"$PROJECT/.git/hooks/x\"]")),
		  1);
	check_int(warnings("lifts the protection",
			   .user = FILES("\"write\": [\"$PROJECT/.cordon.json\"]")),
		  1);
	check_int(warnings("lifts the protection", .user = FILES("\"write\": [\"$PROJECT\"]")), 0);
	check_int(warnings("lifts the protection",
			   .user = FILES("\"read\": [\"$PROJECT/.git/hooks/x\"]")),
		  0);
	check_int(warnings("no project can change",
			   .project = FILES("\"write\": [\"$PROJECT/.git/hooks/x\"]"),
			   .trusted = true),
		  1);
	check_int(warnings("no project can change",
			   .project = FILES("\"write\": [\"$PROJECT/src\"]"), .trusted = true),
		  0);
}

static void
grant_of_everything_or_a_home_is_found(void)
{
	check_int(warnings("the whole file system", .user = FILES("\"read\": [\"/\"]")), 1);
	check_int(warnings("the whole file system", .user = FILES("\"read\": [\"/opt\"]")), 0);
	check_int(warnings("the whole file system",
			   .user = FILES("\"rules\": [{\"effect\": \"allow\", \"rights\": \"r\", "
					 "\"path\": \"/\", \"match\": \"literal\"}]")),
		  0);
	check_int(warnings("whole home", .user = FILES("\"read\": [\"~\"]")), 1);
	check_int(warnings("whole home", .user = FILES("\"read\": [\"~/**\"]")), 1);
	check_int(warnings("whole home", .user = FILES("\"read\": [\"/home\"]")), 1);
	check_int(warnings("whole home", .user = FILES("\"read\": [\"/home/other\"]")), 1);
	check_int(warnings("whole home", .user = FILES("\"read\": [\"/home/other/x\"]")), 0);
	check_int(warnings("whole home", .user = FILES("\"read\": [\"~/**/x\"]")), 0);
	check_int(warnings("whole home", .user = FILES("\"deny\": [\"~\"]")), 0);
}

#define REGEX(effect, path)                                                                   \
	FILES("\"rules\": [{\"effect\": \"" effect "\", \"rights\": \"r\", \"path\": \"" path \
	      "\", \"match\": \"regex\"}]")

static void
pattern_for_everything_is_found(void)
{
	check_int(warnings("nearly everything", .user = FILES("\"read\": [\"**\"]")), 1);
	check_int(warnings("nearly everything", .user = REGEX("allow", "/.*")), 1);
	check_int(warnings("nearly everything", .user = FILES("\"read\": [\"**/*.md\"]")), 0);
	check_int(warnings("nearly everything", .user = REGEX("allow", "/opt/.*")), 0);
	check_int(warnings("nearly everything", .user = REGEX("deny", ".*")), 0);
	check_int(notes("nearly everything", .user = REGEX("deny", ".*")), 1);
}

/* ---- the rest of a text ---- */

static void
default_that_grants_is_found(void)
{
	check_int(warnings("wherever no rule applies", .user = FILES("\"default\": \"rx\"")), 1);
	check(strstr(last_text, "~/.ssh") != NULL);
	check_int(warnings("wherever no rule applies", .user = FILES("\"default\": \"\"")), 0);
	check_int(warnings("wherever no rule applies", .profile = FILES("\"default\": \"rx\""),
			   .user = "{}"),
		  0);
}

static void
holes_of_a_dialect_are_listed(void)
{
	check_int(notes("whole /run/user is not granted", .user = "{\"enabled\": true}",
			.dialect = DIALECT_ZED),
		  1);
	check_int(notes("is not granted", .user = "{}"), 0);
}

static void
hidden_names_are_noted(void)
{
	check_int(notes("listed or not", .user = "{\"network\": {\"ech\": \"allow\"}}"), 1);
	check_int(notes("listed or not", .user = "{\"network\": {\"ech\": \"refuse\"}}"), 0);
	check_int(notes("listed or not", .user = "{\"network\": {\"opaque\": [1, 2]}}"), 2);
	check_int(notes("listed or not", .user = "{\"network\": {\"ports\": [1, 2]}}"), 0);
}

static void
wildcard_for_a_registry_is_found(void)
{
	check_int(warnings("names of any owner",
			   .user = "{\"network\": {\"domains\": [\"*.com\"]}}"),
		  1);
	check_int(warnings("names of any owner",
			   .user = "{\"network\": {\"domains\": [\"*.co.uk\"]}}"),
		  1);
	check_int(warnings("names of any owner",
			   .user = "{\"network\": {\"domains\": [\"*.example.com\"]}}"),
		  0);
	check_int(warnings("names of any owner",
			   .user = "{\"network\": {\"domains\": [\"x.com\"]}}"),
		  0);
}

static void
loader_variables_are_found(void)
{
	check_int(warnings("foreign code", .user = "{\"env\": {\"allow\": [\"LD_PRELOAD\"]}}"), 1);
	check_int(warnings("foreign code", .user = "{\"env\": {\"allow\": [\"EDITOR\"]}}"), 0);
	check_int(notes("full names", .user = "{\"env\": {\"allow\": [\"LD_*\"]}}"), 1);
	check_int(notes("full names", .user = "{\"env\": {\"allow\": [\"LC_*\"]}}"), 0);
}

static void
secret_set_by_a_policy_is_found_and_not_repeated(void)
{
	check_int(warnings("API_TOKEN",
			   .user = "{\"env\": {\"set\": {\"API_TOKEN\": \"hunter2\"}}}"),
		  1);
	check_int(warnings("hunter2", .user = "{\"env\": {\"set\": {\"API_TOKEN\": \"hunter2\"}}}"),
		  0);
	check_int(warnings("KEYBOARD", .user = "{\"env\": {\"set\": {\"KEYBOARD\": \"hunter2\"}}}"),
		  0);
	check_int(warnings("KEY_FILE", .user = "{\"env\": {\"set\": {\"KEY_FILE\": \"/x\"}}}"), 0);
	check_int(notes("hunter2", .project = "{\"env\": {\"set\": {\"API_TOKEN\": \"hunter2\"}}}"),
		  0);
	check_int(notes("API_TOKEN",
			.project = "{\"env\": {\"set\": {\"API_TOKEN\": \"hunter2\"}}}"),
		  1);
}

static void
needless_accept_is_found(void)
{
	check_int(notes("need not be accepted: ", .user = "{\"accept\": [\"limits.time\"]}"), 1);
	check_int(notes("need not be accepted here", .user = "{\"accept\": [\"ipc.sysv\"]}"), 1);
	check_int(notes("need not be", .user = "{\"accept\": [\"files.read\"]}"), 0);
}

static void
confusable_letters_are_found(void)
{
	check_int(warnings("check \"", .user = FILES("\"read\": [\"~/d\xd0\xb0ta\"]")), 1);
	check_int(warnings("invisible", .user = FILES("\"read\": [\"~/da\xe2\x80\x8bta\"]")), 1);
	check_int(warnings("check \"", .user = FILES("\"read\": [\"~/data/M\xc3\xbcller\"]")), 0);
	check_int(warnings("other letters",
			   .user = "{\"network\": {\"domains\": [\"ex\xd0\xb0mple.com\"]}}"),
		  1);
	check_int(warnings("other letters",
			   .user = "{\"network\": {\"domains\": [\"example.com\"]}}"),
		  0);
	check_int(warnings("check \"", .project = FILES("\"read\": [\"~/d\xd0\xb0ta\"]")), 1);
	check_str(confusable("plain"), NULL);
	check(confusable("\xff") != NULL);
	check(confusable("a\xe2\x80") != NULL);
}

static void
requests_of_an_unapproved_project_are_notes(void)
{
	check_int(notes("asks for read ~/data", .project = FILES("\"read\": [\"~/data\"]")), 1);
	check_int(warnings("", .project = FILES("\"read\": [\"~/.ssh\"]")), 0);
	check_int(notes("asks for", .project = FILES("\"read\": [\"~/data\"]"), .trusted = true),
		  0);
	check_int(notes("asks for", .project = FILES("\"deny\": [\"$PROJECT/.env\"]")), 0);
}

static void
profiles_themselves_are_not_checked(void)
{
	check_int(warnings("", .profile = FILES("\"read\": [\"~/.ssh\", \"/\"]"), .user = "{}"), 0);
	check(warnings("", .user = FILES("\"read\": [\"~/.ssh\", \"/\"]")) > 0);
}

/* ---- start-up files ---- */

/* One file in a home of its own; the name is below the home. */
static int
startup(const char *name, const char *content, const char *policy, const char *part)
{
	char home[] = "/tmp/lint.XXXXXX", real[PATH_MAX], path[PATH_MAX + 64];
	FILE *file;
	int found;

	if (mkdtemp(home) == NULL || realpath(home, real) == NULL)
		return -3;
	snprintf(path, sizeof path, "%s/%s", real, name);
	file = fopen(path, "w");
	if (file == NULL || fputs(content, file) < 0 || fclose(file) != 0)
		return -4;
	found = look_for(&(struct texts){.profile = policy, .home = real}, LINT_WARNING, part);
	if (found > 0 && strcmp(last_place.file, path) != 0)
		found = -5;
	unlink(path);
	rmdir(home);
	return found;
}

static void
secret_in_a_readable_startup_file_is_found(void)
{
	const char *readable = FILES("\"read\": [\"~/.bashrc\", \"~/.gitconfig\"]");

	check_int(startup(".bashrc", "alias x=y\n  export MY_API_KEY=\"hunter2\"\n", readable,
			  "MY_API_KEY"),
		  1);
	check_int(last_place.line, 2);
	check_int(last_place.column, 10);
	check(strstr(last_text, "hunter2") == NULL);
	check(strstr(last_text, "profile base:1:") != NULL);
	check_int(startup(".bashrc", "export MY_API_KEY=hunter2\n",
			  FILES("\"read\": [\"~/.zshrc\"]"), ""),
		  0);
	check_int(startup(".gitconfig", "[x]\n\toauthtoken = hunter2\n", readable, "oauthtoken"),
		  1);
	check_int(startup(".gitconfig", "[x]\n\tname = me\n", readable, ""), 0);
}

static void
only_literal_secrets_count(void)
{
	static const struct {
		const char *line;
		int found;
	} rows[] = {
		{"GITHUB_TOKEN=abc", 1},
		{"A=1; DB_PASSWORD='abc'; B=2", 1},
		{"export A=1 X_SECRET=abc Y_CREDENTIALS=def", 2},
		{"set -gx API_KEY abc", 1},
		{"setenv API_KEY abc", 1},
		{"api_key=abc", 1},
		{"SSH_KEYS2=abc", 1},
		{"X_PASSWD='$literal'", 1},
		{"export TOKEN=", 0},
		{"export TOKEN=\"\"", 0},
		{"export TOKEN", 0},
		{"export TOKEN=$OTHER", 0},
		{"export TOKEN=\"$(pass show x)\"", 0},
		{"export TOKEN=`pass show x`", 0},
		{"# export TOKEN=abc", 0},
		{"[ $TOKEN = abc ]", 0},
		{"[ \"$TOKEN\" == abc ]", 0},
		{"KEYTIMEOUT=12", 0},
		{"TOKENIZERS_PARALLELISM=some", 0},
		{"PASSWORD_STORE_ENABLE_EXTENSIONS=true", 0},
		{"SSH_KEY_PATH=/x/y", 0},
		{"SSH_KEY=~/.ssh/id", 0},
		{"curl --token=abc", 0},
		{"PATH=/usr/bin", 0},
		{"set -gx API_KEY $OTHER", 0},
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		int found = startup(".bashrc", rows[i].line, FILES("\"read\": [\"~/.bashrc\"]"),
				    "looks like a secret");

		if (found != rows[i].found)
			printf("# in: %s\n", rows[i].line);
		check_int(found, rows[i].found);
	}
}

/* ---- certainty ---- */

#define RANDOM_PLANS 600
#define RANDOM_RULES 5 /* per layer, at most */

static unsigned long long seed = 20240911;

static size_t
pick(size_t below)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (size_t)((seed >> 33) % below);
}

static const char *const names[] = {"a", "b", ".vscode"};
#define NAME_COUNT 3
#define PATH_COUNT (1 + NAME_COUNT + NAME_COUNT * NAME_COUNT + NAME_COUNT * NAME_COUNT * NAME_COUNT)

/* All paths of up to three names, by number. */
static void
numbered_path(size_t number, char to[64])
{
	strcpy(to, "/");
	for (size_t width = NAME_COUNT, start = 1; number != 0;
	     start += width, width *= NAME_COUNT) {
		if (number >= start + width)
			continue;
		number -= start;
		for (size_t unit = width / NAME_COUNT; unit > 0; unit /= NAME_COUNT) {
			strcat(to, strlen(to) > 1 ? "/" : "");
			strcat(to, names[number / unit % NAME_COUNT]);
		}
		return;
	}
}

/* One rule per line. Patterns are rare: a single one keeps much from being certain. */
static char *
random_text(void)
{
	static const char *const patterns[] = {"**/b", "/a/*", "/b/**"};
	struct str text = {0};
	size_t count = pick(RANDOM_RULES + 1);
	char *result = NULL;

	str_printf(&text, "{\"files\": {\"default\": \"%s\", \"rules\": [\n",
		   (const char *[]){"", "r"}[pick(2)]);
	for (size_t i = 0; i < count; i++) {
		bool pattern = pick(24) == 0;
		char path[64];

		numbered_path(pick(PATH_COUNT), path);
		str_printf(&text,
			   "{\"effect\": \"%s\", \"rights\": \"%s\", \"path\": \"%s\", \"match\": "
			   "\"%s\"},\n",
			   pick(2) ? "allow" : "deny",
			   (const char *[]){"r", "rw", "w", "rwcd"}[pick(4)],
			   pattern ? patterns[pick(3)] : path,
			   pattern ? "glob"
				   : (const char *[]){"subpath", "subpath", "literal",
						      "child"}[pick(4)]);
	}
	str_add(&text, "]}}");
	str_finish(&text, &result, NULL);
	return result;
}

/* Takes away the rules whose places have such a finding; says how many. */
static int
remove_found(struct planned_rule *rules, size_t rule_count, const struct findings *findings,
	     const char *part)
{
	int removed = 0;

	for (size_t i = 0; i < findings->count; i++) {
		const struct srcpos *srcpos = &findings->items[i].srcpos;

		if (strstr(findings->items[i].text, part) == NULL)
			continue;
		for (size_t k = 0; k < rule_count; k++) {
			const struct srcpos *at = &rules[k].rule->srcpos;

			if (strcmp(at->file, srcpos->file) == 0 && at->line == srcpos->line) {
				rules[k].rights = 0;
				removed++;
			}
		}
	}
	return removed;
}

/* Without what was found no path loses a right. An allow that is beaten may even hide another. */
static int
removal_is_harmless(const struct texts *texts, const char *part)
{
	const struct fs_view fake = fake_fs(tree);
	const struct host host = {.home = "/home/u",
				  .cwd = "/",
				  .project = "/home/u/p",
				  .view = &fake};
	const struct facts facts = {0};
	auto_plan struct plan *plan = NULL;
	struct findings findings = {0};
	unsigned before[PATH_COUNT], after;
	bool beaten = strcmp(part, "never applies") == 0;
	char path[64];
	int removed;

	if (plan_make(&host, &facts, stack_of(texts), NULL, &plan, NULL) < 0 ||
	    lint_plan(plan, &findings, NULL) < 0)
		return -1;
	for (size_t i = 0; i < PATH_COUNT; i++) {
		numbered_path(i, path);
		before[i] = index_decide(&plan->index, path).rights;
	}
	removed = remove_found(plan->index.paths, plan->index.path_count, &findings, part);
	if (index_finish(&plan->index, NULL) < 0)
		return -1;
	for (size_t i = 0; i < PATH_COUNT; i++) {
		numbered_path(i, path);
		after = index_decide(&plan->index, path).rights;
		if (after == before[i] || (beaten && !(before[i] & ~after)))
			continue;
		printf("# \"%s\" was wrong for %s in\n# %s\n# %s\n# %s\n# %s\n# %s\n", part, path,
		       texts->profile, texts->system, texts->user, texts->command, texts->project);
		return -1;
	}
	return removed;
}

static void
rules_reported_as_without_effect_have_none(void)
{
	static const char *const parts[] = {"changes nothing", "never applies"};
	int removed[2] = {0, 0};

	for (int i = 0; i < RANDOM_PLANS && tap.failed_checks == 0; i++) {
		auto_free char *profile = random_text(), *system_text = random_text();
		auto_free char *user = random_text(), *command = random_text();
		auto_free char *project = random_text();
		const struct texts texts = {.profile = profile,
					    .system = system_text,
					    .user = user,
					    .command = command,
					    .project = project,
					    .trusted = true};

		for (int k = 0; k < 2; k++) {
			int found = removal_is_harmless(&texts, parts[k]);

			check(found >= 0);
			removed[k] += found;
		}
	}
	/* or nothing was tested */
	check(removed[0] > 100);
	check(removed[1] > 100);
}

int
main(void)
{
	run(a_plain_policy_has_no_finding);
	run(same_path_allowed_and_denied_names_the_winner);
	run(same_pattern_allowed_and_denied_names_the_later);
	run(allow_of_what_is_allowed_above_changes_nothing);
	run(allow_below_a_deny_is_needed);
	run(allow_of_what_is_a_link_here_is_not_complained_about);
	run(mount_aliases_have_no_finding);
	run(sockets_that_lead_out_of_the_sandbox_are_a_warning);
	run(of_two_equal_rules_one_is_superfluous);
	run(naming_a_protected_path_is_not_superfluous);
	run(deny_of_what_nothing_allows_changes_nothing);
	run(deny_below_a_deny_changes_nothing);
	run(allow_against_a_final_deny_has_no_effect);
	run(allow_of_a_path_against_a_pattern_has_no_effect);
	run(deny_that_a_profile_opens_again_names_it);
	run(missing_path_suggests_a_neighbour);
	run(grant_of_a_secret_is_found);
	run(change_of_what_all_projects_share_is_found);
	run(wide_grant_names_the_secrets_in_it);
	run(change_of_a_folder_on_path_is_found);
	run(grant_of_our_own_files_has_no_effect);
	run(naming_a_protected_path_lifts_its_protection);
	run(grant_of_everything_or_a_home_is_found);
	run(pattern_for_everything_is_found);
	run(default_that_grants_is_found);
	run(holes_of_a_dialect_are_listed);
	run(hidden_names_are_noted);
	run(wildcard_for_a_registry_is_found);
	run(loader_variables_are_found);
	run(secret_set_by_a_policy_is_found_and_not_repeated);
	run(needless_accept_is_found);
	run(confusable_letters_are_found);
	run(requests_of_an_unapproved_project_are_notes);
	run(profiles_themselves_are_not_checked);
	run(secret_in_a_readable_startup_file_is_found);
	run(only_literal_secrets_count);
	run(rules_reported_as_without_effect_have_none);
	return tap_end();
}
