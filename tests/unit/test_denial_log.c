// SPDX-License-Identifier: MIT
/*
 * Reports of Seatbelt as macOS logs them, line by line: which are a session's own, and what they say.
 * The lines have the forms that programs which read this log have published.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "macos/denial_log.h"
#include "macos/sbpl/denial_parse.h"
#include "tap.h"

#define TAG "cordon-0123456789abcdef"
#define EVENT(message)                                                                             \
	"{\"timestamp\":\"2026-01-31 12:00:00.000000+0100\",\"messageType\":\"Error\","            \
	"\"eventMessage\":\"" message                                                              \
	"\",\"processID\":0,\"senderImagePath\":\"\\/System\\/Library\\/Extensions\\/Sandbox.kext" \
	"\\/Contents\\/MacOS\\/Sandbox\",\"eventType\":\"logEvent\"}"

static int
read_line(struct arena *arena, const char *line, struct seatbelt_denial *ret)
{
	struct cordon_error err = {0};

	return denial_parse(arena, line, strlen(line), TAG, ret, &err);
}

static void
reports_are_parsed(void)
{
	static const struct {
		const char *line, *process, *operation, *subject;
		int pid, right;
		unsigned long repeated;
	} cases[] = {
		{EVENT("Sandbox: cat(4711) deny(1) file-read-data \\/Users\\/sam\\/.ssh\\/id\\n" TAG),
		 "cat", "file-read-data", "/Users/sam/.ssh/id", 4711, 0, 0},
		{EVENT("Sandbox: touch(12) deny(1) file-write-create \\/Users\\/sam\\/a b\\n" TAG),
		 "touch", "file-write-create", "/Users/sam/a b", 12, 2, 0},
		{EVENT("Sandbox: rm(12) deny(1) file-write-unlink \\/x\\n" TAG), "rm",
		 "file-write-unlink", "/x", 12, 3, 0},
		{EVENT("Sandbox: chmod(12) deny(1) file-write-mode \\/x\\n" TAG), "chmod",
		 "file-write-mode", "/x", 12, 1, 0},
		{EVENT("Sandbox: sh(12) deny(1) process-exec* \\/opt\\/x\\n" TAG), "sh",
		 "process-exec*", "/opt/x", 12, 4, 0},
		{EVENT("Sandbox: Google Chrome He(99) deny(1) mach-lookup com.apple.x\\n" TAG),
		 "Google Chrome He", "mach-lookup", "com.apple.x", 99, -1, 0},
		{EVENT("Sandbox: a (b)(7) deny(1) network-outbound *:443\\n" TAG), "a (b)",
		 "network-outbound", "*:443", 7, -1, 0},
		{EVENT("3 duplicate reports for Sandbox: cat(4711) deny(1) file-read-data \\/x\\n" TAG),
		 "cat", "file-read-data", "/x", 4711, 0, 3},
		{EVENT("1 duplicate report for Sandbox: cat(4711) deny(1) file-read-data \\/x\\n" TAG),
		 "cat", "file-read-data", "/x", 4711, 0, 1},
		{EVENT("Sandbox: ps(5) deny(1) process-info-listpids\\n" TAG), "ps",
		 "process-info-listpids", "", 5, -1, 0},
		{EVENT("Sandbox: cat(5) deny(1) file-read-data \\/a\\nb deny(1) x\\n" TAG), "cat",
		 "file-read-data", "/a\nb deny(1) x", 5, 0, 0},
		/* names and subjects that look like reports */
		{EVENT("Sandbox: a(5) deny(1) f (7) deny(1) file-read-data \\/x\\n" TAG),
		 "a(5) deny(1) f ", "file-read-data", "/x", 7, 0, 0},
		{EVENT("Sandbox: a(5) deny(1) x(7) deny(1) file-read-data \\/x\\n" TAG),
		 "a(5) deny(1) x", "file-read-data", "/x", 7, 0, 0},
		{EVENT("Sandbox: a(5) deny(1) lsopen \\/(9) deny(1) file-read-data \\/x\\n" TAG),
		 "a", "lsopen", "/(9) deny(1) file-read-data /x", 5, -1, 0},
		{EVENT("Sandbox: a name of more than sixteen(5) deny(1) signal\\n" TAG),
		 "a name of more than sixteen", "signal", "", 5, -1, 0},
		{EVENT("Sandbox: cat(5) deny(1) file-read-data \\/caf\\u00e9\\n" TAG "\\n"), "cat",
		 "file-read-data", "/caf\xc3\xa9", 5, 0, 0},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		auto_arena struct arena arena = {0};
		struct seatbelt_denial denial = {0};

		check_int(read_line(&arena, cases[i].line, &denial), 1);
		check_str(denial.process, cases[i].process);
		check_str(denial.operation, cases[i].operation);
		check_str(denial.subject, cases[i].subject);
		check_int(denial.pid, cases[i].pid);
		check_int(denial.right, cases[i].right);
		check_int(denial.repeated, cases[i].repeated);
	}
}

