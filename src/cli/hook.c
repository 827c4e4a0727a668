// SPDX-License-Identifier: MIT
/*
 * cordon hook: called by an agent before and after it runs a shell command. Reads one JSON object; answers with
 * the command wrapped in `cordon run`, or with what the sandbox refused. An error before a command must refuse it:
 * the agents take exit status 2 for that, and any other status for a failed hook that they ignore.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/fd.h"
#include "base/json.h"
#include "base/str.h"
#include "cli/cli.h"
#include "cli/hook_rules.h"

#define INPUT_MAX JSON_SIZE_MAX
#define SINCE "12h" /* older sessions are not those of a command that has just ended */

static const struct dialect {
	const char *agent, *before;
	const char *tool;     /* runs shell commands */
	const char *decision; /* members of an answer before the input */
	const char *input;    /* member of an answer with the changed input */
	bool has_rules;	      /* about the text of commands, see hook_rules.h */
} dialects[] = {
	{"claude", "PreToolUse", "Bash", "", "updatedInput", true},
	/* codex ignores an input without a decision */
	{"codex", "PreToolUse", "Bash", "\"permissionDecision\": \"allow\", ", "updatedInput",
	 false},
	{"gemini", "BeforeTool", "run_shell_command", "", "tool_input", false},
};

/* One call of the hook. */
struct hook {
	const struct dialect *dialect;
	struct cli run;	       /* the options, as `cordon run` takes them */
	char *const *options;  /* the same as words */
	const char *program;   /* path of cordon */
	const char *text;      /* what was read */
	const struct json *in; /* the same */
	const char *event;
	struct arena *arena;
	struct cordon_error *err;
};

/* ---- options ---- */

/* What would allow a refusal depends on the options of the session. */
static int
take_options(struct hook *hook, char *const *words, int count)
{
	char **copy = arena_alloc(hook->arena, ((size_t)count + 3) * sizeof *copy, hook->err);

	hook->options = words;
	if (cli_check_run_options(words) != 0)
		return cordon_fail(hook->err, CORDON_E_USAGE, 0,
				   "what follows the agent's name must be options of `cordon run`");
	for (int i = 0; copy != NULL && i < count; i++)
		copy[i] = arena_strdup(hook->arena, words[i], hook->err);
	if (copy == NULL)
		return -CORDON_E_MEMORY;
	copy[count] = (char *)"true";
	return cli_parse(&hook->run, count + 1, copy) == 0 ? 0 : cordon_no_memory(hook->err);
}

/* ---- before ---- */

static void
print_wrapped(const struct hook *hook, const char *command, struct str *to)
{
	str_shell(to, hook->program);
	str_add(to, " run");
	for (size_t i = 0; hook->options[i] != NULL; i++) {
		str_add(to, " ");
		str_shell(to, hook->options[i]);
	}
	str_add(to, " -- bash -c ");
	str_shell(to, command);
}

/* Answers with the decision of the user's own rules. Returns 1 if the command is refused by one. */
static int
apply_rules(const struct hook *hook, const char *command, struct str *to)
{
	static const char *const decisions[] = {"", "\"permissionDecision\": \"ask\", ",
						"\"permissionDecision\": \"deny\", "};
	enum hook_rule kind = HOOK_RULE_NONE;
	const char *rule = NULL;
	int rc = 0;

	if (hook->dialect->has_rules)
		rc = hook_rules_find(hook->arena, command, &kind, &rule, hook->err);
	if (rc < 0)
		return rc;
	str_add(to, decisions[kind]);
	if (kind != HOOK_RULE_DENY)
		return 0;
	str_add(to, "\"permissionDecisionReason\": ");
	str_json(to, arena_printf(hook->arena, NULL, "the rule %s denies it", rule));
	return 1;
}

