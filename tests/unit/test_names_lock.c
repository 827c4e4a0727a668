// SPDX-License-Identifier: MIT
/*
 * The lock of names among sessions. Each has a descriptor of its own for one file: who takes it is alone,
 * those who share are together, and the last of a session's threads that leaves lets the others on.
 */
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/path.h"
#include "git/protect/git_repo_cache.h"
#include "host/host.h"
#include "linux/broker/names_lock.h"
#include "linux/landlock/ruleset.h"
#include "tap.h"

#define SHORT_MS 100
#define LONG_MS 10000

static char file[] = "/tmp/test_names_lock.XXXXXX";

/* A session, as far as it matters here, and a thread of it that says when it has got the lock. */
struct session {
	struct names_lock names;
	struct names_use use;
	void (*get)(struct names_use *use);
	int line[2];
	pthread_t thread;
};

static void
rdlock(struct names_use *use)
{
	names_lock_read(use, NAMES_ALL);
}

static void
wrlock(struct names_use *use)
{
	names_lock_write(use, NAMES_ALL, NULL);
}

static void
begin(struct session *session, void (*get)(struct names_use *use))
{
	*session = (struct session){.get = get};
	names_lock_start(&session->names);
	session->use.names = &session->names;
	names_lock_join(&session->names, open(file, O_RDWR | O_CLOEXEC));
	check_int(session->names.line_count, NAMES_LINES);
	check_int(pipe(session->line), 0);
}

static void *
get_and_say(void *argument)
{
	struct session *session = argument;

	session->get(&session->use);
	check_int(write(session->line[1], "g", 1), 1);
	names_lock_release(&session->use);
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
	names_lock_leave(&session->names);
	close(session->line[0]);
	close(session->line[1]);
}

/* Does the second wait as long as the first has it, and no longer? */
static bool
waits(void (*first)(struct names_use *use), void (*second)(struct names_use *use))
{
	struct session one, two;
	bool waited;

	begin(&one, first);
	begin(&two, second);
	one.get(&one.use);
	check_int(pthread_create(&two.thread, NULL, get_and_say, &two), 0);
	waited = !has_got_it(&two, SHORT_MS);
	names_lock_release(&one.use);
	check(has_got_it(&two, LONG_MS));
	check_int(pthread_join(two.thread, NULL), 0);
	end(&one);
	end(&two);
	return waited;
}

static void
the_exclusive_lock_excludes_all_others(void)
{
	check(waits(wrlock, wrlock));
	check(waits(wrlock, rdlock));
	check(waits(rdlock, wrlock));
}

static void
the_shared_lock_admits_others(void)
{
	struct session one, two;

	begin(&one, rdlock);
	begin(&two, rdlock);
	rdlock(&one.use);
	check_int(pthread_create(&two.thread, NULL, get_and_say, &two), 0);
	check(has_got_it(&two, LONG_MS));
	check_int(pthread_join(two.thread, NULL), 0);
	names_lock_release(&one.use);
	end(&one);
	end(&two);
}

/* Does no session hold the lock of any name? */
static bool
is_free(void)
{
	struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	int fd = open(file, O_RDWR | O_CLOEXEC), rc = fcntl(fd, F_OFD_SETLK, &all);

	close(fd);
	return rc == 0;
}

static void
the_last_thread_releases_the_file_lock(void)
{
	struct session one;
	struct names_use other = {.names = &one.names};

	begin(&one, rdlock);
	rdlock(&one.use);
	rdlock(&other);
	names_lock_release(&one.use);
	check(!is_free());
	names_lock_release(&other);
	check(is_free());
	end(&one);
}

/* ---- projects ---- */

static const char mounts[] = "1 1 8:1 / / rw - ext4 /dev/a rw\n";

/* Two sessions, each with a project of its own, and the lock of a path in it. */
static struct brokered_trees trees[2];
static const char *projects[2], *paths[2];

static void
first_wrlock(struct names_use *use)
{
	names_lock_write(use, paths[0], NULL);
}

static void
second_rdlock(struct names_use *use)
{
	names_lock_read(use, NULL);
	while (!names_lock_covers(use, paths[1])) {
		names_lock_release(use);
		names_lock_read(use, paths[1]);
	}
}

