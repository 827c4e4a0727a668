// SPDX-License-Identifier: MIT
/*
 * Queries nests and combines their answers with the session's decision. No answer counts as a refusal. At
 * most one query per nest is outstanding, so a stopped one cannot stall calls of others. Answers come from
 * a process inside: they can take rights away and nothing else.
 */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "linux/broker/nest.h"

#define ANSWER_MS 10000 /* a nest that does not answer in this time refuses */
#define LOCK_SHARE 5	/* divisor of timeout_ms, for waiting until other queries are done */

int
nest_depth(const struct notif_call *request)
{
	const struct nest_call *call = request->nested;

	return call == NULL ? 0 : call->depth;
}

bool
nest_unregistered(const struct notif_call *request)
{
	const struct nest_call *call = request->nested;

	return call != NULL && call->is_unregistered;
}

bool
nest_is_late(const struct notif_call *request)
{
	const struct nest_call *call = request->nested;

	return call != NULL && call->is_late;
}

bool
nest_is_complete(const struct notif_call *request)
{
	const struct nest_call *call = request->nested;

	return call == NULL || (!call->is_late && !call->is_incomplete);
}

/* Requires the lock. */
void
nest_close(struct nest *nest)
{
	close(nest->line);
	__atomic_store_n(&nest->line, -1, __ATOMIC_RELAXED);
}

/* ---- query ---- */

/*
 * Reads the answer to the last query, if there is one. At most one is outstanding: any other message
 * closes the socket, or a nest could flood the broker with messages.
 */
static bool
take_answer(struct nest *nest, struct nest_answer *to)
{
	ssize_t n = recv(nest->line, to, sizeof *to, MSG_DONTWAIT);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	if (n != (ssize_t)sizeof *to || !nest->is_pending || to->number != nest->asked) {
		nest_close(nest);
		return false;
	}
	nest->is_pending = false;
	return true;
}

/* No new query while one is unanswered, or a stopped nest would delay every call. */
static bool
is_ready(struct nest *nest)
{
	struct nest_answer late;

	if (nest->line >= 0 && nest->is_pending)
		take_answer(nest, &late);
	return nest->line >= 0 && !nest->is_pending;
}

static bool
await(struct nest *nest, int timeout_ms, struct nest_answer *to)
{
	int64_t end = nest->since + timeout_ms, left;

	while (nest->line >= 0 && (left = end - clock_ms()) > 0) {
		struct pollfd line = {.fd = nest->line, .events = POLLIN};

		if (poll(&line, 1, (int)left) > 0 && take_answer(nest, to))
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
	return sendmsg(nest->line, &message, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)data.iov_len;
}

/* Notes whether the answer may still come. Requires the lock. */
static void
note_silence(struct nest_call *call, const struct nest *nest)
{
	if (nest->line >= 0 && nest->is_pending && clock_ms() - nest->since < ANSWER_MS)
		call->is_late = true;
	else
		call->is_incomplete = true;
}

/* A nest that answers slowly delays only its own callers. */
static bool
lock_nest(struct nest *nest, int timeout_ms)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += timeout_ms * 1000000L / LOCK_SHARE;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	return pthread_mutex_timedlock(&nest->lock, &until) == 0;
}

/* No answer is a refusal: all 0. Names are locked meanwhile, so the wait is bounded. */
static struct nest_answer
ask_it(struct nest_call *call, struct nest *nest, struct nest_question *question, size_t length,
       int fd)
{
	struct nest_answer answer = {0}, no = {0};
	bool answered = false;

	if (!lock_nest(nest, call->timeout_ms)) {
		call->is_late = true;
		return no;
	}
	if (!nest->is_unregistered && is_ready(nest)) {
		question->number = ++nest->asked;
		nest->since = clock_ms();
		nest->is_pending = say(nest, question, length, fd);
		answered = nest->is_pending && await(nest, call->timeout_ms, &answer);
	}
	if (!answered)
		note_silence(call, nest);
	pthread_mutex_unlock(&nest->lock);
	return answered ? answer : no;
}

