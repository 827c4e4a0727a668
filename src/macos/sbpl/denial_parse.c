// SPDX-License-Identifier: MIT
/*
 * Parses reports: "Sandbox: NAME(PID) deny(N) OPERATION SUBJECT", sometimes preceded by "N duplicate
 * reports for" and followed by the profile's tag on a line of its own. NAME may contain any characters,
 * also parentheses, and SUBJECT may be any path. So parsing starts at fixed words and goes towards both
 * ends.
 */
#include "macos/sbpl/denial_parse.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/ascii.h"
#include "base/json.h"
#include "base/str.h"
#include "plan/plan.h"

/* The kernel truncates process names to this. */
#define NAME_MAX_BYTES 16

/* Denials that nearly every program causes at its start. */
static const char *const noise[] = {"/dev/dtracehelper", "/dev/dtrace", "/dev/oslog", NULL};

static const struct {
	const char *prefix;
	enum right right;
} rights[] = {
	{"file-read", RIGHT_READ},	     {"file-map-executable", RIGHT_READ},
	{"file-test-existence", RIGHT_READ}, {"file-write-create", RIGHT_CREATE},
	{"file-write-unlink", RIGHT_DELETE}, {"file-write", RIGHT_WRITE},
	{"file-link", RIGHT_CREATE},	     {"file-clone", RIGHT_CREATE},
	{"process-exec", RIGHT_EXECUTE},
};

static int
right_of(const char *operation)
{
	for (size_t i = 0; i < COUNT(rights); i++)
		if (str_starts(operation, rights[i].prefix))
			return __builtin_ctz((unsigned)rights[i].right);
	return -1;
}

static bool
is_noise(const char *subject)
{
	for (size_t i = 0; noise[i] != NULL; i++)
		if (strcmp(noise[i], subject) == 0)
			return true;
	return false;
}

/* Removes the tag, which must be the last line. */
static bool
take_tag(char *message, const char *tag)
{
	size_t length = strlen(message), tail = strlen(tag);

	while (length > 0 && strchr(" \t\r\n", message[length - 1]) != NULL)
		message[--length] = '\0';
	if (length <= tail || strcmp(message + length - tail, tag) != 0 ||
	    message[length - tail - 1] != '\n')
		return false;
	message[length - tail - 1] = '\0';
	return true;
}

/* "NAME(PID)" */
static bool
read_process(char *text, struct seatbelt_denial *to)
{
	char *bracket = strrchr(text, '('), *end;
	long pid;

	if (bracket == NULL || !ascii_is_digit(bracket[1]))
		return false;
	pid = strtol(bracket + 1, &end, 10);
	if (strcmp(end, ")") != 0 || pid <= 0 || pid > 99999999)
		return false;
	*bracket = '\0';
	to->process = text;
	to->pid = (pid_t)pid;
	return true;
}

#define OPERATION_LETTERS "abcdefghijklmnopqrstuvwxyz-*"

/* "N) OPERATION SUBJECT" */
static bool
check_operation(const char *text)
{
	const char *end = text + strspn(text, "0123456789");
	size_t length;

	if (end == text || end[0] != ')' || end[1] != ' ')
		return false;
	length = strspn(end + 2, OPERATION_LETTERS);
	return length > 0 && (end[2 + length] == '\0' || strchr(" \n", end[2 + length]) != NULL);
}

static void
read_operation(char *text, struct seatbelt_denial *to)
{
	char *operation = text + strspn(text, "0123456789") + 2;
	char *end = operation + strspn(operation, OPERATION_LETTERS);

	to->subject = "";
	if (*end != '\0') {
		*end = '\0';
		to->subject = end + 1;
	}
	to->operation = operation;
	to->right = right_of(to->operation);
}

/* Finds the last c in text before end. */
static const char *
last_before(const char *text, const char *end, char c)
{
	while (end-- > text)
		if (*end == c)
			return end;
	return NULL;
}

/* name points at "NAME(PID)", deny behind " deny(". The text is modified only if it parses. */
static bool
read_report(char *name, char *deny, size_t middle, struct seatbelt_denial *to)
{
	struct seatbelt_denial found = *to;
	char *operation = deny + middle;
	char kept = *deny;
	bool good;

	*deny = '\0';
	good = check_operation(operation) && read_process(name, &found);
	if (!good) {
		*deny = kept;
		return false;
	}
	read_operation(operation, &found);
	*to = found;
	return true;
}

/*
 * A name may look like a report, but is at most 16 bytes long. The last position that leaves at most so
 * many is the right one, since no operation is short enough for a second report to fit into a name.
 */
static bool
find_report(char *name, struct seatbelt_denial *to)
{
	static const char middle[] = " deny(";
	char *last = NULL, *first = strstr(name, middle);

	for (char *at = first; at != NULL; at = strstr(at + 1, middle)) {
		const char *bracket = last_before(name, at, '(');

		if (bracket != NULL && bracket - name <= NAME_MAX_BYTES)
			last = at;
	}
	return (last != NULL && read_report(name, last, sizeof middle - 1, to)) ||
	       (first != NULL && first != last && read_report(name, first, sizeof middle - 1, to));
}

static bool
read_message(char *message, const char *tag, struct seatbelt_denial *to)
{
	static const char start[] = "Sandbox: ";
	char *name = strstr(message, start);

	*to = (struct seatbelt_denial){.right = -1};
	if (name == NULL || !take_tag(message, tag))
		return false;
	if (name != message)
		to->repeated = strtoul(message, NULL, 10);
	return find_report(name + sizeof start - 1, to) && !is_noise(to->subject);
}

/* Accepts messages of the kernel only: any process can log the same text. */
static bool
is_kernels(const struct json *value)
{
	const struct json *process = json_member(value, "processID");

	return process != NULL && process->type == JSON_NUMBER && process->whole &&
	       process->integer == 0;
}

int
denial_parse(struct arena *arena, const char *line, size_t length, const char *tag,
	     struct seatbelt_denial *ret, struct cordon_error *err)
{
	const struct json *value, *message;
	struct seatbelt_denial found;
	char *copy;
	int rc;

	/* output of the log program that is not an event */
	if (length == 0 || *line != '{')
		return 0;
	rc = json_read(arena, "log", line, length, &value, err);
	if (rc < 0)
		return rc == -CORDON_E_MEMORY ? rc : 0;
	message = value->type == JSON_OBJECT && is_kernels(value)
			  ? json_member(value, "eventMessage")
			  : NULL;
	if (message == NULL || message->type != JSON_STRING)
		return 0;
	copy = arena_strdup(arena, message->string, err);
	if (copy == NULL)
		return -CORDON_E_MEMORY;
	if (!read_message(copy, tag, &found))
		return 0;
	*ret = found;
	return 1;
}

int
denial_parse_command(struct arena *arena, const char *tag, const char *ret_argv[DENIALS_ARGUMENTS],
		     struct cordon_error *err)
{
	/* by absolute path: PATH may lead to any program */
	const char *predicate =
		arena_printf(arena, err,
			     "processID == 0 AND senderImagePath ENDSWITH \"/Sandbox\" AND "
			     "eventMessage ENDSWITH \"%s\"",
			     tag);
	const char *const argv[DENIALS_ARGUMENTS] = {"/usr/bin/log", "stream",	"--style", "ndjson",
						     "--predicate",  predicate, NULL};

	if (predicate == NULL)
		return -CORDON_E_MEMORY;
	memcpy(ret_argv, argv, sizeof argv);
	return 0;
}