static void
other_reports_are_ignored(void)
{
	static const char *const lines[] = {
		"",
		"Filtering the log data using \"eventMessage ENDSWITH \\\"x\\\"\"",
		"{",
		"{}",
		"[]",
		"{\"eventMessage\":1}",
		"{\"eventMessage\":null}",
		/* another session's, and none */
		EVENT("Sandbox: cat(5) deny(1) file-read-data \\/x\\ncordon-ffffffffffffffff"),
		EVENT("Sandbox: cat(5) deny(1) file-read-data \\/x"),
		/* the tag as part of a name is no tag */
		EVENT("Sandbox: cat(5) deny(1) file-read-data \\/" TAG),
		EVENT("Sandbox: cat(5) deny(1) file-read-data \\/x\\n" TAG "0"),
		EVENT("Sandbox: cat(5) deny(1) file-read-data \\/x\\n0" TAG),
		EVENT("Sandbox: cat(5) allow file-read-data \\/x\\n" TAG),
		EVENT("Sandbox: cat(x) deny(1) file-read-data \\/x\\n" TAG),
		EVENT("Sandbox: cat() deny(1) file-read-data \\/x\\n" TAG),
		EVENT("Sandbox: cat(-5) deny(1) file-read-data \\/x\\n" TAG),
		EVENT("Sandbox: cat deny(1) file-read-data \\/x\\n" TAG),
		EVENT("Sandbox: cat(5) deny(1)\\n" TAG),
		EVENT("Sandbox: cat(5) deny() file-read-data \\/x\\n" TAG),
		EVENT("Sandbox: cat(5) deny(1) File_Read \\/x\\n" TAG),
		EVENT("cat(5) deny(1) file-read-data \\/x\\n" TAG),
		/* another writer: the kernel is 0 */
		"{\"eventMessage\":\"Sandbox: cat(5) deny(1) file-read-data \\/x\\n" TAG
		"\",\"processID\":5}",
		"{\"eventMessage\":\"Sandbox: cat(5) deny(1) file-read-data \\/x\\n" TAG
		"\",\"processID\":\"0\"}",
		"{\"eventMessage\":\"Sandbox: cat(5) deny(1) file-read-data \\/x\\n" TAG "\"}",
		EVENT(TAG),
		EVENT("\\n" TAG),
		/* what every program tries */
		EVENT("Sandbox: cat(5) deny(1) file-read-data \\/dev\\/dtracehelper\\n" TAG),
		EVENT("Sandbox: cat(5) deny(1) file-write-data \\/dev\\/oslog\\n" TAG),
	};

	for (size_t i = 0; i < COUNT(lines); i++) {
		auto_arena struct arena arena = {0};
		struct seatbelt_denial denial = {.pid = 1};

		check_int(read_line(&arena, lines[i], &denial), 0);
		check_int(denial.pid, 1);
	}
}

static void
the_log_is_filtered_by_the_tag(void)
{
	auto_arena struct arena arena = {0};
	const char *argv[DENIALS_ARGUMENTS];

	check_int(denial_parse_command(&arena, TAG, argv, NULL), 0);
	check_str(argv[0], "/usr/bin/log");
	check_str(argv[1], "stream");
	check_str(argv[3], "ndjson");
	check_str(argv[5], "processID == 0 AND senderImagePath ENDSWITH \"/Sandbox\" AND "
			   "eventMessage ENDSWITH \"" TAG "\"");
	check(argv[6] == NULL);
}

/* ---- the process that follows the log ---- */

#define ID "0123456789abcdef"
/* As printf(1) of a shell prints it. */
#define PRINTED(subject)                                                                  \
	"{\"eventMessage\":\"Sandbox: cat(7) deny(1) file-read-data " subject "\\\\n" TAG \
	"\",\"processID\":0}\\n"

struct scene {
	char folder[200], log[4096];
	int life;
};

static void
scene_start(struct scene *scene, const char *script, int late_ms)
{
	const char *tmp = getenv("TMPDIR");
	char whole[8192];
	const char *const argv[] = {"/bin/sh", "-c", whole, NULL};
	const struct reporter reporter = {scene->folder, ID, TAG, argv, late_ms};

	snprintf(scene->folder, sizeof scene->folder, "%.150s/log.XXXXXX",
		 tmp != NULL ? tmp : "/tmp");
	check(mkdtemp(scene->folder) != NULL);
	snprintf(whole, sizeof whole, "echo $$ >%s/pid; %s", scene->folder, script);
	scene->life = denial_log_start(&reporter);
	check(scene->life >= 0);
	check(fcntl(scene->life, F_GETFD) & FD_CLOEXEC);
}

/* The whole log, however many days it has; it was made by then or is empty. */
static const char *
scene_log(struct scene *scene)
{
	char command[400];
	size_t length = 0;
	FILE *file;

	snprintf(command, sizeof command,
		 "cat %s/audit/*.log 2>/dev/null | cut -c 1-220 | tail -n 15", scene->folder);
	file = popen(command, "r");
	if (file != NULL) {
		length = fread(scene->log, 1, sizeof scene->log - 1, file);
		pclose(file);
	}
	scene->log[length] = '\0';
	return scene->log;
}