/* Suspends the names lock, so that other sessions do not wait for a slow nest. */
static struct nest_answer
ask(struct nest_call *call, struct nest *nest, struct nest_question *question, size_t length,
    int fd)
{
	struct nest_answer answer = {0}, no = {0};
	struct names_lock_loan loan;
	bool is_suspended;

	if (call->is_late)
		return no;
	is_suspended = call->names != NULL && names_lock_suspend(call->names, &loan);
	answer = ask_it(call, nest, question, length, fd);
	if (!is_suspended || names_lock_resume(call->names, &loan))
		return answer;
	call->is_late = call->is_disturbed = true;
	call->disturbed++;
	return no;
}

/* Writes one or two texts. Returns 0 if they are too long. */
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
ask_path(struct nest_call *call, int i, const char *path)
{
	struct nest_question question = {.kind = NEST_DECIDE};
	struct nest_answer no = {0};
	size_t length = write_texts(&question, path, NULL);

	if (length == 0)
		return no;
	return ask(call, call->chain[i], &question, length, -1);
}

/* ---- decisions ---- */

#define KIND(which)                        \
	[which] = {.kind = PROTECT_VETTED, \
		   .vet = which,           \
		   .pattern = "",          \
		   .self_only = true,      \
		   .reason = "the sandbox inside inspects its content"}
static const struct protection vetted[] = {
	KIND(VET_FOLDER), KIND(VET_CONFIG),    KIND(VET_MODULES), KIND(VET_POINTER),
	KIND(VET_GITDIR), KIND(VET_COMMONDIR), KIND(VET_HEAD),	  KIND(VET_STEPS),
};

/* System calls that create or move something other than a file. */
static bool
makes_other(int number)
{
	static const int calls[] = {
#ifdef SYS_open
		SYS_mkdir,    SYS_mknod,   SYS_symlink,	  SYS_rmdir,	 SYS_rename,
#endif
#ifdef SYS_renameat
		SYS_renameat,
#endif
		SYS_mkdirat,  SYS_mknodat, SYS_symlinkat, SYS_renameat2, SYS_bind,
	};

	for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++)
		if (calls[i] == number)
			return true;
	return false;
}

static struct verdict
verdict_of(const struct nest_call *call, const struct nest_answer *answer)
{
	static const struct planned_rule pinned = {.path = "", .root = ""};
	struct verdict verdict = {.rights = answer->rights & RIGHTS_ALL};

	if (answer->is_pinned)
		verdict.pinned_by = &pinned;
	if (answer->vet >= sizeof vetted / sizeof vetted[0])
		verdict.rights &= ~(unsigned)RIGHTS_CHANGE;
	else if (answer->vet != VET_NOTHING)
		verdict.vetted = &vetted[answer->vet];
	if (answer->is_by_name && makes_other(call->number))
		verdict.rights &= ~(unsigned)(RIGHT_CREATE | RIGHT_DELETE);
	return verdict;
}

struct verdict
nest_decide(const struct notif_call *request, int number, const char *path)
{
	struct nest_call *call = request->nested;
	struct nest_answer answer;

	if (call == NULL || number > call->depth)
		return (struct verdict){.rights = 0};
	answer = ask_path(call, number - 1, path);
	return verdict_of(call, &answer);
}

static void
narrow(struct verdict *to, const struct verdict *by, int nest)
{
	unsigned lost = to->rights & ~by->rights;

	if (to->pinned_by == NULL)
		to->pinned_by = by->pinned_by;
	/* two different inspections required: no change is allowed */
	if (to->vetted != NULL && by->vetted != NULL && to->vetted->vet != by->vetted->vet)
		lost |= to->rights & RIGHTS_CHANGE;
	if (to->vetted == NULL)
		to->vetted = by->vetted;
	to->rights &= ~lost;
	for (int i = 0; i < RIGHT_KINDS; i++)
		if (lost & (1u << i))
			to->by[i] = (struct decision){.nest = nest};
}