static void
begin_in(struct session *session, int which, void (*get)(struct names_use *use))
{
	begin(session, get);
	trees[which].changes = (struct path_set){&projects[which], 1};
	session->names.trees = &trees[which];
	names_range_read(&session->names.mounts, mounts);
	/* what was locked before */
	session->names.last = (struct names_ranges){.count = 0};
	names_range_add(&session->names.mounts, projects[which], strlen(projects[which]),
			&session->names.last);
}

/* Does a session in one project wait for one in the other? */
static bool
waits_for(const char *project, const char *path, const char *other, const char *others_path)
{
	struct session one, two;
	bool waited;

	projects[0] = project;
	paths[0] = path;
	projects[1] = other;
	paths[1] = others_path;
	begin_in(&one, 0, first_wrlock);
	begin_in(&two, 1, second_rdlock);
	one.get(&one.use);
	check_int(pthread_create(&two.thread, NULL, get_and_say, &two), 0);
	waited = !has_got_it(&two, SHORT_MS);
	names_lock_release(&one.use);
	check(has_got_it(&two, LONG_MS));
	check_int(pthread_join(two.thread, NULL), 0);
	end(&one);
	end(&two);
	return waited;
}

static void
sessions_wait_only_where_their_projects_overlap(void)
{
	check(!waits_for("/home/u/p", "/home/u/p/d", "/home/u/q", "/home/u/q/f"));
	check(waits_for("/home/u/p", "/home/u/p/d", "/home/u/p", "/home/u/p/d/f"));
	check(waits_for("/home/u/p", "/home/u/p/d", "/home/u/p", "/home/u/p/e"));
	check(waits_for("/home/u", "/home/u/q", "/home/u/p", "/home/u/p/d"));
	check(waits_for("/home/u/p/in", "/home/u/p/in/d", "/home/u", "/home/u/f"));
	check(waits_for("/home/u/p", NAMES_ALL, "/home/u/q", "/home/u/q/f"));
	/* not below a granted directory: its own one */
	check(!waits_for("/home/u/p", "/home/u/p/d", "/home/u/q", "/dev/null"));
}

/* A path that moved to another project since the last call of the session. */
static void
a_lock_that_does_not_cover_the_path_is_noticed(void)
{
	struct session one;

	projects[0] = "/home/u/p";
	begin_in(&one, 0, first_wrlock);
	names_lock_read(&one.use, NULL);
	check(names_lock_covers(&one.use, "/home/u/p/f"));
	check(names_lock_covers(&one.use, "/home/u/p/d/f"));
	check(!names_lock_covers(&one.use, "/home/u/q/f"));
	check(!names_lock_covers(&one.use, "/home/u/f"));
	names_lock_release(&one.use);
	end(&one);
}

/* ---- many shared holders ---- */

#define STREAMS 3

struct stream {
	struct session *session;
	bool *is_over;
	pthread_t thread;
};

static void *
share_again_and_again(void *argument)
{
	const struct stream *stream = argument;
	struct names_use use = {.names = &stream->session->names};

	while (!__atomic_load_n(stream->is_over, __ATOMIC_SEQ_CST)) {
		rdlock(&use);
		clock_sleep_us(2000);
		names_lock_release(&use);
	}
	return NULL;
}

/* At nearly any time one of the threads holds the lock; the kernel would let them in before the other. */
static void
shared_holders_do_not_keep_an_exclusive_one_out(void)
{
	struct stream streams[STREAMS];
	struct session one, two;
	bool is_over = false;

	begin(&one, wrlock);
	begin(&two, rdlock);
	for (int i = 0; i < STREAMS; i++) {
		streams[i] = (struct stream){.session = &two, .is_over = &is_over};
		check_int(pthread_create(&streams[i].thread, NULL, share_again_and_again,
					 &streams[i]),
			  0);
		clock_sleep_us(700);
	}
	check_int(pthread_create(&one.thread, NULL, get_and_say, &one), 0);
	check(has_got_it(&one, LONG_MS));
	__atomic_store_n(&is_over, true, __ATOMIC_SEQ_CST);
	check_int(pthread_join(one.thread, NULL), 0);
	for (int i = 0; i < STREAMS; i++)
		check_int(pthread_join(streams[i].thread, NULL), 0);
	end(&one);
	end(&two);
}

