/* SPDX-License-Identifier: MIT */
/*
 * The broker answers the system calls that the filter supervises, by the plan. It acts on behalf inside
 * brokered trees and for everything that Landlock does not restrict; elsewhere the kernel continues under
 * the inner layer. Its threads are under the outer layer, the most that the plan allows at all.
 */
#pragma once

#include <pthread.h>

#include "ipc/proxy_ipc.h"
#include "ipc/refusal.h"
#include "linux/broker/long_name.h"
#include "linux/broker/lookup.h"
#include "linux/broker/names_lock.h"
#include "linux/broker/notif.h"
#include "linux/broker/opener.h"
#include "linux/broker/own_listeners.h"
#include "linux/broker/pool.h"
#include "linux/broker/pty.h"
#include "linux/broker/socket_copies.h"
#include "linux/broker/trace.h"
#include "linux/casefold/casefold.h"
#include "linux/landlock/ruleset.h"
#include "linux/process/kill_all.h"
#include "plan/plan.h"

struct autorun_changes;
struct stat;

#define OWN_SOCKETS 256

/* A named unix socket created by the session. */
struct own_socket {
	uint64_t device, inode;
	int64_t born; /* birth time in ns: inode numbers are reused */
};

/* A git file being written (git_staging.c); process 0 or fd -1: unused. */
#define STAGED_MAX 16
struct staged_file {
	pid_t process;
	int number; /* fd number in its table */
	int fd, folder;
	char name[NAME_MAX + 1];
	bool exclusive;
	bool is_duplicated; /* the fd was duplicated: the file will not be installed */
};

/* The last refusals, because programs repeat failed attempts and each is reported once. */
#define REFUSALS 8

struct broker {
	const struct plan *plan;
	struct casefold *fold;	      /* folded rules, for directories that ignore case */
	struct git_repo_cache *hooks; /* repository settings; NULL: not read */
	const char *private_tmp;      /* granted whole; NULL: none */
	mode_t umask;		      /* the user's */
	struct brokered_trees trees;
	int listener;
	bool reads;	     /* reads are brokered: no open continues in the kernel */
	bool cuts_blindly;   /* the inner layer does not handle truncation */
	bool is_asked;	     /* it only answers queries and changes nothing (nest_serve.c) */
	struct trace *trace; /* --trace; NULL: none */
	struct nests *nests; /* nests (nest.c); NULL: none can register */
	int own;	     /* fd of /proc/self/fd */
	int numbers;	     /* limit of open fds */
	int fd_watermark;    /* above this fd number, count the open fds; 0: do not */
	struct pool serving;
	struct kill_all kill_all;
	/*
	 * Threads have their own umask and working directory (CLONE_FS), which are set for single calls.
	 * Else the umask of all is 0 while they serve.
	 */
	bool has_own_fs;
	bool low_fds;		 /* the limit is low */
	struct names_lock names; /* held while deciding and acting; exclusively for renames */
	int parked;		 /* opens that block in their own threads */
	int connecting;		 /* likewise for connects, and their limit */
	int late;		 /* threads that wait for a nest's answer (nest_retry.c) */
	pthread_mutex_t small;	 /* protects the members up to the next lock */
	struct staged_file staged[STAGED_MAX];
	uint64_t refusals[REFUSALS];	 /* hashes, a ring buffer */
	size_t refused;			 /* number of different refusals so far */
	int events;			 /* socket for refusals; -1: none */
	struct autorun_changes *changed; /* reported at the end; NULL: none */
	bool is_untidy;			 /* autorun_note_compact is due */
	struct egress egress;		 /* line -1: no proxy */
	pthread_mutex_t sockets;	 /* protects the members below */
	pthread_cond_t answered; /* signalled when a proxy request or loopback job is done */
	struct proxy_request *asking;
	uint64_t last_asked;
	struct own_listeners own_servers;   /* own listening sockets; has its own lock */
	struct socket_copies copies;	    /* has its own lock */
	struct ptys terminals;		    /* has its own lock */
	struct opener opener;		    /* has its own lock */
	struct long_names deep;		    /* has its own lock */
	struct loopback_job *loopback_jobs; /* waiting for loopback_connect.c */
	bool has_loopback_thread;
	pid_t group;	 /* process group in which the command was started */
	int64_t started; /* on the clock of birth times; before the command started */
	struct own_socket made[OWN_SOCKETS]; /* the newest ones */
	size_t made_count;
};

/* The current time on the clock of file timestamps, in ns. */
int64_t broker_now(void);
/* Initialises the locks and fds of a zeroed broker. */
void broker_begin(struct broker *broker);
/*
 * Serves the listener and never returns. The calling thread has entered the outer layer.
 */
_Noreturn void broker_serve(struct broker *broker);

/*
 * Answers one call. Returns NULL, or the innermost nest of the caller if a query was not answered within
 * timeout_ms: then nothing was answered or done, and the call can be started again.
 */
struct nest;
struct nest *broker_answer(struct notif_call *request, int timeout_ms);

/* ---- for handlers ---- */

typedef void broker_fn(const struct notif_call *request);

/*
 * Decides about a canonical path by the plan and by those of all nests of the caller. The private tmp is
 * allowed.
 */
struct verdict broker_decide(const struct notif_call *request, const char *path);
/* The same for reading only, which git protection does not affect; faster. */
struct verdict broker_decide_reading(const struct notif_call *request, const char *path);
/* By one plan alone: 0 is the session's own, others up to nest_depth. */
struct verdict broker_decide_by(const struct notif_call *request, int number, const char *path);
/* By the session's own plan, for any caller. */
struct verdict broker_decide_own(const struct broker *broker, const char *path);
typedef struct verdict decide_fn(const struct notif_call *request, const char *path);
/*
 * Decides about an open object by its canonical path. *ret_path (caller frees) is that path, or empty if
 * it has none in a file system: then the object is the caller's own. If the path cannot be found,
 * *ret_path is NULL with errno, and no right is granted.
 */
