// SPDX-License-Identifier: MIT
/*
 * cordon mcp: a server of the Model Context Protocol on standard input and output, one JSON message a line. The
 * policy is that of its own command line: no message can widen it.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "base/fd.h"
#include "base/json.h"
#include "base/os.h"
#include "base/str.h"
#include "cli/cli.h"

#define OUTPUT_MAX \
	((size_t)256 << 10) /* of a command's output, half from its beginning, half from its end */
#define EVENTS_MAX 200

enum rpc_error {
	RPC_PARSE = -32700,
	RPC_REQUEST = -32600,
	RPC_METHOD = -32601,
	RPC_PARAMS = -32602
};

/* One message, and its answer. */
struct message {
	struct cli *cli;
	const char *text;
	const struct json *root, *id;
	struct arena arena;
	struct str answer;
};

/* The first is the newest; a client that knows none of them gets that. */
static const char *const versions[] = {"2025-06-18", "2025-03-26", "2024-11-05"};

static const char tools[] =
	"{\"tools\": ["
	"{\"name\": \"run\", \"description\": \"Run a shell command in the sandbox, in the project. Only what the policy "
	"allows can be read, written, run or reached; every process it leaves ends with it. The result says what was refused.\", "
	"\"inputSchema\": {\"type\": \"object\", \"properties\": {\"command\": {\"type\": \"string\", "
	"\"description\": \"for bash -c\"}}, \"required\": [\"command\"]}}, "
	"{\"name\": \"why\", \"description\": \"Would the policy allow this, and by which rule? Without arguments: what the last "
	"command was refused and what would allow it.\", "
	"\"inputSchema\": {\"type\": \"object\", \"properties\": {\"right\": {\"type\": \"string\", "
	"\"description\": \"read, write, create, delete, execute, connect, socket or env\"}, \"subject\": {\"type\": \"string\", "
	"\"description\": \"path, HOST:PORT or name of a variable\"}}}}, "
	"{\"name\": \"plan\", \"description\": \"What the policy allows here, and how it is enforced.\", "
	"\"inputSchema\": {\"type\": \"object\", \"properties\": {}}}, "
	"{\"name\": \"log\", \"description\": \"What commands did and were refused, as events in JSON, oldest first.\", "
	"\"inputSchema\": {\"type\": \"object\", \"properties\": {\"since\": {\"type\": \"string\", "
	"\"description\": \"a time, or an age such as 10m or 2h; 1h by default\"}, \"refused\": {\"type\": \"boolean\", "
	"\"description\": \"only refusals\"}}}}]}";

/* ---- answers ---- */

static void
put_id(struct message *m)
{
	str_add(&m->answer, "{\"jsonrpc\": \"2.0\", \"id\": ");
	if (m->id == NULL)
		str_add(&m->answer, "null");
	else
		str_add_n(&m->answer, m->text + m->id->start, m->id->end - m->id->start);
}

static void
put_result(struct message *m, const char *result)
{
	put_id(m);
	str_printf(&m->answer, ", \"result\": %s}\n", result);
}

static void
put_error(struct message *m, enum rpc_error code, const char *text)
{
	put_id(m);
	str_printf(&m->answer, ", \"error\": {\"code\": %d, \"message\": ", (int)code);
	str_json(&m->answer, text);
	str_add(&m->answer, "}}\n");
}

/* The result of a tool. structured: JSON, or NULL. */
static void
put_text(struct message *m, const char *text, const char *structured, bool is_error)
{
	put_id(m);
	str_add(&m->answer, ", \"result\": {\"content\": [{\"type\": \"text\", \"text\": ");
	str_json(&m->answer, text);
	str_add(&m->answer, "}]");
	if (structured != NULL)
		str_printf(&m->answer, ", \"structuredContent\": %s", structured);
	str_printf(&m->answer, ", \"isError\": %s}}\n", is_error ? "true" : "false");
}

/* ---- run ---- */

/* In the child: as `cordon run OPTION... -- bash -c COMMAND`, both outputs in one pipe. */
static void
run_inside(struct cli *cli, const char *command, int out)
{
	char *words[] = {(char *)"bash", (char *)"-c", (char *)command, NULL};
	struct cli run = *cli;
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	signal(SIGPIPE, SIG_DFL);
	os_die_with_parent(SIGTERM);
	if (null < 0 || dup2(null, 0) < 0 || dup2(out, 1) < 0 || dup2(out, 2) < 0)
		_exit(EXIT_CORDON);
	fd_close_from(3);
	run.operands = words;
	run.operand_count = 3;
	run.hints = HINTS_JSON;
	run.quiet = true;
	_exit(cli_run(&run));
}

/* Keeps the beginning and the end. */
static void
store(struct str *output, const char *part, size_t length)
{
	const size_t half = OUTPUT_MAX / 2;

	str_add_n(output, part, length);
	if (output->failed || output->length < 2 * OUTPUT_MAX)
		return;
	memmove(output->text + half, output->text + output->length - half, half);
	memcpy(output->text + half, "\n[...]\n", 7);
	output->length = 2 * half;
	output->text[output->length] = '\0';
}

