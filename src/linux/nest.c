// SPDX-License-Identifier: MIT
/*
 * The outer side of sandboxes inside each other. A process's nest is told by the hard limit of
 * RLIMIT_LOCKS, which the kernel inherits and does not use, and which the filter lets nobody set.
 * It is only ever lowered: a nest has a greater number than the one around it.
 *
 * Acting is safe where every plan of the chain says yes. Leaving a call to the kernel is safe where
 * no plan of the chain leaves it to us, as without nests: all the layers are the caller's own, and
 * each withholds what its plan does not grant outright. So whatever one of them guards is acted
 * upon or refused; and where nobody could be asked, everything is left to the layers.
 */
#include "linux/nest.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"

#define CHUNK 64
#define CHUNKS 1024
#define TOP (1u << 20)	/* marks count down from here */
#define ANSWER_MS 10000 /* who does not answer in this time says no */

struct nest {
	int parent;
	int depth;
	bool is_alone; /* it restricted itself, and nobody can be asked */
	int alone;     /* such a one inside this; 0: none yet. They are all the same */
	pid_t expects; /* the thread that came to the door and has not entered its layer yet */
	pthread_mutex_t lock;
	int line;	/* -1: nobody is there any more */
	uint64_t asked; /* the number of the last question */
	bool owes;	/* which it has not answered */
};

struct nests {
	pthread_key_t call; /* the struct nest_call of each thread */
	pthread_mutex_t lock;
	rlim_t plain, top; /* the mark of who is in no nest; that of nest 0 */
	int count;
	struct nest *chunks[CHUNKS];
};

static struct nest *
nest_at(const struct nests *nests, int id)
{
	return &nests->chunks[id / CHUNK][id % CHUNK];
}

/* ---- making ---- */

/* The number of a new one, or -1 with errno. The lock is held. */
static int
add(struct nests *nests, int parent, bool is_alone, int line)
{
	int id = nests->count;
	struct nest *nest;

	errno = EMFILE;
	if (id == CHUNK * CHUNKS || (rlim_t)id >= nests->top)
		return -1;
	if (nests->chunks[id / CHUNK] == NULL)
		nests->chunks[id / CHUNK] = calloc(CHUNK, sizeof *nest);
	if (nests->chunks[id / CHUNK] == NULL)
		return -1;
	nest = nest_at(nests, id);
	*nest = (struct nest){.parent = parent, .is_alone = is_alone, .line = line};
	nest->depth = id == 0 ? 0 : nest_at(nests, parent)->depth + 1;
	pthread_mutex_init(&nest->lock, NULL);
	__atomic_store_n(&nests->count, id + 1, __ATOMIC_SEQ_CST);
	return id;
}

void
nest_make(struct broker *broker)
{
	struct nests *nests;
	struct rlimit own;

	/* where reading is answered as well, its filter refuses Landlock */
	if (broker->reads || getrlimit(RLIMIT_LOCKS, &own) < 0)
		return;
	nests = calloc(1, sizeof *nests);
	if (nests == NULL)
		return;
	nests->plain = own.rlim_max;
	nests->top = own.rlim_max > TOP ? TOP : own.rlim_max;
	pthread_mutex_init(&nests->lock, NULL);
	if (pthread_key_create(&nests->call, NULL) != 0 || add(nests, 0, false, -1) < 0)
		free(nests);
	else
		broker->nests = nests;
}

/* ---- marks ---- */

/* The nest of whoever called; -1: it cannot be told. */
static int
read_mark(const struct nests *nests, const struct call *request)
{
	struct rlimit64 mark;
	rlim_t id;

	if (prlimit64(request->thread, RLIMIT_LOCKS, NULL, &mark) < 0)
		return -1;
	if (mark.rlim_max == nests->plain)
		return 0;
	id = nests->top - mark.rlim_max;
	return mark.rlim_max > nests->top ||
			       id >= (rlim_t)__atomic_load_n(&nests->count, __ATOMIC_SEQ_CST)
		       ? -1
		       : (int)id;
}

static bool
write_mark(const struct nests *nests, const struct call *request, int id)
{
	struct rlimit64 mark = {nests->top - (rlim_t)id, nests->top - (rlim_t)id};

	return request_is_valid(request) &&
	       prlimit64(request->thread, RLIMIT_LOCKS, &mark, NULL) == 0;
}

