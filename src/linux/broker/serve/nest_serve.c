// SPDX-License-Identifier: MIT
/*
 * The nest's side: registers with the outer cordon and answers its queries by the nest's own plan. The
 * answering thread must not make a supervised call, because the broker that would serve it is waiting for
 * the answer. Opening files by O_PATH and reading is not supervised for it; nothing is written here.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/fd.h"
#include "linux/broker/git/git_check.h"
#include "linux/broker/nest.h"
#include "linux/broker/socket/sys_socket.h"
#include "linux/landlock/ruleset.h"
#include "plan/shared_dirs.h"

/* ---- answers ---- */

static void
decide(const struct notif_call *request, const char *path, struct nest_answer *to)
{
	struct verdict verdict = broker_decide(request, path);

	to->rights = verdict.rights;
	to->vet = verdict.vetted == NULL ? (uint32_t)VET_NOTHING : (uint32_t)verdict.vetted->vet;
	to->is_pinned = verdict.pinned_by != NULL;
	to->guards = broker_covers(request, path, RIGHTS_CHANGE);
	to->is_by_name = plan_is_by_name(request->broker->plan, path);
	/* the outer broker is not under the nest's layer */
	if (!broker_is_private_tmp(request->broker, path) &&
	    rules_entries_withholds(request->broker->plan, path))
		to->rights &= ~(unsigned)RIGHT_READ;
}

/* Existing content is read here, not sent. */
static bool
vet(const struct notif_call *request, const char *path, uint32_t kind, int fd)
{
	struct git_file file = {0}, present = {0};
	struct gitconfig_text text, old;
	bool has_present, is_fine;

	if (fd < 0 || git_install_read_fd(fd, &file) != 0)
		return false;
	has_present = git_install_read(AT_FDCWD, path, &present) == 0;
	text = (struct gitconfig_text){file.text, file.length};
	old = (struct gitconfig_text){present.text, present.length};
	is_fine = git_content_check(request, path, (enum vet)kind, &text,
				    has_present ? &old : NULL) == 0;
	free(file.text);
	free(present.text);
	return is_fine;
}

static bool
carry(const struct notif_call *request, const char *path, uint32_t kind, int fd)
{
	struct git_file file = {0};
	bool is_fine =
		fd >= 0 && git_install_read_fd(fd, &file) == 0 &&
		git_content_may_move_pointer(request, path, (enum vet)kind,
					     &(struct gitconfig_text){file.text, file.length});

	free(file.text);
	return is_fine;
}

static struct nest_answer
answer(const struct notif_call *request, const struct nest_question *question, const char *second,
       int fd)
{
	const char *path = question->texts;
	struct nest_answer to = {.number = question->number};
	bool is_here = false;

	switch (question->kind) {
	case NEST_DECIDE:
		decide(request, path, &to);
		break;
	case NEST_LINK:
		to.rights = second != NULL && git_symlink_may_point(request, path, second)
				    ? RIGHTS_ALL
				    : 0;
		break;
	case NEST_VET:
		to.rights = vet(request, path, question->vet, fd) ? RIGHTS_ALL : 0;
		break;
	case NEST_CARRY:
		to.rights = carry(request, path, question->vet, fd) ? RIGHTS_ALL : 0;
		break;
	case NEST_SOCKET:
		to.rights = unix_may_connect(request, path, question->born, question->changed)
				    ? RIGHTS_ALL
				    : 0;
		break;
	case NEST_ADDRESS:
		to.rights = inet_may_reach(request->broker, question, &is_here) ? RIGHTS_ALL : 0;
		to.is_here = is_here;
		break;
	case NEST_NETWORK:
		to.rights = request->broker->plan->settings.network.mode != NET_NONE ? RIGHTS_ALL
										     : 0;
		break;
	case NEST_DATAGRAMS:
		to.rights = request->broker->plan->has_datagrams ||
					    request->broker->plan->settings.network.mode == NET_ALL
				    ? RIGHTS_ALL
				    : 0;
		break;
	default:
		break;
	}
	return to;
}

/* ---- queries ---- */

/* Checks that the strings end inside the message and that the first is a path. */
static bool
is_whole(const struct nest_question *question, size_t length, const char **ret_second)
{
	size_t head = offsetof(struct nest_question, texts), first;

	if (length <= head || question->texts[length - head - 1] != '\0' || *question->texts != '/')
		return false;
	first = strlen(question->texts) + 1;
	*ret_second = first < length - head ? question->texts + first : NULL;
	return first <= PATH_MAX;
}

/* Returns the size of the message; *ret_fd is the fd sent with it, or -1. */
static ssize_t
receive(int line, struct nest_question *to, int *ret_fd)
{
	char control[CMSG_SPACE(sizeof(int))];
	struct iovec data = {to, sizeof *to};
	struct msghdr message = {.msg_iov = &data,
				 .msg_iovlen = 1,
				 .msg_control = control,
				 .msg_controllen = sizeof control};
	const struct cmsghdr *header;
	ssize_t n;

	do
		n = recvmsg(line, &message, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	*ret_fd = -1;
	header = n > 0 ? CMSG_FIRSTHDR(&message) : NULL;
	if (header != NULL && header->cmsg_type == SCM_RIGHTS)
		memcpy(ret_fd, CMSG_DATA(header), sizeof *ret_fd);
	return n;
}

void
nest_serve(struct broker *broker, int line)
{
	const struct notif_call no_call = {.broker = broker}; /* the answers are for every caller */
	struct nest_question question = {0};
	struct nest_answer said;
	const char *second;
	ssize_t n;

	do {
		auto_fd int fd = -1;

		n = receive(line, &question, &fd);
		if (n <= 0 || !is_whole(&question, (size_t)n, &second))
			return;
		said = answer(&no_call, &question, second, fd);
	} while (send(line, &said, sizeof said, MSG_NOSIGNAL) == (ssize_t)sizeof said);
}