/* Until the end of the output. If the client is gone, the session is ended. */
static void
collect(int from, pid_t child, struct str *output)
{
	struct pollfd fds[] = {{from, POLLIN, 0}, {STDOUT_FILENO, 0, 0}};
	char part[16384];
	ssize_t n = 1;

	while (n != 0) {
		if (poll(fds, COUNT(fds), -1) < 0 && errno != EINTR)
			break;
		if (fds[1].revents != 0) {
			kill(child, SIGTERM);
			fds[1].fd = -1;
		}
		if (fds[0].revents == 0)
			continue;
		n = read(from, part, sizeof part);
		if (n > 0)
			store(output, part, (size_t)n);
		else if (n < 0 && errno != EINTR)
			break;
	}
}

static int
run_and_wait(struct cli *cli, const char *command, struct str *output)
{
	int ends[2], status = 0;
	pid_t child;

	if (os_pipe(ends) < 0)
		return -1;
	child = fork();
	if (child == 0)
		run_inside(cli, command, ends[1]);
	close(ends[1]);
	if (child > 0)
		collect(ends[0], child, output);
	close(ends[0]);
	while (child > 0 && waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return child < 0 ? -1 : WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* The last line is cordon's own: the command cannot write after it. Returns its offset. */
static size_t
take_hints(struct message *m, const struct str *output, const struct json **ret_hints)
{
	size_t start = output->length;

	*ret_hints = NULL;
	while (start > 1 && output->text[start - 2] != '\n')
		start--;
	start -= start > 0;
	if (output->length == 0 ||
	    json_read(&m->arena, "hints", output->text + start, output->length - start, ret_hints,
		      NULL) < 0 ||
	    (*ret_hints)->type != JSON_OBJECT || json_member(*ret_hints, "hints") == NULL) {
		*ret_hints = NULL;
		return output->length;
	}
	return start;
}

static void
print_hints(const struct json *hints, struct str *to)
{
	const struct json *one = hints == NULL ? NULL : json_member(hints, "hints")->first;

	for (; one != NULL; one = one->next)
		str_printf(to, "%s\n",
			   json_member_text(one, "hint") == NULL ? ""
								 : json_member_text(one, "hint"));
}

static void
tool_run(struct message *m, const struct json *arguments)
{
	const char *command = json_member_text(arguments, "command");
	auto_str struct str output = {0}, text = {0}, structured = {0};
	const struct json *hints;
	size_t end;
	int status;

	if (command == NULL) {
		put_error(m, RPC_PARAMS, "run needs a command");
		return;
	}
	str_add(&output, "");
	status = run_and_wait(m->cli, command, &output);
	if (status < 0 || output.failed) {
		put_text(m, "cordon: cannot start a process", NULL, true);
		return;
	}
	end = take_hints(m, &output, &hints);
	str_add_n(&text, output.text, end);
	if (end > 0 && output.text[end - 1] != '\n')
		str_add(&text, "\n");
	print_hints(hints, &text);
	if (status != 0)
		str_printf(&text, "exit status %d\n", status);
	str_printf(&structured, "{\"status\": %d, \"refusals\": ", status);
	if (hints == NULL)
		str_add(&structured, "null}");
	else
		str_printf(&structured, "%.*s}", (int)(hints->end - hints->start),
			   output.text + end + hints->start);
	put_text(m, text.failed ? "" : text.text, structured.failed ? NULL : structured.text,
		 status != 0);
}

/* ---- why, plan, log ---- */

/* Puts what a function of the library printed. */
static void
put_printed(struct message *m, int rc, const char *text, const struct cordon_error *err)
{
	put_text(m, rc < 0 ? err->text : text, NULL, rc < 0);
}

static void
tool_why(struct message *m, const struct json *arguments)
{
	const char *right = json_member_text(arguments, "right"),
		   *subject = json_member_text(arguments, "subject");
	struct cordon_plan *plan = NULL;
	struct cordon_error err = {0};
	auto_free char *text = NULL;
	int rc;

	if ((right == NULL) != (subject == NULL)) {
		put_error(m, RPC_PARAMS, "right and subject belong together");
		return;
	}
	if (right == NULL) {
		rc = cordon_why_session(m->cli->setup, NULL, CORDON_TEXT, &text, &err);
	} else {
		rc = cordon_plan_new(m->cli->setup, &plan, &err);
		if (rc == 0)
			rc = cordon_plan_why(plan, right, subject, CORDON_TEXT, &text, &err);
		cordon_plan_free(plan);
	}
	put_printed(m, rc, text, &err);
}

static void
tool_plan(struct message *m, const struct json *arguments)
{
	struct cordon_plan *plan = NULL;
	struct cordon_error err = {0};
	auto_free char *text = NULL;
	int rc = cordon_plan_new(m->cli->setup, &plan, &err);

	(void)arguments;
	if (rc == 0)
		rc = cordon_plan_print(plan, CORDON_TEXT, 0, &text, &err);
	cordon_plan_free(plan);
	put_printed(m, rc, text, &err);
}

static void
tool_log(struct message *m, const struct json *arguments)
{
	const char *since = json_member_text(arguments, "since");
	const struct json *refused = arguments == NULL ? NULL : json_member(arguments, "refused");
	struct cordon_log_filter filter = {.since = since == NULL ? "1h" : since,
					   .project = ".",
					   .refused = refused != NULL && refused->integer != 0};
	struct cordon_error err = {0};
	auto_str struct str all = {0};
	struct cordon_log *log;
	int rc = cordon_log_open(&filter, &log, &err), count = 0;

	str_add(&all, "");
	while (rc >= 0 && count++ < EVENTS_MAX) {
		auto_free char *text = NULL;

		rc = cordon_log_next(log, CORDON_JSON, &text, &err);
		if (rc <= 0)
			break;
		str_add(&all, text);
	}
	if (rc >= 0)
		cordon_log_close(log);
	put_printed(m, rc, all.failed ? "" : all.text, &err);
}

/* ---- methods ---- */

static void
method_initialize(struct message *m, const struct json *params)
{
	const char *asked = json_member_text(params, "protocolVersion"), *version = versions[0];
	char result[300];

	for (size_t i = 0; asked != NULL && i < COUNT(versions); i++)
		if (strcmp(versions[i], asked) == 0)
			version = versions[i];
	snprintf(result, sizeof result,
		 "{\"protocolVersion\": \"%s\", \"capabilities\": {\"tools\": {}}, "
		 "\"serverInfo\": {\"name\": \"cordon\", \"version\": \"" CORDON_VERSION "\"}}",
		 version);
	put_result(m, result);
}

static void
method_ping(struct message *m, const struct json *params)
{
	(void)params;
	put_result(m, "{}");
}

static void
method_list(struct message *m, const struct json *params)
{
	(void)params;
	put_result(m, tools);
}

static void
method_call(struct message *m, const struct json *params)
{
	static const struct {
		const char *name;
		void (*call)(struct message *m, const struct json *arguments);
	} rows[] = {{"run", tool_run}, {"why", tool_why}, {"plan", tool_plan}, {"log", tool_log}};
	const char *name = json_member_text(params, "name");
	const struct json *arguments = name == NULL ? NULL : json_member(params, "arguments");

	if (arguments != NULL && arguments->type != JSON_OBJECT)
		arguments = NULL;
	for (size_t i = 0; name != NULL && i < COUNT(rows); i++) {
		if (strcmp(rows[i].name, name) != 0)
			continue;
		rows[i].call(m, arguments);
		return;
	}
	put_error(m, RPC_PARAMS, "there is no such tool");
}

static void
answer_request(struct message *m, const char *method)
{
	static const struct {
		const char *name;
		void (*call)(struct message *m, const struct json *params);
	} rows[] = {{"initialize", method_initialize},
		    {"ping", method_ping},
		    {"tools/list", method_list},
		    {"tools/call", method_call}};

	for (size_t i = 0; i < COUNT(rows); i++) {
		if (strcmp(rows[i].name, method) != 0)
			continue;
		rows[i].call(m, json_member(m->root, "params"));
		return;
	}
	put_error(m, RPC_METHOD, "there is no such method");
}

/* A message without an id is a notification: it gets no answer. */
static void
answer_line(struct message *m, size_t length)
{
	const char *method;

	if (json_read(&m->arena, "message", m->text, length, &m->root, NULL) < 0) {
		put_error(m, RPC_PARSE, "the message is not JSON");
		return;
	}
	method = json_member_text(m->root, "method");
	m->id = m->root->type == JSON_OBJECT ? json_member(m->root, "id") : NULL;
	if (method == NULL && (m->id == NULL || json_member(m->root, "result") == NULL))
		put_error(m, RPC_REQUEST, "the message is no request");
	else if (method != NULL && m->id != NULL)
		answer_request(m, method);
}

int
cli_mcp(struct cli *cli)
{
	auto_free char *line = NULL;
	size_t room = 0;
	ssize_t length;

	signal(SIGPIPE, SIG_IGN);
	while ((length = getline(&line, &room, stdin)) > 0) {
		struct message m = {.cli = cli, .text = line};
		bool failed;

		if (line[strspn(line, " \t\r\n")] != '\0')
			answer_line(&m, (size_t)length);
		failed = m.answer.failed ||
			 (m.answer.length > 0 &&
			  (fputs(m.answer.text, stdout) < 0 || fflush(stdout) != 0));
		str_free(&m.answer);
		arena_free(&m.arena);
		if (failed)
			return EXIT_CORDON;
	}
	return 0;
}
