// SPDX-License-Identifier: MIT
/*
 * The outer side of nests. The nest id of a process is stored in the hard limit of RLIMIT_LOCKS, which is
 * inherited, has no effect in the kernel, and cannot be set through the filter. It is only ever lowered, so
 * an inner nest has a lower limit than the one around it. The low bits are the index in a table whose
 * entries are reused; a process whose id is no longer in its entry belongs to a nest that has ended, and
 * the broker does nothing for it.
 *
 * Acting on behalf is safe if every plan of the chain allows it. Continuing in the kernel is safe if no
 * plan of the chain withholds the call there: all layers are the caller's own, and each withholds what its
 * plan does not grant outright. So if any plan brokers a path the broker acts or refuses; if a nest is
 * unregistered, every call is left to the layers.
 */
#include "linux/broker/call/nest_table.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "linux/broker/call/procfs_view.h"
#include "plan/pty.h"

/* Ids count down from here. A 32-bit kernel treats larger values as no limit. */
#define TOP ((uint64_t)1 << (sizeof(long) > 4 ? 60 : 30))
#define DISTURBED_MAX 3 /* then other sessions have to wait */
#define SWEPT 64	/* entries that a new nest checks for closed sockets */

/* ---- start ---- */

void
nest_make(struct broker *broker)
{
	struct nests *nests;
	struct rlimit own;

	if (prlimit(0, RLIMIT_LOCKS, NULL, &own) < 0)
		return;
	nests = calloc(1, sizeof *nests);
	if (nests == NULL)
		return;
	nests->plain = own.rlim_max;
	nests->top = own.rlim_max > TOP ? TOP : own.rlim_max;
	pthread_mutex_init(&nests->lock, NULL);
	if (nest_table_add(nests, 0, false, -1) < 0)
		free(nests);
	else
		broker->nests = nests;
}

/* ---- ids ---- */

/* The entry of an id; -1: no longer in the table. Requires the lock. */
static int
find_place(const struct nests *nests, uint64_t id)
{
	int slot = (int)(id % SLOTS);

	return slot < nests->count && nest_at(nests, slot)->id == id ? slot : -1;
}

/* The nest of a thread or process; -1: unknown. Requires the lock. */
static int
read_mark_of(const struct nests *nests, pid_t thread)
{
	struct rlimit limit;

	if (prlimit(thread, RLIMIT_LOCKS, NULL, &limit) < 0)
		return -1;
	if (limit.rlim_max == nests->plain)
		return 0;
	return limit.rlim_max > nests->top ? -1 : find_place(nests, nests->top - limit.rlim_max);
}

static int
find_own_slot(const struct nests *nests, const struct notif_call *request)
{
	return read_mark_of(nests, request->thread);
}

static bool
write_nest_id(const struct nests *nests, const struct notif_call *request, int slot)
{
	uint64_t number = nests->top - nest_at(nests, slot)->id;
	struct rlimit limit = {number, number};

	return notif_is_valid(request) && prlimit(request->thread, RLIMIT_LOCKS, &limit, NULL) == 0;
}

bool
nest_is_any(const struct broker *broker)
{
	/* no process has an id before there is a second entry */
	return broker->nests != NULL &&
	       __atomic_load_n(&broker->nests->count, __ATOMIC_SEQ_CST) > 1;
}

/* Counts the call in every nest of the chain, so that no entry is reused meanwhile. Requires the lock. */
static int
find_chain(const struct nests *nests, const struct notif_call *request, struct nest_call *to)
{
	int slot = find_own_slot(nests, request);

	for (; slot > 0; slot = nest_at(nests, slot)->parent) {
		struct nest *nest = nest_at(nests, slot);

		if (to->depth == NEST_DEPTH)
			return EPERM;
		to->chain[to->depth++] = nest;
		nest->users++;
		to->is_unregistered = to->is_unregistered || nest->is_unregistered;
	}
	return slot < 0 ? EPERM : 0;
}

/* From this index of the chain on. */
static void
drop_chain(struct nests *nests, const struct nest_call *call, int first)
{
	pthread_mutex_lock(&nests->lock);
	for (int i = first; i < call->depth; i++)
		call->chain[i]->users--;
	pthread_mutex_unlock(&nests->lock);
}

