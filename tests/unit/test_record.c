// SPDX-License-Identifier: MIT
/*
 * Records of live sessions: what is written comes back, the lock tells the living from the dead,
 * and a hostile record removes nothing but itself.
 */
#include <errno.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/wait.h>

#include "base/str.h"
#include "explain/print_text.h"
#include "session/record.h"
#include "world.h"

#define ID "0123456789abcdef"
#define PROXY "8a2f0123456789abcdef0123456789abcdef"
#define HASH "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

static const char *words[] = {"sh", "-c", "echo \"\033[1m\"\n"};
static const char *gaps[] = {"process.listing"};

static struct record
sample(void)
{
	return (struct record){
		.id = ID,
		.name = "web",
		.since = 1700000000,
		.supervisor = {12, 34},
		.command = {words, 3},
		.project = "/home/me/a \"b\"",
		.gaps = {gaps, 1},
		.policy = HASH,
		.token = HASH,
		.proxy = PROXY,
	};
}

/* The folder of a world, made. */
static int
folder_of(struct world *world, char *path)
{
	int fd = record_folder(NULL, world->host.state_dir, true, path, &world->err);

	check(fd >= 0);
	return fd;
}

static enum record_state
look(int folder, struct arena *arena, struct record *ret)
{
	*ret = (struct record){0};
	return record_look(arena, folder, ID, ret);
}

static bool
exists(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0;
}

static void
a_written_record_is_read_back(void)
{
	auto_world struct world world;
	char path[PATH_MAX];
	struct record record = sample(), back;
	struct record_file file;
	int folder;

	world_make(&world);
	folder = folder_of(&world, path);
	check_int(record_make(folder, path, &record, &file, NULL), 0);
	check_int(look(folder, &world.arena, &back), RECORD_LIVE);
	check_str(back.id, ID);
	check_str(back.name, "web");
	check_int(back.since, 1700000000);
	check_int(back.supervisor.pid, 12);
	check_int(back.supervisor.started, 34);
	check_int(back.guard.pid, 0);
	check_int(back.command.count, 3);
	check_str(back.command.count == 3 ? back.command.items[2] : "", words[2]);
	check_str(back.project, record.project);
	check_int(back.gaps.count, 1);
	check_str(back.cgroup, NULL);
	check_str(back.tmp, NULL);
	check_str(back.policy, HASH);
	check_str(back.token, HASH);
	check_str(back.proxy, PROXY);
	record_remove(&file);
	check_int(look(folder, &world.arena, &back), RECORD_GONE);
	close(folder);
}

static void
the_guard_is_written_in_place(void)
{
	auto_world struct world world;
	char path[PATH_MAX];
	struct record record = sample(), back;
	struct process guard = {INT_MAX, (1ull << 53) - 1};
	struct record_file file;
	int folder;

	world_make(&world);
	folder = folder_of(&world, path);
	check_int(record_make(folder, path, &record, &file, NULL), 0);
	check_int(record_set_guard(&file, &guard), 0);
	check_int(look(folder, &world.arena, &back), RECORD_LIVE);
	check_int(back.guard.pid, INT_MAX);
	check_int(back.guard.started, (1ull << 53) - 1);
	check_str(back.policy, HASH);
	guard = (struct process){1, 2};
	check_int(record_set_guard(&file, &guard), 0);
	check_int(look(folder, &world.arena, &back), RECORD_LIVE);
	check_int(back.guard.started, 2);
	record_remove(&file);
	close(folder);
}