int
nest_begin(struct broker *broker, const struct call *request, struct nest_call *to)
{
	struct nests *nests = broker->nests;
	int id = 0;

	to->depth = 0;
	to->is_alone = false;
	to->number = request->notif.data.nr;
	/* nobody has a mark before there is a second */
	if (nests == NULL || __atomic_load_n(&nests->count, __ATOMIC_SEQ_CST) == 1)
		return 0;
	id = read_mark(nests, request);
	if (id < 0)
		return EPERM;
	for (; id > 0; id = nest_at(nests, id)->parent) {
		struct nest *nest = nest_at(nests, id);

		if (to->depth == NEST_DEPTH)
			return EPERM;
		to->chain[to->depth++] = nest;
		to->is_alone = to->is_alone || nest->is_alone;
	}
	return to->depth == 0 ? 0 : pthread_setspecific(nests->call, to);
}

void
nest_end(struct broker *broker)
{
	if (broker->nests != NULL)
		pthread_setspecific(broker->nests->call, NULL);
}

static const struct nest_call *
find_call(const struct broker *broker)
{
	return broker->nests == NULL ? NULL : pthread_getspecific(broker->nests->call);
}

int
nest_depth(const struct broker *broker)
{
	const struct nest_call *call = find_call(broker);

	return call == NULL ? 0 : call->depth;
}

bool
nest_is_alone(const struct broker *broker)
{
	const struct nest_call *call = find_call(broker);

	return call != NULL && call->is_alone;
}

/* ---- asking ---- */

static void
hang_up(struct nest *nest)
{
	close(nest->line);
	nest->line = -1;
}

/* Takes one answer: 1 if it is that to the last question, 0 if not, -1 if there is none. */
static int
take_answer(struct nest *nest, struct nest_answer *to)
{
	ssize_t n = recv(nest->line, to, sizeof *to, MSG_DONTWAIT);

	if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
		hang_up(nest);
	if (n != (ssize_t)sizeof *to)
		return n > 0 ? 0 : -1;
	if (to->number != nest->asked)
		return 0;
	nest->owes = false;
	return 1;
}

/* Whoever owes an answer is not asked again: one that is stopped must not stop us each time. */
static bool
is_ready(struct nest *nest)
{
	struct nest_answer late;

	while (nest->line >= 0 && nest->owes && take_answer(nest, &late) >= 0)
		;
	return nest->line >= 0 && !nest->owes;
}

static bool
await(struct nest *nest, struct nest_answer *to)
{
	int64_t end = clock_ms() + ANSWER_MS, left;

	while (nest->line >= 0 && (left = end - clock_ms()) > 0) {
		struct pollfd line = {.fd = nest->line, .events = POLLIN};

		if (poll(&line, 1, (int)left) > 0 && take_answer(nest, to) == 1)
			return true;
	}
	return false;
}

static bool
say(const struct nest *nest, struct nest_question *question, size_t length, int fd)
{
	char control[CMSG_SPACE(sizeof fd)] = {0};
	struct iovec data = {question, offsetof(struct nest_question, texts) + length};
	struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1};
	struct cmsghdr *header;

	if (fd >= 0) {
		message.msg_control = control;
		message.msg_controllen = sizeof control;
		header = CMSG_FIRSTHDR(&message);
		header->cmsg_level = SOL_SOCKET;
		header->cmsg_type = SCM_RIGHTS;
		header->cmsg_len = CMSG_LEN(sizeof fd);
		memcpy(CMSG_DATA(header), &fd, sizeof fd);
	}
	return sendmsg(nest->line, &message, MSG_DONTWAIT | MSG_NOSIGNAL) ==
	       (ssize_t)data.iov_len;
}

/* No answer is a no: the answer is all 0 then. */
static struct nest_answer
ask(struct nest *nest, struct nest_question *question, size_t length, int fd)
{
	struct nest_answer answer = {0};
	bool answered = false;

	pthread_mutex_lock(&nest->lock);
	if (!nest->is_alone && is_ready(nest)) {
		question->number = ++nest->asked;
		nest->owes = say(nest, question, length, fd);
		answered = nest->owes && await(nest, &answer);
	}
	pthread_mutex_unlock(&nest->lock);
	return answered ? answer : (struct nest_answer){0};
}

/* Both texts, or one; 0: they are too long. */
static size_t
write_texts(struct nest_question *to, const char *first, const char *second)
{
	size_t lengths[2] = {strlen(first) + 1, second == NULL ? 0 : strlen(second) + 1};

	if (lengths[0] > PATH_MAX || lengths[1] > PATH_MAX)
		return 0;
	memcpy(to->texts, first, lengths[0]);
	if (second != NULL)
		memcpy(to->texts + lengths[0], second, lengths[1]);
	return lengths[0] + lengths[1];
}

