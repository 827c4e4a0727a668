// SPDX-License-Identifier: MIT
/*
 * Opens outside the layers. The thread has the command's rights and its own umask, and decides nothing:
 * each file was decided before, and is opened by fd or in an open directory.
 */
#include "base/os.h"

#include "linux/broker/opener.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <unistd.h>

#include "linux/broker/file/open_file.h"
#include "linux/process/privileges.h"
#include "linux/process/thread.h"

#define STACK_SIZE (128 * 1024)

/* On the stack of the waiting thread. */
struct opener_job {
	const struct open_call *what;
	opener_fn *open;
	int fd_path, fd, why;
	bool is_done;
	struct opener_job *next;
};

static void *
opener_main(void *argument)
{
	struct opener *opener = argument;
	struct cordon_error err = {0};
	/* the same privileges as the command: it opens nothing that the command could not */
	bool is_fit = privileges_drop(&err) == 0;

	/* where that is refused the umask is not set for single calls either (new_mode.c) */
	if (unshare(CLONE_FS) < 0)
		errno = 0;

	pthread_mutex_lock(&opener->lock);
	for (;;) {
		struct opener_job *job = opener->jobs;

		if (job == NULL) {
			pthread_cond_wait(&opener->changed, &opener->lock);
			continue;
		}
		opener->jobs = job->next;
		pthread_mutex_unlock(&opener->lock);
		job->fd = is_fit ? job->open(job->what, job->fd_path) : -1;
		job->why = is_fit ? errno : EPERM;
		pthread_mutex_lock(&opener->lock);
		job->is_done = true;
		pthread_cond_broadcast(&opener->changed);
	}
	return NULL;
}

void
opener_begin(struct opener *opener)
{
	pthread_mutex_init(&opener->lock, NULL);
	pthread_cond_init(&opener->changed, NULL);
}

void
opener_attend(struct opener *opener)
{
	pthread_mutex_lock(&opener->lock);
	if (opener->state == OPENER_WANTED) {
		opener->state = thread_start(STACK_SIZE, opener_main, opener) == 0 ? OPENER_SERVES
										   : OPENER_FAILED;
		pthread_cond_broadcast(&opener->changed);
	}
	pthread_mutex_unlock(&opener->lock);
}

/* A thread started here would inherit the broker's layer. Requires the lock. */
static void
want(struct opener *opener)
{
	opener->state = OPENER_WANTED;
	if (syscall(SYS_tgkill, getpid(), getpid(), SIGURG) < 0)
		opener->state = OPENER_FAILED;
}

int
opener_open(const struct open_call *o, int fd_path, opener_fn *open)
{
	struct opener *opener = &o->request->broker->opener;
	struct opener_job job = {.what = o,
				 .open = open,
				 .fd_path = fd_path,
				 .fd = -1,
				 .why = EAGAIN};
	struct opener_job **at = &opener->jobs;

	pthread_mutex_lock(&opener->lock);
	if (opener->state == OPENER_NONE)
		want(opener);
	while (opener->state == OPENER_WANTED)
		pthread_cond_wait(&opener->changed, &opener->lock);
	if (opener->state == OPENER_SERVES) {
		while (*at != NULL)
			at = &(*at)->next;
		*at = &job;
		pthread_cond_broadcast(&opener->changed);
	}
	while (opener->state == OPENER_SERVES && !job.is_done)
		pthread_cond_wait(&opener->changed, &opener->lock);
	pthread_mutex_unlock(&opener->lock);
	errno = job.why;
	return job.fd;
}
