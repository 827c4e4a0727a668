// SPDX-License-Identifier: MIT
/*
 * The lock of names among sessions. Each has a descriptor of its own for one file: who takes it is alone,
 * those who share are together, and the last of a session's threads that leaves lets the others on.
 */
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/path.h"
#include "git/protect/git_repo_cache.h"
#include "host/host.h"
#include "linux/broker/names_lock.h"
#include "tap.h"

#define SHORT_MS 100
#define LONG_MS 10000

static char file[] = "/tmp/test_names_lock.XXXXXX";

/* A session, as far as it matters here, and a thread of it that says when it has got the lock. */
struct session {
	struct names_lock names;
	struct names_hold hold;
	void (*get)(struct names_hold *hold);
	int line[2];
	pthread_t thread;
};

static void
begin(struct session *session, void (*get)(struct names_hold *hold))
{
	*session = (struct session){.get = get};
	names_lock_start(&session->names);
	session->hold.names = &session->names;
	session->names.others = open(file, O_RDWR | O_CLOEXEC);
	check(session->names.others >= 0);
	check_int(pipe(session->line), 0);
}

static void *
get_and_say(void *argument)
{
	struct session *session = argument;

	session->get(&session->hold);
	check_int(write(session->line[1], "g", 1), 1);
	names_unlock(&session->hold);
	return NULL;
}

static bool
has_got_it(const struct session *session, int within_ms)
{
	struct pollfd said = {.fd = session->line[0], .events = POLLIN};

	return poll(&said, 1, within_ms) == 1;
}

static void
end(struct session *session)
{
	close(session->names.others);
	close(session->line[0]);
	close(session->line[1]);
}

/* Does the second wait as long as the first has it, and no longer? */
static bool
waits(void (*first)(struct names_hold *hold), void (*second)(struct names_hold *hold))
{
	struct session one, two;
	bool waited;

	begin(&one, first);
	begin(&two, second);
	one.get(&one.hold);
	check_int(pthread_create(&two.thread, NULL, get_and_say, &two), 0);
	waited = !has_got_it(&two, SHORT_MS);
	names_unlock(&one.hold);
	check(has_got_it(&two, LONG_MS));
	check_int(pthread_join(two.thread, NULL), 0);
	end(&one);
	end(&two);
	return waited;
}

static void
the_exclusive_lock_excludes_all_others(void)
{
	check(waits(names_wrlock, names_wrlock));
	check(waits(names_wrlock, names_rdlock));
	check(waits(names_rdlock, names_wrlock));
}

static void
the_shared_lock_admits_others(void)
{
	struct session one, two;

	begin(&one, names_rdlock);
	begin(&two, names_rdlock);
	names_rdlock(&one.hold);
	check_int(pthread_create(&two.thread, NULL, get_and_say, &two), 0);
	check(has_got_it(&two, LONG_MS));
	check_int(pthread_join(two.thread, NULL), 0);
	names_unlock(&one.hold);
	end(&one);
	end(&two);
}

static void
the_last_thread_releases_the_file_lock(void)
{
	struct session one;
	int other = open(file, O_RDWR | O_CLOEXEC);

	begin(&one, names_rdlock);
	names_rdlock(&one.hold);
	names_rdlock(&one.hold);
	names_unlock(&one.hold);
	check_int(flock(other, LOCK_EX | LOCK_NB), -1);
	names_unlock(&one.hold);
	check_int(flock(other, LOCK_EX | LOCK_NB), 0);
	close(other);
	end(&one);
}

static void
other_sessions_see_the_generation(void)
{
	struct session one, two;

	begin(&one, names_wrlock);
	begin(&two, names_rdlock);
	names_rdlock(&two.hold);
	names_unlock(&two.hold);
	names_wrlock(&one.hold);
	names_unlock(&one.hold);
	check(one.names.generation != two.names.generation);
	names_rdlock(&two.hold);
	names_unlock(&two.hold);
	check(one.names.generation == two.names.generation);
	end(&one);
	end(&two);
}

/* Lent by one, had by the other for a moment: does it count as disturbed? */
static bool
disturbs(void (*one_has)(struct names_hold *hold), void (*other_gets)(struct names_hold *hold))
{
	struct names_lock_loan loan;
	struct session one, two;
	bool is_as_it_was;

	begin(&one, one_has);
	begin(&two, other_gets == NULL ? names_rdlock : other_gets);
	one.get(&one.hold);
	check(names_suspend(&one.hold, &loan));
	if (other_gets != NULL) {
		check_int(pthread_create(&two.thread, NULL, get_and_say, &two), 0);
		check(has_got_it(&two, LONG_MS));
		check_int(pthread_join(two.thread, NULL), 0);
	}
	is_as_it_was = names_resume(&one.hold, &loan);
	check_int(flock(two.names.others, LOCK_EX | LOCK_NB), -1);
	names_unlock(&one.hold);
	check_int(flock(two.names.others, LOCK_EX | LOCK_NB), 0);
	end(&one);
	end(&two);
	return !is_as_it_was;
}