void
nest_narrow(const struct notif_call *request, const char *path, struct verdict *verdict)
{
	int depth = nest_depth(request);

	if (nest_unregistered(request)) {
		narrow(verdict, &(struct verdict){.rights = 0}, -1);
		verdict->pinned_by = NULL;
		verdict->vetted = NULL;
	}
	for (int i = 1; i <= depth && verdict->rights != 0; i++) {
		struct verdict by = nest_decide(request, i, path);

		narrow(verdict, &by, i);
	}
}

bool
nest_any_covers(const struct notif_call *request, const char *path)
{
	struct nest_call *call = request->nested;

	for (int i = 0; call != NULL && i < call->depth; i++)
		if (ask_path(call, i, path).guards)
			return true;
	return false;
}

bool
nest_all_cover(const struct notif_call *request, const char *path)
{
	struct nest_call *call = request->nested;

	for (int i = 0; call != NULL && i < call->depth; i++)
		if (!ask_path(call, i, path).guards)
			return false;
	return true;
}

bool
nest_may_link(const struct notif_call *request, const char *path, const char *text)
{
	struct nest_call *call = request->nested;
	struct nest_question question = {.kind = NEST_LINK};
	size_t length = write_texts(&question, path, text);

	for (int i = 0; call != NULL && i < call->depth; i++)
		if (length == 0 || ask(call, call->chain[i], &question, length, -1).rights == 0)
			return false;
	return true;
}

/* Copies the content to a memfd, to which no other process writes. */
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
nest_allows_content(const struct notif_call *request, const char *path, enum vet vet,
		    const struct gitconfig_text *text, enum nest_kind kind)
{
	struct nest_call *call = request->nested;
	struct nest_question question = {.kind = kind, .vet = vet};
	size_t size = write_texts(&question, path, NULL);

	for (int i = 0; call != NULL && i < call->depth; i++) {
		auto_fd int fd = pack(text->text, text->length);

		if (fd < 0 || size == 0 ||
		    ask(call, call->chain[i], &question, size, fd).rights == 0)
			return false;
	}
	return true;
}

bool
nest_may_connect(const struct notif_call *request, const char *path, int64_t born, int64_t changed)
{
	struct nest_call *call = request->nested;
	struct nest_question question = {.kind = NEST_SOCKET, .born = born, .changed = changed};
	size_t length = write_texts(&question, path, NULL);

	for (int i = 0; call != NULL && i < call->depth; i++)
		if (length == 0 || ask(call, call->chain[i], &question, length, -1).rights == 0)
			return false;
	return true;
}

bool
nest_may_reach(const struct notif_call *request, const struct destination *at, bool is_bind,
	       uint64_t by, bool *ret_here)
{
	struct nest_call *call = request->nested;
	bool by_proxy = !is_bind && request->broker->plan->settings.network.mode == NET_DOMAINS;
	struct nest_question question = {.kind = NEST_ADDRESS, .at = *at, .is_bind = is_bind};
	size_t length = write_texts(&question, "/", NULL);

	*ret_here = false;
	for (int i = 0; call != NULL && i < call->depth; i++) {
		struct nest_answer answer;

		question.is_own = nest_is_in(request->broker, by, call->chain[i]);
		question.is_far = by_proxy && !question.is_own;
		answer = ask(call, call->chain[i], &question, length, -1);
		if (answer.rights == 0)
			return false;
		*ret_here = *ret_here || answer.is_here || question.is_own;
	}
	return true;
}

static bool
ask_all(const struct notif_call *request, enum nest_kind kind)
{
	struct nest_call *call = request->nested;
	struct nest_question question = {.kind = kind};
	size_t length = write_texts(&question, "/", NULL);

	for (int i = 0; call != NULL && i < call->depth; i++)
		if (ask(call, call->chain[i], &question, length, -1).rights == 0)
			return false;
	return true;
}

bool
nest_may_network(const struct notif_call *request)
{
	return ask_all(request, NEST_NETWORK);
}

bool
nest_may_datagrams(const struct notif_call *request)
{
	return ask_all(request, NEST_DATAGRAMS);
}