static struct nest_answer
ask_path(struct nest *nest, const char *path)
{
	struct nest_question question = {.kind = NEST_JUDGE};
	size_t length = write_texts(&question, path, NULL);

	return length == 0 ? (struct nest_answer){0} : ask(nest, &question, length, -1);
}

/* ---- judging ---- */

#define KIND(which)                                                                         \
	[which] = {.kind = PROTECT_VETTED, .vet = which, .pattern = "", .self_only = true, \
		   .reason = "the sandbox inside has it vetted"}
static const struct protection vetted[] = {
	KIND(VET_FOLDER), KIND(VET_CONFIG),    KIND(VET_MODULES), KIND(VET_POINTER),
	KIND(VET_GITDIR), KIND(VET_COMMONDIR), KIND(VET_HEAD),
};

/* Calls that make or move something else than a file. */
static bool
makes_other(int number)
{
	static const int calls[] = {
#ifdef SYS_open
		SYS_mkdir, SYS_mknod, SYS_symlink, SYS_rmdir, SYS_rename,
#endif
#ifdef SYS_renameat
		SYS_renameat,
#endif
		SYS_mkdirat, SYS_mknodat, SYS_symlinkat, SYS_renameat2, SYS_bind,
	};

	for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++)
		if (calls[i] == number)
			return true;
	return false;
}

static struct verdict
verdict_of(const struct nest_call *call, const struct nest_answer *answer)
{
	static const struct planned_rule held = {.path = "", .root = ""};
	struct verdict verdict = {.rights = answer->rights & RIGHTS_ALL};

	if (answer->is_held)
		verdict.held = &held;
	if (answer->vet >= sizeof vetted / sizeof vetted[0])
		verdict.rights &= ~(unsigned)RIGHTS_CHANGE;
	else if (answer->vet != VET_NOTHING)
		verdict.vetted = &vetted[answer->vet];
	if (answer->is_by_name && makes_other(call->number))
		verdict.rights &= ~(unsigned)(RIGHT_CREATE | RIGHT_DELETE);
	return verdict;
}

struct verdict
nest_judge(const struct broker *broker, int number, const char *path)
{
	const struct nest_call *call = find_call(broker);
	struct nest_answer answer;

	if (call == NULL || number > call->depth)
		return (struct verdict){.rights = 0};
	answer = ask_path(call->chain[number - 1], path);
	return verdict_of(call, &answer);
}

static void
narrow(struct verdict *to, const struct verdict *by)
{
	to->rights &= by->rights;
	if (to->held == NULL)
		to->held = by->held;
	/* two that want different things in one place: it stays as it is */
	if (to->vetted != NULL && by->vetted != NULL && to->vetted->vet != by->vetted->vet)
		to->rights &= ~(unsigned)RIGHTS_CHANGE;
	if (to->vetted == NULL)
		to->vetted = by->vetted;
}

void
nest_narrow(const struct broker *broker, const char *path, struct verdict *verdict)
{
	int depth = nest_depth(broker);

	if (nest_is_alone(broker))
		*verdict = (struct verdict){.rights = 0};
	for (int i = 1; i <= depth && verdict->rights != 0; i++) {
		struct verdict by = nest_judge(broker, i, path);

		narrow(verdict, &by);
	}
}

bool
nest_any_guards(const struct broker *broker, const char *path)
{
	const struct nest_call *call = find_call(broker);

	for (int i = 0; call != NULL && i < call->depth; i++)
		if (ask_path(call->chain[i], path).guards)
			return true;
	return false;
}

bool
nest_all_guard(const struct broker *broker, const char *path)
{
	const struct nest_call *call = find_call(broker);

	for (int i = 0; call != NULL && i < call->depth; i++)
		if (!ask_path(call->chain[i], path).guards)
			return false;
	return true;
}

bool
nest_may_link(const struct broker *broker, const char *path, const char *text)
{
	const struct nest_call *call = find_call(broker);
	struct nest_question question = {.kind = NEST_LINK};
	size_t length = write_texts(&question, path, text);

	for (int i = 0; call != NULL && i < call->depth; i++)
		if (length == 0 || ask(call->chain[i], &question, length, -1).rights == 0)
			return false;
	return true;
}