/* The other members of the input stay, byte by byte. */
static int
put_input(const struct hook *hook, const struct json *input, struct str *to)
{
	const struct json *command = json_member(input, "command");
	auto_str struct str wrapped = {0};

	print_wrapped(hook, command->string, &wrapped);
	str_printf(to, "%s\"%s\": ", hook->dialect->decision, hook->dialect->input);
	str_add_n(to, hook->text + input->start, command->start - input->start);
	str_json(to, wrapped.failed ? "false" : wrapped.text);
	str_add_n(to, hook->text + command->end, input->end - command->end);
	return wrapped.failed ? cordon_no_memory(hook->err) : 0;
}

static int
answer_before(const struct hook *hook, struct str *to)
{
	const struct json *input = json_member(hook->in, "tool_input");
	const char *tool = json_member_text(hook->in, "tool_name");
	const char *command = json_member_text(input, "command");
	int rc;

	if (command == NULL && tool != NULL && strcmp(tool, hook->dialect->tool) != 0)
		return 0;
	if (command == NULL)
		return cordon_fail(hook->err, CORDON_E_USAGE, 0,
				   "the input of the tool has no command");
	str_printf(to, "{\"hookSpecificOutput\": {\"hookEventName\": \"%s\", ", hook->event);
	rc = apply_rules(hook, command, to);
	if (rc == 0)
		rc = put_input(hook, input, to);
	str_add(to, "}}\n");
	return rc < 0 ? rc : to->failed ? cordon_no_memory(hook->err) : 0;
}

/* ---- after ---- */

/* Is it the start of a session that ran this command, or its end with a failure? */
static bool
is_start(const struct json *event, const char *command)
{
	const struct json *words = json_member(event, "command"), *last = NULL;

	if (words == NULL || words->type != JSON_ARRAY || words->count != 3)
		return false;
	for (last = words->first; last->next != NULL;)
		last = last->next;
	return last->type == JSON_STRING && strcmp(last->string, command) == 0;
}

static bool
is_failure(const struct json *event)
{
	const struct json *status = json_member(event, "status");

	return status == NULL || status->integer != 0;
}

/* The last session that ran the command and failed; "" if it did not fail. */
struct found {
	char session[64];
	bool failed;
};

static void
find_in_event(const char *text, const char *command, struct found *found)
{
	auto_arena struct arena arena = {0};
	const struct json *event;
	const char *name, *session;

	if (json_read(&arena, "log", text, strlen(text), &event, NULL) < 0 ||
	    event->type != JSON_OBJECT)
		return;
	name = json_member_text(event, "event");
	session = json_member_text(event, "session");
	if (name == NULL || session == NULL)
		return;
	if (strcmp(name, "start") == 0 && is_start(event, command)) {
		snprintf(found->session, sizeof found->session, "%s", session);
		found->failed = false;
	} else if (strcmp(name, "end") == 0 && strcmp(session, found->session) == 0) {
		found->failed = is_failure(event);
	}
}

static int
find_session(const struct hook *hook, const char *command, struct found *ret_found)
{
	const struct cordon_log_filter filter = {.since = SINCE};
	struct cordon_log *log;
	int rc = cordon_log_open(&filter, &log, hook->err);

	if (rc < 0)
		return rc;
	do {
		auto_free char *text = NULL;

		rc = cordon_log_next(log, CORDON_JSON, &text, hook->err);
		if (rc > 0)
			find_in_event(text, command, ret_found);
	} while (rc > 0);
	cordon_log_close(log);
	return rc;
}

/* The command as it was before it was wrapped, if the agent shows the wrapped one. */
static const char *
unwrapped(const struct hook *hook, const char *command)
{
	auto_str struct str head = {0};
	char *rest, *to, *from;

	print_wrapped(hook, "", &head);
	if (head.failed || strncmp(command, head.text, head.length - 2) != 0)
		return command;
	/* one shell word: quotes around parts, and \' for a quote */
	rest = arena_strdup(hook->arena, command + head.length - 2, hook->err);
	if (rest == NULL)
		return command;
	for (to = from = rest; *from != '\0'; from++) {
		if (*from == '\\' && from[1] == '\'')
			*to++ = *++from;
		else if (*from != '\'')
			*to++ = *from;
	}
	*to = '\0';
	return rest;
}