static bool
scene_says(struct scene *scene, const char *text)
{
	for (int i = 0; i < 600; i++) {
		if (strstr(scene_log(scene), text) != NULL)
			return true;
		usleep(100000);
	}
	printf("# %s expected in: %s\n", text, scene->log);
	return false;
}

/* False when it still lives after a minute. */
static bool
log_has_ended(const struct scene *scene)
{
	char name[240], text[20] = "";
	long pid;
	FILE *file;

	snprintf(name, sizeof name, "%s/pid", scene->folder);
	file = fopen(name, "r");
	check(file != NULL && fgets(text, sizeof text, file) != NULL);
	if (file != NULL)
		fclose(file);
	pid = strtol(text, NULL, 10);
	check(pid > 1);
	for (int i = 0; pid > 1 && i < 600; i++) {
		if (kill((pid_t)pid, 0) < 0 && errno == ESRCH)
			return true;
		usleep(100000);
	}
	return false;
}

static void
scene_end(struct scene *scene)
{
	char command[300];

	if (scene->life >= 0)
		close(scene->life);
	check(log_has_ended(scene));
	snprintf(command, sizeof command, "rm -rf %s", scene->folder);
	check_int(system(command), 0);
}

static void
each_denial_is_in_the_audit_log_once(void)
{
	struct scene scene;

	scene_start(&scene,
		    "printf '" PRINTED("/a") PRINTED("/a") PRINTED("/b \\\\\" c") PRINTED("/a")
			    PRINTED("/last") "'; exec sleep 1000",
		    0);
	check(scene_says(&scene, "\"path\": \"/last\""));
	check(strstr(scene.log,
		     "\"session\": \"" ID "\", \"event\": \"denied\", "
		     "\"operation\": \"file-read-data\", \"right\": \"read\", "
		     "\"path\": \"/b \\\" c\", \"process\": \"cat\", \"pid\": 7}") != NULL);
	check(strstr(scene.log, "\"/a\"") != NULL);
	check(strstr(strstr(scene.log, "\"/a\"") + 1, "\"/a\"") == NULL);
	scene_end(&scene);
}

/* Late, and after a line that no report can be. */
static void
reports_after_the_end_are_read(void)
{
	struct scene scene;

	scene_start(&scene,
		    "head -c 200000 /dev/zero | tr '\\0' x; echo; printf '" PRINTED("/x") "'; exit",
		    600000);
	close(scene.life);
	scene.life = -1;
	check(scene_says(&scene, "\"path\": \"/x\""));
	scene_end(&scene);
}

static void
a_log_that_cannot_be_read_is_reported(void)
{
	struct scene scene;

	scene_start(&scene, "echo \"log: Must be admin to run 'stream' command\" >&2; exit 77", 0);
	check(scene_says(&scene, "\"event\": \"denials not reported\", \"reason\": "
				 "\"log: Must be admin to run 'stream' command\"}"));
	scene_end(&scene);
}

static void
denials_cannot_fill_the_audit_log(void)
{
	struct scene scene;

	scene_start(&scene,
		    "i=0; while [ $i -lt 1050 ]; do printf '" PRINTED(
			    "/'$i'") "'; i=$((i + 1)); done; exec sleep 1000",
		    0);
	check(scene_says(&scene, "\"denials not reported\", \"reason\": \"there were more"));
	check(strstr(scene.log, "\"/999\"") != NULL);
	check(strstr(scene.log, "\"/1000\"") == NULL);
	scene_end(&scene);
}

/* It is not our child, and holds nothing of ours open. */
static void
the_reporter_is_no_child_of_the_session(void)
{
	struct scene scene;
	struct pollfd end = {.events = POLLIN};
	int ends[2];
	char byte;

	check_int(pipe(ends), 0);
	scene_start(&scene, "exec sleep 1000", 0);
	check_int(waitpid(-1, NULL, WNOHANG), -1);
	check_int(errno, ECHILD);
	close(ends[1]);
	end.fd = ends[0];
	check_int(poll(&end, 1, 60000), 1);
	check_int(read(ends[0], &byte, 1), 0);
	close(ends[0]);
	for (int i = 0; i < 600 && access(scene.folder, F_OK) == 0; i++) {
		char name[240];

		snprintf(name, sizeof name, "%s/pid", scene.folder);
		if (access(name, F_OK) == 0)
			break;
		usleep(100000);
	}
	scene_end(&scene);
}

int
main(void)
{
	run(reports_are_parsed);
	run(other_reports_are_ignored);
	run(the_log_is_filtered_by_the_tag);
	run(each_denial_is_in_the_audit_log_once);
	run(reports_after_the_end_are_read);
	run(a_log_that_cannot_be_read_is_reported);
	run(denials_cannot_fill_the_audit_log);
	run(the_reporter_is_no_child_of_the_session);
	return tap_end();
}
