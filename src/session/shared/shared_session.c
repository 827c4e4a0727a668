// SPDX-License-Identifier: MIT
/*
 * Finds or starts a shared session. The name is locked meanwhile, because two calls at the same
 * time must not start it twice. It is a POSIX lock, which the guard does not inherit and which ends
 * with the process.
 */
#include "base/os.h"

#include "session/shared/shared_session.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/random.h"
#include "session/channel/channel.h"
#include "session/inside/spawner.h"
#include "session/prepare/assets.h"

/*
 * How often to check for the end of a session without a spawner: OVER_LOOKS, or STUCK_LOOKS while
 * it has processes. Not limited by time, because the machine may have been suspended.
 */
#define OVER_LOOKS 12000
#define STUCK_LOOKS 400
#define LOOK_US 5000

struct session_entry {
	struct arena *arena;
	const struct session_request *request;
	int folder;
	char folder_path[PATH_MAX];
	struct cordon_error *err;
};

/* ---- joining ---- */

/* Locks one byte of a file, chosen by a hash. A collision of two names only makes one wait. */
static int
lock_name(const struct session_entry *entry)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};
	uint32_t hash = 2166136261u;
	int fd = openat(entry->folder, "names", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);

	for (const char *at = entry->request->name; *at != '\0'; at++)
		hash = (hash ^ (unsigned char)*at) * 16777619u;
	lock.l_start = (off_t)(hash >> 1);
	while (fd >= 0 && fcntl(fd, F_SETLKW, &lock) < 0) {
		if (errno == EINTR)
			continue;
		close(fd);
		fd = -1;
	}
	return fd >= 0 ? fd
		       : cordon_fail(entry->err, CORDON_E_PATH, errno,
				     "cannot lock the name of the session");
}

/* Returns 1 if found, 0 if there is none, or an error. */
static int
find(const struct session_entry *entry, struct record *ret_record)
{
	struct record *records;
	size_t count;
	int rc = record_list(entry->arena, entry->folder, &records, &count, entry->err);

	for (size_t i = 0; rc == 0 && i < count; i++) {
		if (records[i].name == NULL || strcmp(records[i].name, entry->request->name) != 0)
			continue;
		*ret_record = records[i];
		return 1;
	}
	return rc;
}

static int
refuse_other_policy(const struct session_entry *entry)
{
	return cordon_fail(entry->err, CORDON_E_POLICY, 0,
			   "session %.64s runs with another policy, project or options; "
			   "`cordon ps` shows it, `cordon kill %.64s` ends it",
			   entry->request->name, entry->request->name);
}

/* The spawner does not answer: the session is about to end, or a process in it killed the spawner. */
static int
wait_until_over(const struct session_entry *entry, const struct record *record)
{
	struct process_usage usage = {0};

	for (int looks = 0; looks < OVER_LOOKS; looks++) {
		auto_arena struct arena arena = {0};
		struct record now;
		enum record_state state = record_look(&arena, entry->folder, record->id, &now);

		if (state == RECORD_GONE || state == RECORD_REAPED)
			return 0;
		if (looks >= STUCK_LOOKS && process_id_measure(&record->guard, &usage) &&
		    usage.processes > 0)
			break;
		clock_sleep_us(LOOK_US);
	}
	return cordon_fail(entry->err, CORDON_E_SYSTEM, 0,
			   "session %.64s accepts no more commands; `cordon kill %.64s` ends it",
			   entry->request->name, entry->request->name);
}

/* Returns 1 if joined, 0 if there is no such session, or an error. */
static int
join(const struct session_entry *entry, int *ret_line, struct joined_session *ret_joined)
{
	const char *policy = entry->request->origin->policy;
	struct record record = {0};
	int found, line;

	while ((found = find(entry, &record)) == 1) {
		int rc;

		if (record.policy == NULL || policy == NULL || strcmp(record.policy, policy) != 0)
			return refuse_other_policy(entry);
		line = record.token == NULL
			       ? -1
			       : spawner_client_connect(entry->folder, record.id, record.token);
		if (line >= 0) {
			*ret_line = line;
			*ret_joined = (struct joined_session){record.tmp, record.proxy};
			return 1;
		}
		rc = wait_until_over(entry, &record);
		if (rc < 0)
			return rc;
	}
	return found;
}

/* ---- starting ---- */

struct shared_setup {
	struct spawner spawner;
	struct assets assets;
	const char *proxy; /* as proxy_spawn_print prints it; NULL: none */
	int line;	   /* channel of the first client */
	int guard;	   /* the guard's end of its channel to the spawner */
	char socket_path[PATH_MAX];
	bool is_guarded; /* the guard cleans up */
};

/* Prints port and token of the proxy for the record. The proxy lives as long as the session. */
static int
name_proxy(const struct session_entry *entry, struct shared_setup *opening)
{
	char text[RECORD_PROXY_LENGTH + 1];

	if (opening->assets.proxy.pid == 0)
		return 0;
	proxy_spawn_print(&opening->assets.proxy, text);
	opening->proxy = arena_strdup(entry->arena, text, entry->err);
	return opening->proxy == NULL ? -CORDON_E_MEMORY : 0;
}

static int
prepare_lines(struct shared_setup *opening, struct cordon_error *err)
{
	int client[2], guard[2];

	if (os_line(client) < 0)
		return cordon_fail(err, CORDON_E_SYSTEM, errno, "cannot make a socket pair");
	opening->line = client[0];
	opening->spawner.first = client[1];
	if (os_line(guard) < 0)
		return cordon_fail(err, CORDON_E_SYSTEM, errno, "cannot make a socket pair");
	opening->guard = guard[0];
	opening->spawner.line = guard[1];
	return 0;
}