static void
a_change_during_a_suspension_is_detected(void)
{
	check(!disturbs(names_wrlock, NULL));
	check(!disturbs(names_rdlock, NULL));
	check(disturbs(names_wrlock, names_wrlock));
	check(disturbs(names_wrlock, names_rdlock));
	check(disturbs(names_rdlock, names_wrlock));
	check(!disturbs(names_rdlock, names_rdlock));
}

static void
suspending_without_the_lock_does_nothing(void)
{
	struct names_lock_loan loan;
	struct session one;

	begin(&one, names_rdlock);
	check(!names_suspend(&one.hold, &loan));
	names_rdlock(&one.hold);
	names_unlock(&one.hold);
	check(!names_suspend(&one.hold, &loan));
	end(&one);
}

static void
without_a_file_other_sessions_are_unknown(void)
{
	struct names_lock names = {0};
	struct names_hold hold = {.names = &names};

	names_lock_start(&names);
	names_wrlock(&hold);
	names_unlock(&hold);
	names_rdlock(&hold);
	names_unlock(&hold);
	check_int((long long)names.generation, 0);
}

/* ---- what the others remember ---- */

static bool
is_closed(struct git_repo_cache *memory, const struct host *host)
{
	auto_arena struct arena arena = {0};
	struct git_repo_query q = {.path = path_join(&arena, host->project, "t/pre-commit", NULL),
				   .top = strlen(host->project)};

	return git_repo_cache_lookup(memory, host, &q) != NULL;
}

/* Settings that change in this turn of one session; what does the other know? */
static void
change(struct session *one, const char *project, const char *place, int turns)
{
	char path[PATH_MAX], command[PATH_MAX + 64];

	snprintf(path, sizeof path, "%s/%s", project, place == NULL ? "" : place);
	snprintf(command, sizeof command,
		 "printf '[core]\n\thooksPath = ../t\n' >'%s/w/.git/config'", project);
	for (int i = 0; i < turns; i++) {
		names_wrlock(&one->hold);
		if (place != NULL)
			names_lock_changes(&one->names, i == 0 ? path : "/elsewhere", NULL);
		check_int(i > 0 ? 0 : system(command), 0);
		names_unlock(&one->hold);
	}
}

/* The place of the change, whichever of two it is; none is said; there were too many to be noted. */
static void
a_change_of_one_session_invalidates_the_cache_of_the_other(void)
{
	static const struct {
		const char *place;
		int turns;
	} ways[] = {{"w/.git/config", 1}, {"w", 16}, {NULL, 1}, {"w/.git/config", 40}};
	static const char *const none[] = {NULL};
	char project[] = "/tmp/test_names_lock.d.XXXXXX", command[128];
	struct host host = {.system = SYSTEM_LINUX,
			    .cwd = project,
			    .project = project,
			    .environ = none,
			    .view = &fs_real};

	check(mkdtemp(project) != NULL);
	for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
		struct session one, two;

		snprintf(command, sizeof command, "mkdir -p %s/w/.git %s/t; : >%s/w/.git/config",
			 project, project, project);
		check_int(system(command), 0);
		begin(&one, names_wrlock);
		begin(&two, names_rdlock);
		two.names.memory = git_repo_cache_new(NULL);
		names_rdlock(&two.hold);
		names_unlock(&two.hold);
		check(!is_closed(two.names.memory, &host));
		change(&one, project, ways[i].place, ways[i].turns);
		names_rdlock(&two.hold);
		check(is_closed(two.names.memory, &host));
		names_unlock(&two.hold);
		git_repo_cache_free(two.names.memory);
		end(&one);
		end(&two);
	}
	snprintf(command, sizeof command, "rm -rf %s", project);
	check_int(system(command), 0);
}

int
main(void)
{
	int fd = mkstemp(file);

	check(fd >= 0);
	run(the_exclusive_lock_excludes_all_others);
	run(the_shared_lock_admits_others);
	run(the_last_thread_releases_the_file_lock);
	run(other_sessions_see_the_generation);
	run(a_change_during_a_suspension_is_detected);
	run(suspending_without_the_lock_does_nothing);
	run(without_a_file_other_sessions_are_unknown);
	run(a_change_of_one_session_invalidates_the_cache_of_the_other);
	close(fd);
	unlink(file);
	return tap_end();
}