static void
other_sessions_see_the_generation(void)
{
	struct session one, two;

	begin(&one, wrlock);
	begin(&two, rdlock);
	rdlock(&two.use);
	names_lock_release(&two.use);
	wrlock(&one.use);
	names_lock_release(&one.use);
	check(one.names.generation != two.names.generation);
	rdlock(&two.use);
	names_lock_release(&two.use);
	check(one.names.generation == two.names.generation);
	end(&one);
	end(&two);
}

/* Lent by one, had by the other for a moment: does it count as disturbed? */
static bool
disturbs(void (*one_has)(struct names_use *use), void (*other_gets)(struct names_use *use))
{
	struct names_lock_loan loan;
	struct session one, two;
	bool is_as_it_was;

	begin(&one, one_has);
	begin(&two, other_gets == NULL ? rdlock : other_gets);
	one.get(&one.use);
	check(names_lock_suspend(&one.use, &loan));
	if (other_gets != NULL) {
		check_int(pthread_create(&two.thread, NULL, get_and_say, &two), 0);
		check(has_got_it(&two, LONG_MS));
		check_int(pthread_join(two.thread, NULL), 0);
	}
	is_as_it_was = names_lock_resume(&one.use, &loan);
	check(!is_free());
	names_lock_release(&one.use);
	check(is_free());
	end(&one);
	end(&two);
	return !is_as_it_was;
}

static void
a_change_during_a_suspension_is_detected(void)
{
	check(!disturbs(wrlock, NULL));
	check(!disturbs(rdlock, NULL));
	check(disturbs(wrlock, wrlock));
	check(disturbs(wrlock, rdlock));
	check(disturbs(rdlock, wrlock));
	check(!disturbs(rdlock, rdlock));
}

static void
suspending_without_the_lock_does_nothing(void)
{
	struct names_lock_loan loan;
	struct session one;

	begin(&one, rdlock);
	check(!names_lock_suspend(&one.use, &loan));
	rdlock(&one.use);
	names_lock_release(&one.use);
	check(!names_lock_suspend(&one.use, &loan));
	end(&one);
}

static void
without_a_file_other_sessions_are_unknown(void)
{
	struct names_lock names = {0};
	struct names_use use = {.names = &names};

	names_lock_start(&names);
	wrlock(&use);
	names_lock_release(&use);
	rdlock(&use);
	names_lock_release(&use);
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
change(struct session *one, const char *project, const char *changed, int turns)
{
	char path[PATH_MAX], command[PATH_MAX + 64];

	snprintf(path, sizeof path, "%s/%s", project, changed == NULL ? "" : changed);
	snprintf(command, sizeof command,
		 "printf '[core]\n\thooksPath = ../t\n' >'%s/w/.git/config'", project);
	for (int i = 0; i < turns; i++) {
		wrlock(&one->use);
		if (changed != NULL)
			names_lock_changes(&one->names, i == 0 ? path : "/elsewhere", NULL);
		check_int(i > 0 ? 0 : system(command), 0);
		names_lock_release(&one->use);
	}
}

/* The place of the change, whichever of two it is; none is said; there were too many to be noted. */
static void
a_change_of_one_session_invalidates_the_cache_of_the_other(void)
{
	static const struct {
		const char *changed;
		int turns;
	} ways[] = {{"w/.git/config", 1}, {"w", 16}, {NULL, 1}, {"w/.git/config", 100}};
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
		begin(&one, wrlock);
		begin(&two, rdlock);
		two.names.memory = git_repo_cache_new(NULL);
		rdlock(&two.use);
		names_lock_release(&two.use);
		check(!is_closed(two.names.memory, &host));
		change(&one, project, ways[i].changed, ways[i].turns);
		rdlock(&two.use);
		check(is_closed(two.names.memory, &host));
		names_lock_release(&two.use);
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
	run(sessions_wait_only_where_their_projects_overlap);
	run(a_lock_that_does_not_cover_the_path_is_noticed);
	run(shared_holders_do_not_keep_an_exclusive_one_out);
	run(other_sessions_see_the_generation);
	run(a_change_during_a_suspension_is_detected);
	run(suspending_without_the_lock_does_nothing);
	run(without_a_file_other_sessions_are_unknown);
	run(a_change_of_one_session_invalidates_the_cache_of_the_other);
	close(fd);
	unlink(file);
	return tap_end();
}