/* Builds the path of the socket beside the record. */
static int
name_socket(const struct session_entry *entry, struct shared_setup *opening)
{
	char name[RECORD_SOCKET_SIZE];

	record_socket(entry->request->id, name);
	if (snprintf(opening->socket_path, sizeof opening->socket_path, "%s/%s", entry->folder_path,
		     name) >= (int)sizeof opening->socket_path)
		return cordon_fail(entry->err, CORDON_E_PATH, ENAMETOOLONG,
				   "cannot make the socket of the session");
	return 0;
}

static int
prepare(const struct session_entry *entry, struct shared_setup *opening)
{
	const struct session_request *request = entry->request;
	struct assets *assets = &opening->assets;
	struct spawner *spawner = &opening->spawner;
	char token[RECORD_TOKEN_LENGTH + 1];
	struct shared_words words;
	int rc = random_hex(token, RECORD_TOKEN_LENGTH, entry->err);

	if (rc == 0)
		rc = name_socket(entry, opening);
	if (rc == 0)
		rc = assets_start_services(assets, entry->arena, request, entry->err);
	if (rc == 0)
		rc = name_proxy(entry, opening);
	if (rc == 0)
		rc = assets_make_sandbox(
			assets, request,
			(struct sandbox_options){.socket_path = opening->socket_path}, entry->err);
	if (rc == 0)
		rc = assets_share_limits(assets, request, entry->err);
	words = (struct shared_words){token, opening->proxy};
	if (rc == 0)
		rc = record_new(entry->arena, request, assets, &words, entry->err);
	if (rc == 0)
		rc = spawner->listener =
			spawner_client_listen(entry->folder, request->id, entry->err);
	memcpy(spawner->token, token, sizeof spawner->token);
	spawner->events = assets->event_source.ours;
	spawner->free_connect = stdio_check_connect_is_free(request->plan);
	return rc < 0 ? rc : prepare_lines(opening, entry->err);
}

/* Reads the guard's first message: started, or an error. */
static int
wait_for_guard(const struct guard *guard, struct cordon_error *err)
{
	struct guard_news news = {0};
	bool heard = channel_receive(guard->line, &news, sizeof news);

	close(guard->line);
	if (!heard)
		return cordon_fail(err, CORDON_E_SYSTEM, 0, "the session could not be started");
	if (news.kind != NEWS_FAILED)
		return 0;
	if (err != NULL)
		*err = news.why;
	return -news.why.code;
}

static int
start_guard(const struct session_entry *entry, struct shared_setup *opening)
{
	struct guard_task task = {
		.child = {.box = opening->assets.box,
			  .limits = opening->assets.limits,
			  .output = {-1, -1},
			  .terminal = -1,
			  .spawner = &opening->spawner},
		.group = opening->assets.group,
		.private_tmp = opening->assets.tmp,
		.record = &opening->assets.record,
		.leave = true,
		.spawner = opening->guard,
	};
	struct sigaction normal = {.sa_handler = SIG_DFL}, old;
	struct guard guard;
	int rc;

	/* guard and spawner inherit this: with SIGCHLD ignored they could not reap children */
	sigaction(SIGCHLD, &normal, &old);
	sigfillset(&task.child.mask);
	rc = guard_start(&task, &guard, entry->err);
	sigaction(SIGCHLD, &old, NULL);
	if (rc < 0)
		return rc;
	opening->is_guarded = true;
	assets_note_guard(&opening->assets, guard.pid);
	return wait_for_guard(&guard, entry->err);
}

static void
let_go(struct shared_setup *opening, bool keep_line)
{
	const int fds[] = {opening->spawner.listener, opening->spawner.first, opening->spawner.line,
			   opening->guard, keep_line ? -1 : opening->line};

	for (size_t i = 0; i < sizeof fds / sizeof fds[0]; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	events_close(&opening->assets.event_source);
	enforce_free(opening->assets.box);
	proxy_spawn_end(&opening->assets.proxy, opening->is_guarded);
	assets_release(&opening->assets, opening->is_guarded);
}

static int
start(const struct session_entry *entry, int *ret_line, struct joined_session *ret_joined)
{
	struct shared_setup opening = {
		.spawner = {.listener = -1, .first = -1, .line = -1, .events = -1},
		.line = -1,
		.guard = -1,
	};
	int rc;

	assets_none(&opening.assets);
	rc = prepare(entry, &opening);

	if (rc == 0)
		rc = start_guard(entry, &opening);
	let_go(&opening, rc == 0);
	if (rc < 0)
		return rc;
	/* keep the directories for later commands of the session */
	make_dirs_remove(entry->request->made, true);
	*ret_line = opening.line;
	*ret_joined = (struct joined_session){opening.assets.tmp, opening.proxy};
	return 0;
}

int
shared_session_enter(struct arena *arena, const struct session_request *request, int *ret_line,
		     struct joined_session *ret_joined, struct cordon_error *err)
{
	struct session_entry entry = {.arena = arena, .request = request, .err = err};
	const struct session_origin *origin = request->origin;
	auto_fd int folder = -1, lock = -1;
	int rc;

	if (!record_is_name(request->name))
		return cordon_fail(err, CORDON_E_USAGE, 0,
				   "\"%.80s\" is not a session name: letters, digits, and . _ - "
				   "after the first, at most %d",
				   request->name, RECORD_NAME_MAX);
	folder = record_folder(origin->runtime, origin->state, true, entry.folder_path, err);
	if (folder < 0)
		return folder;
	entry.folder = folder;
	rc = lock = lock_name(&entry);
	if (rc < 0)
		return rc;
	rc = join(&entry, ret_line, ret_joined);
	if (rc == 0)
		rc = start(&entry, ret_line, ret_joined);
	return rc < 0 ? rc : 0;
}