static void
only_the_user_can_enter(void)
{
	auto_world struct world world;
	char path[PATH_MAX];
	struct record record = sample();
	struct record_file file;
	struct stat st = {0};
	int folder;

	world_make(&world);
	umask(0);
	folder = folder_of(&world, path);
	check_int(record_make(folder, path, &record, &file, NULL), 0);
	umask(022);
	check(fstat(folder, &st) == 0);
	check_int(st.st_mode & 0777, 0700);
	check(fstat(file.fd, &st) == 0);
	check_int(st.st_mode & 0777, 0600);
	check_int(fcntl(file.fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
	record_remove(&file);
	close(folder);
}

/* Two hold it; while either lives it is live. */
static void
the_lock_of_either_process_keeps_it_live(void)
{
	auto_world struct world world;
	char path[PATH_MAX], byte;
	struct record record = sample(), back;
	struct record_file file;
	int folder, ends[2];
	pid_t child;

	world_make(&world);
	folder = folder_of(&world, path);
	check_int(record_make(folder, path, &record, &file, NULL), 0);
	check_int(pipe(ends), 0);
	child = fork();
	if (child == 0) {
		close(ends[1]);
		_exit((int)read(ends[0], &byte, 1));
	}
	close(file.fd);
	check_int(look(folder, &world.arena, &back), RECORD_LIVE);
	close(ends[1]);
	check(waitpid(child, NULL, 0) == child);
	check_int(look(folder, &world.arena, &back), RECORD_REAPED);
	check_int(look(folder, &world.arena, &back), RECORD_GONE);
	close(ends[0]);
	close(folder);
}

/* What a dead record names goes if it is ours, and only then. */
static void
reaping_a_record_removes_its_tmp(void)
{
	static const struct {
		const char *tmp;
		bool goes;
	} cases[] = {
		{"tmp/cordon-aB3xYz", true},	     {"tmp/cordon-aB3xYzz", false},
		{"tmp/cordon-aB3x", false},	     {"tmp/other-aB3xYz", false},
		{"link/cordon-aB3xYz", false},	     {"tmp/cordon-linked", false},
		{"tmp/../tmp/cordon-aB3xYz", false}, {"tmp/cordon-aB3xYz/", false},
		{"tmp/cordon-a_file", false},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		auto_world struct world world;
		char path[PATH_MAX], inside[PATH_MAX];
		struct record record = sample(), back;
		struct record_file file;
		int folder;

		world_make(&world);
		world_dir(&world, "tmp/cordon-aB3xYz/deep");
		world_dir(&world, "tmp/cordon-aB3xYzz/deep");
		world_dir(&world, "tmp/cordon-aB3x/deep");
		world_dir(&world, "tmp/other-aB3xYz/deep");
		check_int(symlink("tmp", world_path(&world, "link")), 0);
		check_int(symlink("cordon-aB3xYz", world_path(&world, "tmp/cordon-linked")), 0);
		write_file(world_path(&world, "tmp/cordon-a_file"), "x");
		folder = folder_of(&world, path);
		record.tmp = world_path(&world, cases[i].tmp);
		check_int(record_make(folder, path, &record, &file, NULL), 0);
		close(file.fd);
		check_int(look(folder, &world.arena, &back), RECORD_REAPED);
		snprintf(inside, sizeof inside, "%s/deep", world_path(&world, "tmp/cordon-aB3xYz"));
		check_int(exists(inside), !cases[i].goes);
		check(exists(world_path(&world, "tmp/cordon-aB3xYzz/deep")));
		check(exists(world_path(&world, "tmp/cordon-aB3x/deep")));
		check(exists(world_path(&world, "tmp/other-aB3xYz/deep")));
		check(exists(world_path(&world, "tmp/cordon-a_file")));
		check(!exists(file.path));
		close(folder);
	}
}

static void
a_live_record_keeps_its_tmp(void)
{
	auto_world struct world world;
	char path[PATH_MAX];
	struct record record = sample(), back, *list;
	struct record_file file;
	size_t count;
	int folder;

	world_make(&world);
	record.tmp = world_dir(&world, "tmp/cordon-aB3xYz");
	folder = folder_of(&world, path);
	check_int(record_make(folder, path, &record, &file, NULL), 0);
	record_sweep(folder);
	check_int(record_list(&world.arena, folder, &list, &count, NULL), 0);
	check_int(count, 1);
	check_int(look(folder, &world.arena, &back), RECORD_LIVE);
	check(exists(record.tmp));
	close(file.fd);
	record_sweep(folder);
	check(!exists(record.tmp));
	check(!exists(file.path));
	close(folder);
}

/* Each with one thing wrong; %s is what the good text has there. */
static const char *const hostile[] = {
	"",
	"{",
	"[]",
	"null",
	"{}",
	"{\"id\": \"" ID "\"}",
	"\"" ID "\"",
	"{\"id\": \"" ID "\", \"id\": \"" ID "\"}",
	"{\"id\": {\"id\": {\"id\": {}}}}",
};

struct change {
	const char *from, *to;
};

static const struct change changes[] = {
	{ID, "0123456789abcdee"},
	{"\"web\"", "\"../web\""},
	{"\"web\"", "\"\""},
	{"\"web\"", "7"},
	{"\"since\": 1700000000", "\"since\": -1"},
	{"\"since\": 1700000000", "\"since\": 1e3"},
	{"\"since\": 1700000000", "\"since\": 1.5"},
	{"\"since\": 1700000000", "\"when\": 1700000000"},
	{"\"project\": \"/", "\"project\": \"./"},
	{"\"tmp\": null", "\"tmp\": \"relative\""},
	{"\"tmp\": null", "\"tmp\": [\"/tmp\"]"},
	{"\"cgroup\": null", "\"cgroup\": \"\""},
	{"\"policy\": \"aa", "\"policy\": \"AA"},
	{"\"policy\": \"aa", "\"policy\": \"a"},
	{"\"token\": \"aa", "\"token\": \"a"},
	{"\"gaps\": [", "\"gaps\": [[], "},
	{"\"gaps\": [", "\"gaps\": [null, "},
	{"\"pid\":          12", "\"pid\": 99999999999"},
	{"\"pid\":          12", "\"pid\": -1"},
	{"}\n", "}}\n"},
	{"}\n", ", \"more\": 1}\n"},
};

static void
put_record(int folder, const char *text)
{
	int fd = openat(folder, ID, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	check(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	close(fd);
}

/* Locked, it is reported as odd; not locked, it is removed, and nothing else with it. */
static void
check_hostile(struct world *world, int folder, const char *text)
{
	struct record back;
	int holder;

	put_record(folder, text);
	holder = openat(folder, ID, O_RDONLY | O_CLOEXEC);
	check_int(flock(holder, LOCK_EX | LOCK_NB), 0);
	check_int(look(folder, &world->arena, &back), RECORD_ODD);
	close(holder);
	check_int(look(folder, &world->arena, &back), RECORD_REAPED);
	check_int(look(folder, &world->arena, &back), RECORD_GONE);
}

/* The text of the good record, with one part replaced. */
static void
change_text(const char *good, const struct change *change, char *to, size_t size)
{
	const char *at = strstr(good, change->from);

	/* the end is the last of its kind */
	for (const char *next = at; *change->from == '}' && next != NULL;
	     next = strstr(next + 1, change->from))
		at = next;
	check(at != NULL);
	if (at != NULL)
		snprintf(to, size, "%.*s%s%s", (int)(at - good), good, change->to,
			 at + strlen(change->from));
}

static void
a_hostile_record_is_ignored(void)
{
	auto_world struct world world;
	struct record record = sample();
	struct record_file file;
	char path[PATH_MAX], good[4096] = "", bad[5000] = "";
	int folder;

	world_make(&world);
	folder = folder_of(&world, path);
	check_int(record_make(folder, path, &record, &file, NULL), 0);
	check(pread(file.fd, good, sizeof good - 1, 0) > 0);
	record_remove(&file);
	for (size_t i = 0; i < COUNT(hostile); i++)
		check_hostile(&world, folder, hostile[i]);
	for (size_t i = 0; i < COUNT(changes); i++) {
		change_text(good, &changes[i], bad, sizeof bad);
		check_hostile(&world, folder, bad);
	}
	close(folder);
}

/* Every beginning of a record: what a crash or a reader in the middle of writing may see. */
static void
a_partial_record_is_ignored(void)
{
	auto_world struct world world;
	struct record record = sample(), back;
	struct record_file file;
	char path[PATH_MAX], good[4096] = "";
	ssize_t length;
	int folder, holder;

	world_make(&world);
	folder = folder_of(&world, path);
	check_int(record_make(folder, path, &record, &file, NULL), 0);
	length = pread(file.fd, good, sizeof good - 1, 0);
	record_remove(&file);
	/* the last byte is a newline */
	put_record(folder, good);
	holder = openat(folder, ID, O_RDWR | O_CLOEXEC);
	check_int(flock(holder, LOCK_EX), 0);
	for (ssize_t cut = length - 2; cut >= 0; cut--) {
		check_int(ftruncate(holder, cut), 0);
		check_int(look(folder, &world.arena, &back), RECORD_ODD);
	}
	close(holder);
	close(folder);
}

/* Nothing but a plain file of ours is opened, and nothing else is removed. */
static void
an_entry_that_is_no_file_is_ignored(void)
{
	auto_world struct world world;
	char path[PATH_MAX], victim[PATH_MAX];
	struct record back;
	int folder;

	world_make(&world);
	folder = folder_of(&world, path);
	snprintf(victim, sizeof victim, "%s/victim", world.root);
	write_file(victim, "x");
	check_int(symlinkat(victim, folder, ID), 0);
	check_int(look(folder, &world.arena, &back), RECORD_GONE);
	check_int(unlinkat(folder, ID, 0), 0);
	check_int(linkat(AT_FDCWD, victim, folder, ID, 0), 0);
	check_int(look(folder, &world.arena, &back), RECORD_GONE);
	check_int(unlinkat(folder, ID, 0), 0);
	check(exists(victim));
	check_int(mkfifoat(folder, ID, 0600), 0);
	check_int(look(folder, &world.arena, &back), RECORD_GONE);
	check_int(unlinkat(folder, ID, 0), 0);
	check_int(mkdirat(folder, ID, 0700), 0);
	check_int(look(folder, &world.arena, &back), RECORD_GONE);
	check_int(unlinkat(folder, ID, AT_REMOVEDIR), 0);
	close(folder);
}

static void
names_are_plain(void)
{
	static const char *const good[] = {
		"a", "web", "dev-server", "A.b_c-9", "0", "0123456789abcde", "0123456789abcdeg"};
	static const char *const bad[] = {"",	   "-a",  ".a",	 "_a",	     "a/b",
					  "..",	   "a b", "a\n", "\303\244", "0123456789abcdef",
					  HASH "a"};

	for (size_t i = 0; i < COUNT(good); i++)
		check(record_is_name(good[i]));
	for (size_t i = 0; i < COUNT(bad); i++)
		check(!record_is_name(bad[i]));
	check(record_is_name(HASH));
}

/* The folder that was chosen: 'r' in the runtime folder, 's' in the state folder, '-' none. */
static char
chosen(struct world *world, const char *runtime, bool make)
{
	char path[PATH_MAX] = "";
	int fd;

	world->err = (struct cordon_error){0};
	fd = record_folder(runtime, world->host.state_dir, make, path, &world->err);
	if (fd < 0)
		return '-';
	close(fd);
	return runtime != NULL && strncmp(path, runtime, strlen(runtime)) == 0 ? 'r' : 's';
}

static void
the_folder_has_mode_700(void)
{
	auto_world struct world world;
	const char *above, *runtime;

	world_make(&world);
	above = world_dir(&world, "run");
	runtime = path_join(&world.arena, above, "cordon", NULL);
	check_int(chosen(&world, runtime, false), '-');
	check_int(world.err.sys, ENOENT);
	check_int(chosen(&world, runtime, true), 'r');
	check_int(chosen(&world, runtime, false), 'r');
	check_int(chosen(&world, NULL, true), 's');
	/* others could put something else in its place, or look into it */
	check_int(chmod(above, 0777), 0);
	check_int(chosen(&world, runtime, true), 's');
	check_int(chmod(above, 0755), 0);
	check_int(chmod(runtime, 0750), 0);
	check_int(chosen(&world, runtime, true), 's');
	check_int(chmod(runtime, 0700), 0);
	check_int(chosen(&world, runtime, true), 'r');
	check_int(rename(runtime, world_path(&world, "elsewhere")), 0);
	check_int(symlink(world_path(&world, "elsewhere"), runtime), 0);
	check_int(chosen(&world, runtime, true), 's');
	check_int(chosen(&world, world_path(&world, "missing/cordon"), true), 's');
	check_int(chmod(world.host.state_dir, 0777), 0);
	check_int(chosen(&world, NULL, true), '-');
}

/* ---- processes ---- */

/* A child that has started another; both wait for the pipe to close. */
static pid_t
start_two(int ends[2])
{
	char byte;
	pid_t child;
	int up[2];

	check_int(pipe(ends), 0);
	check_int(pipe(up), 0);
	child = fork();
	if (child == 0) {
		close(ends[1]);
		if (fork() == 0)
			check(write(up[1], "x", 1) == 1);
		close(up[1]);
		_exit((int)read(ends[0], &byte, 1));
	}
	close(up[1]);
	check_int(read(up[0], &byte, 1), 1);
	close(up[0]);
	return child;
}

static void
a_pid_without_its_start_time_is_ignored(void)
{
	struct process self = process_id_find(getpid()), other = self, none = {0};
	int ends[2];
	pid_t child = start_two(ends);
	struct process found = process_id_find(child);

	check_int(self.pid, getpid());
	check(process_id_is_alive(&self));
	other.started++;
	check(!process_id_is_alive(&other));
	check(!process_id_is_alive(&none));
	check_int(found.pid, child);
	other = found;
	other.started--;
	check_int(process_id_signal(&other, SIGKILL, 0), -1);
	check_int(errno, ESRCH);
	check(process_id_is_alive(&found));
	check_int(process_id_signal(&found, SIGKILL, 0), 0);
	check(waitpid(child, NULL, 0) == child);
	check(!process_id_is_alive(&found));
	check_int(process_id_signal(&found, SIGKILL, 0), -1);
	close(ends[0]);
	close(ends[1]);
}

static void
descendants_are_counted(void)
{
	struct process self = process_id_find(getpid());
	struct process_usage usage = {0};
	int ends[2];
	pid_t child = start_two(ends);

	check(process_id_measure(&self, &usage));
	check_int(usage.processes, 2);
	check(usage.memory > 0);
	self.started++;
	check(!process_id_measure(&self, &usage));
	close(ends[0]);
	close(ends[1]);
	check(waitpid(child, NULL, 0) == child);
}

/* ---- which commands may share a sandbox ---- */

static char *
identity(struct world *world, struct said said)
{
	auto_plan struct plan *plan = world_plan(world, said);
	auto_str struct str text = {0};
	char *copy;

	digest_print(plan, &text);
	copy = arena_strdup(&world->arena, text.text, NULL);
	return copy;
}

static void
equal_policies_have_one_digest(void)
{
	static const char *const wider[] = {
		"{\"files\": {\"read\": [\"~/x\"]}}",
		"{\"network\": \"all\"}",
		"{\"sockets\": [\"/run/x.sock\"]}",
		"{\"env\": {\"mode\": \"inherit\"}}",
		"{\"env\": {\"allow\": [\"X\"]}}",
		"{\"env\": {\"set\": {\"X\": \"1\"}}}",
		"{\"limits\": {\"file_size\": \"1G\"}}",
		"{\"tmp\": \"shared\"}",
		"{\"files\": {\"default\": \"r\"}}",
		"{\"files\": {\"protect\": [\"$PROJECT/deploy\"]}}",
		"{\"files\": {\"deny\": [\"**/.env\"]}}",
	};
	auto_world struct world world;
	const char *plain, *named;

	world_make(&world);
	plain = identity(&world, (struct said){0});
	check_str(identity(&world, (struct said){0}), plain);
	for (size_t i = 0; i < COUNT(wider); i++) {
		named = identity(&world, (struct said){.inline_text = wider[i]});
		check(strcmp(named, plain) != 0);
		check_str(identity(&world, (struct said){.inline_text = wider[i]}), named);
	}
	/* the kernel ignores the source, but it decides what is final: a layer is part of the hash */
	named = identity(&world, (struct said){.user = wider[0]});
	check(strcmp(named, plain) != 0);
	/* what exists now, and which folder the caller stands in, is not part of it */
	world_dir(&world, "home/x");
	check_str(identity(&world, (struct said){.user = wider[0]}), named);
	world.host.cwd = world_dir(&world, "home/p/sub");
	check_str(identity(&world, (struct said){.user = wider[0]}), named);
}

static char *
identity_writing(struct world *world, const char *path)
{
	auto_policy struct policy *options = policy_new("command line", NULL);

	check(policy_add_rule(options, LIST_WRITE, path, (struct srcpos){"--write", 0, 0}, NULL) !=
	      NULL);
	return identity(world, (struct said){.options = options});
}

static void
unusual_names_have_different_digests(void)
{
	auto_world struct world world;

	world_make(&world);
	check_str(identity_writing(&world, "/a\xff"), identity_writing(&world, "/a\xff"));
	check(strcmp(identity_writing(&world, "/a\xff"), identity_writing(&world, "/a\xfe")) != 0);
}

int
main(void)
{
	run(a_written_record_is_read_back);
	run(the_guard_is_written_in_place);
	run(only_the_user_can_enter);
	run(the_lock_of_either_process_keeps_it_live);
	run(reaping_a_record_removes_its_tmp);
	run(a_live_record_keeps_its_tmp);
	run(a_hostile_record_is_ignored);
	run(a_partial_record_is_ignored);
	run(an_entry_that_is_no_file_is_ignored);
	run(names_are_plain);
	run(the_folder_has_mode_700);
	run(a_pid_without_its_start_time_is_ignored);
	run(descendants_are_counted);
	run(equal_policies_have_one_digest);
	run(unusual_names_have_different_digests);
	return tap_end();
}