int
nest_begin(const struct notif_call *request, struct nest_call *to)
{
	struct nests *nests = request->broker->nests;
	int why;

	to->nests = nests;
	to->depth = 0;
	to->is_unregistered = to->is_late = to->is_incomplete = to->is_disturbed = false;
	to->names = to->disturbed < DISTURBED_MAX ? request->names : NULL;
	to->number = request->notif.data.nr;
	if (!nest_is_any(request->broker))
		return 0;
	pthread_mutex_lock(&nests->lock);
	why = find_chain(nests, request, to);
	pthread_mutex_unlock(&nests->lock);
	if (why != 0 && to->depth > 0)
		drop_chain(nests, to, 0);
	return why;
}

void
nest_end(const struct nest_call *call)
{
	/* the reference to the innermost is passed on to the retry */
	if (call->depth > 0)
		drop_chain(call->nests, call, call->is_late && !call->is_disturbed ? 1 : 0);
}

void
nest_drop(const struct broker *broker, struct nest *nest)
{
	pthread_mutex_lock(&broker->nests->lock);
	nest->users--;
	pthread_mutex_unlock(&broker->nests->lock);
}

/* Requires the lock. */
static bool
is_in(const struct nests *nests, int slot, const struct nest *around)
{
	while (slot > 0 && nest_at(nests, slot) != around)
		slot = nest_at(nests, slot)->parent;
	return slot > 0;
}

bool
nest_is_in(const struct broker *broker, uint64_t id, const struct nest *around)
{
	struct nests *nests = broker->nests;
	bool found;

	if (nests == NULL || id == 0)
		return false;
	pthread_mutex_lock(&nests->lock);
	found = is_in(nests, find_place(nests, id), around);
	pthread_mutex_unlock(&nests->lock);
	return found;
}

/* The innermost registered nest; NULL: none. */
static const struct nest *
innermost_asked(const struct nest_call *call)
{
	for (int i = 0; call != NULL && i < call->depth; i++)
		if (!call->chain[i]->is_unregistered)
			return call->chain[i];
	return NULL;
}

pid_t
nest_group(const struct notif_call *request)
{
	const struct nest *nest = innermost_asked(request->nested);

	return nest == NULL ? request->broker->group : nest->group;
}

/* Is a process or thread in the caller's innermost nest? */
static bool
is_with(const struct nest_call *call, pid_t process)
{
	const struct nest *wanted = innermost_asked(call);
	bool found;

	if (wanted == NULL)
		return true;
	pthread_mutex_lock(&call->nests->lock);
	found = is_in(call->nests, read_mark_of(call->nests, process), wanted);
	pthread_mutex_unlock(&call->nests->lock);
	return found;
}

bool
nest_holds(const struct notif_call *request, int fd, pid_t process)
{
	struct pollfd ended = {.fd = fd, .events = POLLIN};

	if (nest_depth(request) == 0)
		return true;
	/* it has not exited, so the pid was its own */
	return is_with(request->nested, process) && poll(&ended, 1, 0) == 0;
}

/* The pid may have been reused by then; but reading the opened file of the old process fails. */
bool
nest_may_look(const struct notif_call *request, const char *path)
{
	pid_t keeper;

	if (!procfs_is_open(path))
		return false;
	keeper = request->nested == NULL ? 0 : procfs_keeper(path);
	return keeper == 0 || (keeper > 0 && is_with(request->nested, keeper));
}

uint64_t
nest_innermost(const struct notif_call *request)
{
	const struct nest_call *call = request->nested;

	return call == NULL || call->depth == 0 ? 0 : call->chain[0]->id;
}

bool
nest_has_inside(const struct notif_call *request, uint64_t id)
{
	const struct nest_call *call = request->nested;

	return call == NULL || call->depth == 0 || nest_is_in(request->broker, id, call->chain[0]);
}

/* ---- handshake ---- */

void
nest_close_dead(const struct broker *broker)
{
	if (broker->nests == NULL)
		return;
	pthread_mutex_lock(&broker->nests->lock);
	nest_table_close_dead(broker->nests, SLOTS);
	pthread_mutex_unlock(&broker->nests->lock);
}