struct judged {
	int object;
	bool is_proc; /* in procfs */
	const char *
		/* the path that the lookup used, if the canonical path is too long; NULL: unknown */
		way;
	int base; /* not owned: directory where way starts */
	enum lookup_follow follow;
	int flags; /* a caller's fd: its open flags */
};
struct verdict broker_decide_object(const struct notif_call *request, const struct judged *what,
				    decide_fn *decide, char **ret_path);
/* Locks names while deciding and acting; exclusively if the name affects decisions about others. */
void broker_lock(const struct notif_call *request, const char *path);
/* The same for a call that moves or links names, always exclusively; other may be NULL. */
void broker_lock_two(const struct notif_call *request, const char *path, const char *other);
/* refuse.c: reports a refusal, of which the caller only sees an errno. */
void refuse_report(const struct notif_call *request, enum refused what, const char *subject,
		   enum cause why);
/* The same with the other data of the cause. */
void refuse_event(const struct notif_call *request, struct refusal *refusal, const char *subject);
void refuse_protected(const struct notif_call *request, enum refused what, const char *path,
		      const struct protection *protection);
/* Reports a refused call without a path: the subject is the program's name. */
void refuse_request(const struct notif_call *request, enum refused what, enum cause why);
/* The same for datagrams, where only connections are granted. */
void refuse_datagrams(const struct notif_call *request);
/* Reports missing rights by the verdict that decided. Returns -1 with EACCES. */
int refuse_rights(const struct notif_call *request, const char *path, const struct verdict *verdict,
		  unsigned missing);
/* Likewise for creating a directory, where the remedy for a file would not help. */
void refuse_folder(const struct notif_call *request, const char *path,
		   const struct verdict *verdict);
/* Reports a call that continues in the kernel, which will refuse the missing rights. */
void refuse_report_by_kernel(const struct notif_call *request, const char *path,
			     const struct verdict *verdict, unsigned rights);
/*
 * autorun_note.c: notes that a name is about to be created, changed or removed; at: the present file, NULL
 * if none. Changed autorun files are reported at the end of the session.
 */
void autorun_note_path(struct broker *broker, const char *path, const struct stat *at);
void autorun_note_at(struct broker *broker, int folder, const char *name, const char *path);
/* Called between calls: makes room for more notes. */
void autorun_note_compact(struct broker *broker);
/* Does the inner layer withhold these rights, so that the broker decides? Else the kernel may continue. */
bool broker_covers(const struct notif_call *request, const char *path, unsigned rights);
/* The same for the session's own plan alone. */
bool broker_covers_own(const struct broker *broker, const char *path, unsigned rights);
/* Was everything created here inspected by every plan? */
bool broker_vetted_by_all(const struct notif_call *request, const char *path);
bool broker_is_private_tmp(const struct broker *broker, const char *path);

/* Reopens an object in its own thread, because the open may block, and gives the fd to the caller. */
void blocking_open_start(const struct notif_call *request, int object, int flags);

/* sys_open.c, sys_names.c, sys_rename.c, sys_mode.c, sys_times.c, sys_socket.c, git_staging.c */
broker_fn sys_open, sys_openat, sys_creat, sys_truncate;
broker_fn sys_mkdir, sys_mkdirat, sys_mknod, sys_mknodat, sys_symlink, sys_symlinkat, sys_unlink,
	sys_unlinkat, sys_rmdir, sys_link, sys_linkat, sys_rename, sys_renameat, sys_renameat2;
broker_fn sys_chmod, sys_fchmod, sys_fchmodat, sys_fchmodat2, sys_chown, sys_lchown, sys_fchown,
	sys_fchownat, sys_utime, sys_utimes, sys_futimesat, sys_utimensat, sys_setxattr,
	sys_lsetxattr, sys_fsetxattr, sys_removexattr, sys_lremovexattr, sys_fremovexattr,
	sys_setxattrat, sys_removexattrat;
broker_fn sys_socket, sys_socketpair, sys_bind, sys_listen, sys_connect;
/* sys_send.c */
broker_fn sys_sendto, sys_sendmsg, sys_sendmmsg;
broker_fn sys_close, sys_dup;
/* pty.c */
broker_fn sys_ioctl;
/* sys_kill.c */
broker_fn sys_kill, sys_tkill, sys_tgkill, sys_rt_sigqueueinfo, sys_rt_tgsigqueueinfo,
	sys_pidfd_send_signal, sys_fcntl, sys_own_process_first, sys_own_process_second;
/* Is it a process of the session, and for a caller in a nest, of that nest? */
bool broker_may_signal(const struct notif_call *request, pid_t process);
/* sys_pgrp.c */
broker_fn sys_setpgid;
void sys_set_foreground(const struct notif_call *request);
/* refuse.c */
broker_fn sys_sysv;
/* nest.c */
broker_fn sys_nest_handshake, sys_landlock_restrict_self;

/*
 * git_check.c: completes a verdict. A directory with HEAD and objects is a repository whatever its name, so
 * git files in it are inspected or protected as below .git.
 */
void broker_complete_verdict(const struct broker *broker, const char *path,
			     struct verdict *verdict);
/* The same for a path too long to be inspected: git names, and names below them, cannot be changed. */
void broker_complete_deep_verdict(const struct broker *broker, const char *path,
				  struct verdict *verdict);
/* Must creating this name exclude all other decisions? Then the lock is taken exclusively. */
bool broker_is_repo_marker(const char *path);
