// SPDX-License-Identifier: MIT
/*
 * What named sessions and `kill --grace` need of macOS, against one that is made up: who is left of a
 * session, the door its commands come in by, the line to its proxy, a grace that no signal can carry.
 */
#include "fakemac.h"

#include <cordon/cordon.h>

#include "enforce/enforce.h"
#include "enforce/process_id.h"
#include "enforce/session_group.h"
#include "ipc/proxy_ipc.h"
#include "macos/process/kill_scan.h"
#include "session/record.h"
#include "tap.h"
#include "world.h"

#define ID "00112233445566aa"

static struct plan *
mac_plan(struct world *world, const char *policy)
{
	world->host.system = world->facts.system = SYSTEM_MACOS;
	for (int i = 0; i < FACT_COUNT; i++)
		world->facts.values[i] = i == FACT_SEATBELT;
	return world_plan(world, (struct said){.user = policy});
}

/* Parents and children, and the mark: an orphan is nobody's child, and has the mark all the same. */
static void
a_spawner_ends_when_no_marked_process_is_left(void)
{
	struct session_group group = {.kind = TRACKED_BY_MARK};
	struct tree_spare but_it = {.count = 1, .group = &group};
	struct tree_spare all = {.group = &group};
	pid_t spawner, orphan;

	fake_reset();
	snprintf(group.path, sizeof group.path, "/state/fingerprints/cordon-" ID);
	fake.allowed = "/state/fingerprints/cordon-" ID "/allow";
	fake.denied = "/state/fingerprints/cordon-" ID "/deny";
	spawner = fake_add(1, fake.self)->pid;
	but_it.pids[0] = spawner;
	/* another session's, and a stranger */
	fake_add(2, 1);
	fake_add(0, 1);
	check(process_tree_is_empty(&but_it));
	check(!process_tree_is_empty(&all));
	orphan = fake_add(1, 1)->pid;
	check(!process_tree_is_empty(&but_it));
	fake_find(orphan)->zombie = true;
	check(process_tree_is_empty(&but_it));
	check_int(fake_alive(1), 1);
	/* a look that fails does not say that it is empty */
	fake.list_fails = 4;
	check(!process_tree_is_empty(&but_it));
}

/* The sandbox of a named session: its text, with the parameters in the places of their names. */
struct made_dirs {
	struct world world;
	struct plan *plan;
	struct sandbox *sandbox;
	struct session_group group;
	struct fingerprint pair;
	char socket_path[PATH_MAX], folder[PATH_MAX];
};

static void
made_free(struct made_dirs *made)
{
	fake.self_sandbox = 0;
	enforce_free(made->sandbox);
	check_int(session_group_remove(&made->group), 0);
	plan_free(made->plan);
	world_free(&made->world);
}

static void
make(struct made_dirs *made, const char *policy, const struct egress *egress)
{
	struct sandbox_options options = {.id = ID, .egress = egress};
	struct cordon_error err = {0};
	char link[PATH_MAX];

	*made = (struct made_dirs){.group = {.kind = GROUP_NONE}};
	fake_reset();
	world_make(&made->world);
	made->plan = mac_plan(&made->world, policy);
	/* by way of a link, as /var is one */
	snprintf(made->folder, sizeof made->folder, "%.300s/sessions", made->world.root);
	snprintf(link, sizeof link, "%.300s/link", made->world.root);
	check_int(mkdir(made->folder, 0700), 0);
	check_int(symlink(made->folder, link), 0);
	snprintf(made->socket_path, sizeof made->socket_path, "%.400s/" ID ".sock", link);
	options.socket_path = made->socket_path;
	check_int(enforce_compile(made->plan, &options, &made->sandbox, &err), 0);
	check_str(err.text, "");
	enforce_fingerprint(made->sandbox, &made->group);
	check(fingerprint_at(made->group.path, &made->pair));
	fake.allowed = made->pair.allowed;
	fake.denied = made->pair.denied;
	check_int(enforce_apply(made->sandbox, &err), 0);
}

static const char *
value_of(const char *parameter)
{
	check(fake.pair_count < FAKE_PAIRS);
	for (int i = 0; i + 1 < fake.pair_count && i + 1 < FAKE_PAIRS; i += 2)
		if (strcmp(fake.pairs[i], parameter) == 0)
			return fake.pairs[i + 1];
	return NULL;
}