/* Returns the query socket for the caller, or -1 with errno. Requires the lock. */
static int
enter(struct nests *nests, const struct notif_call *request, int numbers)
{
	int parent = find_own_slot(nests, request), ends[2], id;

	nest_table_close_dead(nests, SWEPT);
	errno = EPERM;
	if (parent < 0)
		return -1;
	errno = E2BIG;
	if (nest_at(nests, parent)->depth + 1 >= NEST_DEPTH)
		return -1;
	if (nest_table_is_full(nests, parent, numbers))
		nest_table_close_dead(nests, SLOTS);
	errno = EMFILE;
	if (nest_table_is_full(nests, parent, numbers))
		return -1;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return -1;
	id = nest_table_add(nests, parent, false, ends[0]);
	if (id > 0) {
		nest_at(nests, id)->expects = request->thread;
		nest_at(nests, id)->group = getpgid(request->thread);
		errno = EPERM;
		if (write_nest_id(nests, request, id))
			return ends[1];
		__atomic_store_n(&nest_at(nests, id)->line, -1, __ATOMIC_RELAXED);
	}
	close(ends[0]);
	close(ends[1]);
	return -1;
}

static int
find_offer(const struct plan *plan)
{
	return OFFER_HERE | (plan->routing != ROUTE_NOTHING ? OFFER_CHANGES : 0) |
	       (plan->routing == ROUTE_READS ? OFFER_READS : 0) |
	       (plan->routes_sockets ? OFFER_SOCKETS : 0) |
	       (plan->routes_network || plan->settings.network.mode == NET_NONE ? OFFER_NETWORK
										: 0) |
	       (plan->routes_signals ? OFFER_SIGNALS : 0) |
	       (plan->has_datagrams ? OFFER_DATAGRAMS : 0) |
	       (plan_own_terminals(plan, TERMINALS) ? OFFER_TERMINALS : 0) |
	       (plan->facts.values[FACT_NOTIFY_WAIT_KILLABLE] ? OFFER_KILLABLE : 0);
}

void
sys_nest_handshake(const struct notif_call *request)
{
	const __u64 *a = request->notif.data.args;
	struct nests *nests = request->broker->nests;
	int fd, why;

	if (nests == NULL || (uint32_t)a[2] != NEST_HANDSHAKE || a[0] > NEST_LANDLOCK_VERSION) {
		notif_fail(request, nests == NULL ? EOPNOTSUPP : EINVAL);
	} else if (a[0] == NEST_LANDLOCK_VERSION) {
		notif_return(request, request->broker->plan->facts.values[FACT_LANDLOCK_ABI]);
	} else if (a[0] == NEST_QUERY) {
		notif_return(request, find_offer(request->broker->plan));
	} else {
		pthread_mutex_lock(&nests->lock);
		fd = enter(nests, request, request->broker->numbers);
		why = errno;
		pthread_mutex_unlock(&nests->lock);
		if (fd < 0)
			notif_fail(request, why);
		else
			notif_give(request, fd, true);
	}
}

/*
 * Does the caller have an id that covers the layer it is about to add? If reads are brokered only
 * registered processes get one: no open could be left to the layers. Requires the lock.
 */
static bool
mark_unregistered(struct nests *nests, const struct notif_call *request, bool reads)
{
	int id = find_own_slot(nests, request), inside;
	struct nest *nest;

	if (id < 0)
		return false;
	nest = nest_at(nests, id);
	if (nest->is_unregistered)
		return true;
	if (nest->expects == request->thread) {
		nest->expects = 0;
		return notif_is_valid(request);
	}
	if (reads)
		return false;
	inside = nest->unregistered != 0 ? nest->unregistered : nest_table_add(nests, id, true, -1);
	if (inside <= 0)
		return false;
	nest->unregistered = inside;
	return write_nest_id(nests, request, inside);
}

/* The id is set before the layer is added, so the broker never acts past that layer. */
void
sys_landlock_restrict_self(const struct notif_call *request)
{
	struct nests *nests = request->broker->nests;
	bool is_marked = false;

	if (nests != NULL) {
		pthread_mutex_lock(&nests->lock);
		is_marked = mark_unregistered(nests, request, request->broker->reads);
		pthread_mutex_unlock(&nests->lock);
	}
	if (is_marked)
		notif_continue(request);
	else
		notif_fail(request, EOPNOTSUPP);
}