/* The content in a file without a name, which nobody changes afterwards. */
static int
pack(const char *text, size_t length)
{
	int fd = memfd_create("git", MFD_CLOEXEC);

	for (size_t done = 0; fd >= 0 && done < length;) {
		ssize_t n = pwrite(fd, text + done, length - done, (off_t)done);

		if (n <= 0) {
			close(fd);
			return -1;
		}
		done += (size_t)n;
	}
	return fd;
}

bool
nest_may_hold(const struct broker *broker, const char *path, enum vet vet, const char *text,
	      size_t length)
{
	const struct nest_call *call = find_call(broker);
	struct nest_question question = {.kind = NEST_VET, .vet = vet};
	size_t size = write_texts(&question, path, NULL);

	for (int i = 0; call != NULL && i < call->depth; i++) {
		auto_fd int fd = pack(text, length);

		if (fd < 0 || size == 0 || ask(call->chain[i], &question, size, fd).rights == 0)
			return false;
	}
	return true;
}

/* ---- the door ---- */

/* Lines whose other end is gone: an agent may run thousands, one after the other. */
static void
sweep(const struct nests *nests)
{
	for (int i = 1; i < nests->count; i++) {
		struct nest *nest = nest_at(nests, i);
		struct pollfd line = {.fd = nest->line};

		if (nest->line < 0 || pthread_mutex_trylock(&nest->lock) != 0)
			continue;
		line.fd = nest->line;
		if (line.fd >= 0 && poll(&line, 1, 0) == 1 && line.revents != 0)
			hang_up(nest);
		pthread_mutex_unlock(&nest->lock);
	}
}

/* The other end for the caller, or -1 with errno. The lock is held. */
static int
enter(struct nests *nests, const struct call *request)
{
	int parent = read_mark(nests, request), ends[2], id;

	sweep(nests);
	errno = EPERM;
	if (parent < 0)
		return -1;
	errno = E2BIG;
	if (nest_at(nests, parent)->depth + 1 >= NEST_DEPTH)
		return -1;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return -1;
	id = add(nests, parent, false, ends[0]);
	if (id > 0) {
		nest_at(nests, id)->expects = request->thread;
		errno = EPERM;
		if (write_mark(nests, request, id))
			return ends[1];
		nest_at(nests, id)->line = -1;
	}
	close(ends[0]);
	close(ends[1]);
	return -1;
}

void
act_door(struct broker *broker, const struct call *request)
{
	const __u64 *a = request->notif.data.args;
	struct nests *nests = broker->nests;
	int fd, why;

	if (nests == NULL || (uint32_t)a[2] != NEST_DOOR || a[0] > DOOR_ENTER) {
		request_fail(request, nests == NULL ? EOPNOTSUPP : EINVAL);
	} else if (a[0] == DOOR_ASK) {
		request_return(request,
			       OFFER_CHANGES |
				       (broker->plan->facts.values[FACT_NOTIFY_WAIT_KILLABLE]
						? OFFER_KILLABLE
						: 0));
	} else {
		pthread_mutex_lock(&nests->lock);
		fd = enter(nests, request);
		why = errno;
		pthread_mutex_unlock(&nests->lock);
		if (fd < 0)
			request_fail(request, why);
		else
			request_give(request, fd, true, false);
	}
}

/* Has the caller a mark that covers the layer it is about to add? The lock is held. */
static bool
mark_alone(struct nests *nests, const struct call *request)
{
	int id = read_mark(nests, request), inside;
	struct nest *nest;

	if (id < 0)
		return false;
	nest = nest_at(nests, id);
	if (nest->is_alone)
		return true;
	if (nest->expects == request->thread) {
		nest->expects = 0;
		return request_is_valid(request);
	}
	inside = nest->alone != 0 ? nest->alone : add(nests, id, true, -1);
	if (inside <= 0)
		return false;
	nest->alone = inside;
	return write_mark(nests, request, inside);
}

/* Marked before it is restricted: there is no moment in which it is acted for past its layer. */
void
act_restrict(struct broker *broker, const struct call *request)
{
	struct nests *nests = broker->nests;
	bool is_marked = false;

	if (nests != NULL) {
		pthread_mutex_lock(&nests->lock);
		is_marked = mark_alone(nests, request);
		pthread_mutex_unlock(&nests->lock);
	}
	if (is_marked)
		request_continue(request);
	else
		request_fail(request, EOPNOTSUPP);
}