static void
commands_come_in_by_one_socket(void)
{
	char wanted[PATH_MAX], name[24] = "";
	const char *line, *socket_path;
	struct made_dirs made;

	make(&made, "{\"network\": \"none\"}", NULL);
	check(realpath(made.folder, wanted) != NULL);
	strcat(wanted, "/" ID ".sock");
	line = strstr(fake.profile, "; where commands of this session come in\n"
				    "(allow network-inbound (literal (param \"");
	check(line != NULL);
	if (line != NULL)
		sscanf(strchr(line, '"') + 1, "%20[P0-9]", name);
	check_str(value_of(name), wanted);
	socket_path = line == NULL ? NULL : strstr(line, "(deny network-bind (literal (param \"");
	check(socket_path != NULL &&
	      strstr(socket_path, name) ==
		      socket_path + strlen("(deny network-bind (literal (param \""));
	made_free(&made);
}

/* Whoever keeps the session alive keeps its proxy alive. */
static void
a_sandbox_keeps_the_socket_to_its_proxy(void)
{
	const struct egress egress = {.line = 7, .named = 40001};
	struct made_dirs made;

	make(&made, "{\"network\": {\"domains\": [\"example.com\"]}}", &egress);
	check_int(enforce_fds(made.sandbox).line, 7);
	made_free(&made);
	make(&made, "{}", NULL);
	check_int(enforce_fds(made.sandbox).line, -1);
	made_free(&made);
}

/* ---- a grace ---- */

static void
a_grace_is_read_from_a_file_beside_the_record(void)
{
	auto_world struct world world;
	char path[PATH_MAX], end[PATH_MAX];
	struct record_file hold = {.fd = 0};
	int folder;

	fake_reset();
	world_make(&world);
	snprintf(path, sizeof path, "%.300s/sessions", world.root);
	check_int(mkdir(path, 0700), 0);
	folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	snprintf(hold.path, sizeof hold.path, "%.400s/" ID, path);
	snprintf(end, sizeof end, "%.400s.end", hold.path);
	check_int(record_grace(&hold), 0);
	check_int(record_put_grace(folder, ID, 90000), 0);
	check_int(record_grace(&hold), 90000);
	/* the last word counts */
	check_int(record_put_grace(folder, ID, 5), 0);
	check_int(record_grace(&hold), 5);
	check_int(record_put_grace(folder, ID, 0), 0);
	check_int(record_grace(&hold), 0);
	check_int(access(end, F_OK), -1);
	/* neither a link nor a pipe is read, nor what is no number */
	check_int(symlink("/etc/hostname", end), 0);
	check_int(record_grace(&hold), 0);
	unlink(end);
	check_int(mkfifo(end, 0600), 0);
	check_int(record_grace(&hold), 0);
	unlink(end);
	world_run("echo 99999999999999 >'%s'", end);
	check_int(record_grace(&hold), 0);
	world_run("echo -5 >'%s'", end);
	check_int(record_grace(&hold), 0);
	close(folder);
}

static void
read_grace(const char *path, char to[16])
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, to, 15);

	to[n < 0 ? 0 : n] = '\0';
	if (fd >= 0)
		close(fd);
}

/* Where a signal has no value: the grace first, then the signal, once. */
static void
a_kill_with_a_grace_sends_a_signal_without_a_value(void)
{
	auto_world struct world world;
	struct record record = {.id = ID, .supervisor = {1, 1}};
	struct record_file hold = {.fd = -1};
	struct cordon_error err = {0};
	char runtime[PATH_MAX], path[PATH_MAX], grace[16];
	char *text = NULL;
	int folder;

	fake_reset();
	world_make(&world);
	snprintf(runtime, sizeof runtime, "%.300s/runtime", world.root);
	check_int(mkdir(runtime, 0700), 0);
	setenv("XDG_RUNTIME_DIR", runtime, 1);
	strcat(runtime, "/cordon");
	folder = record_folder(runtime, NULL, true, path, &err);
	check(folder >= 0);
	record.guard = process_id_find(fake_add(0, 1)->pid);
	check_int(record_make(folder, path, &record, &hold, &err), 0);
	/* it takes the order, and takes longer than anybody waits */
	check(cordon_kill(ID, 5000, &text, &err) < 0);
	check(strstr(err.text, "did not end") != NULL);
	check(strstr(fake.log, "kill15:1000 ") != NULL &&
	      strstr(strstr(fake.log, "kill15:1000 ") + 1, "kill15") == NULL);
	strcat(path, "/" ID ".end");
	read_grace(path, grace);
	check_str(grace, "5000\n");
	/* gone with the record */
	record_remove(&hold);
	check_int(access(path, F_OK), -1);
	close(folder);
}

int
main(void)
{
	run(a_spawner_ends_when_no_marked_process_is_left);
	run(commands_come_in_by_one_socket);
	run(a_sandbox_keeps_the_socket_to_its_proxy);
	run(a_grace_is_read_from_a_file_beside_the_record);
	run(a_kill_with_a_grace_sends_a_signal_without_a_value);
	return tap_end();
}