static int
print_hints(const struct hook *hook, const char *text, struct str *to)
{
	const struct json *said, *hints;
	auto_str struct str all = {0};
	int rc = json_read(hook->arena, "hints", text, strlen(text), &said, hook->err);

	hints = rc < 0 ? NULL : json_member(said, "hints");
	if (hints == NULL || hints->count == 0)
		return rc;
	for (const struct json *hint = hints->first; hint != NULL; hint = hint->next) {
		const char *one = json_member_text(hint, "hint");

		str_printf(&all, "%s%s", all.length == 0 ? "" : "\n", one == NULL ? "" : one);
	}
	str_printf(to,
		   "{\"hookSpecificOutput\": {\"hookEventName\": \"%s\", \"additionalContext\": ",
		   hook->event);
	str_json(to, all.failed ? "" : all.text);
	str_add(to, "}}\n");
	return to->failed || all.failed ? cordon_no_memory(hook->err) : 0;
}

static int
answer_after(const struct hook *hook, struct str *to)
{
	const char *command = json_member_text(json_member(hook->in, "tool_input"), "command");
	auto_free char *text = NULL;
	struct found found = {0};
	int rc;

	if (command == NULL)
		return 0;
	rc = find_session(hook, unwrapped(hook, command), &found);
	if (rc < 0 || !found.failed)
		return rc;
	rc = cordon_why_session(hook->run.setup, found.session, CORDON_JSON, &text, hook->err);
	return rc < 0 ? rc : print_hints(hook, text, to);
}

/* ---- the call ---- */

static int
answer(struct hook *hook, struct str *to)
{
	int rc = json_read(hook->arena, "the hook's input", hook->text, strlen(hook->text),
			   &hook->in, hook->err);

	if (rc < 0)
		return rc;
	hook->event = json_member_text(hook->in, "hook_event_name");
	if (hook->event == NULL)
		return cordon_fail(hook->err, CORDON_E_USAGE, 0, "the hook's input names no event");
	if (strcmp(hook->event, hook->dialect->before) == 0)
		return answer_before(hook, to);
	/* PostToolUse, PostToolUseFailure, AfterTool */
	if (strncmp(hook->event, "Post", 4) != 0 && strncmp(hook->event, "After", 5) != 0)
		return cordon_fail(hook->err, CORDON_E_USAGE, 0, "the event \"%.40s\" is not known",
				   hook->event);
	return answer_after(hook, to);
}

static const struct dialect *
find_dialect(const char *agent)
{
	for (size_t i = 0; i < COUNT(dialects); i++)
		if (strcmp(dialects[i].agent, agent) == 0)
			return &dialects[i];
	return NULL;
}

int
cli_hook(struct cli *cli)
{
	char program[PATH_MAX];
	auto_free char *text = NULL;
	auto_str struct str to = {0};
	auto_arena struct arena arena = {0};
	struct cordon_error err = {0};
	struct hook hook = {.dialect = find_dialect(cli->operands[0]),
			    .run = CLI_START(cli_command("run")),
			    .program = program,
			    .arena = &arena,
			    .err = &err};
	int rc = hook.run.setup == NULL ? cordon_no_memory(&err) : 0;

	if (hook.dialect == NULL)
		rc = cordon_fail(&err, CORDON_E_USAGE, 0,
				 "there are hooks for claude, codex and gemini, not for \"%.40s\"",
				 cli->operands[0]);
	if (rc == 0)
		rc = cli_find_self(cli->program, program, &err);
	if (rc == 0)
		rc = take_options(&hook, cli->operands + 1, cli->operand_count - 1);
	if (rc == 0)
		rc = fd_read_text(STDIN_FILENO, INPUT_MAX, &text, &err);
	if (rc >= 0) {
		hook.text = text;
		rc = answer(&hook, &to);
	}
	cordon_setup_free(hook.run.setup);
	if (rc < 0) {
		cli_fail(cli, &err);
		return EXIT_HOOK_REFUSES;
	}
	return to.length == 0 || cli_put(to.text, NULL, 0) == 0 ? 0 : EXIT_HOOK_REFUSES;
}
