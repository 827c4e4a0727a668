/* SPDX-License-Identifier: MIT */
/*
 * The broker: answers calls that the filter routes to it, by the plan. It acts on behalf inside
 * guarded trees and for everything that Landlock does not see; elsewhere the kernel goes on under
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
#include "linux/casefold/casefold.h"
#include "linux/landlock/ruleset.h"
#include "linux/process/kill_all.h"
#include "plan/plan.h"

struct autorun_changes;
struct stat;

#define OWN_SOCKETS 256

/* A socket with a name that the session made. */
struct own_socket {
	uint64_t device, inode;
	int64_t born; /* in nanoseconds: numbers are given again */
};

/* A file of git's that is being written in one piece (git_staging.c); process 0 or fd -1: not now. */
#define STAGED_MAX 16
struct staged_file {
	pid_t process;
	int number; /* in its table */
	int fd, folder;
	char name[NAME_MAX + 1];
	bool exclusive;
	bool is_duplicated; /* a second number was asked for: nothing comes of it */
};

/* What was refused last: programs try the same again and again, and once is enough to tell. */
#define REFUSALS 8

struct broker {
	const struct plan *plan;
	struct casefold *fold;	      /* its rules, where names of several spellings are one */
	struct git_repo_cache *hooks; /* of repositories; NULL: they are not looked at */
	const char *private_tmp;      /* free; NULL: none */
	mode_t umask;		      /* the user's own */
	struct brokered_trees trees;
	int listener;
	bool reads;	     /* reading is guarded: no open is ever left to the kernel */
	bool cuts_blindly;   /* the inner layer does not see that a file is cut */
	bool is_asked;	     /* it only answers questions, and changes nothing (nest_serve.c) */
	struct nests *nests; /* the sandboxes inside this one (nest.c); NULL: there can be none */
	int own;	     /* the folder of our own descriptors in /proc */
	int numbers;	     /* that our descriptors may have */
	int fd_watermark;    /* with this one in use there may be too many; 0: no telling */
	struct pool serving;
	struct kill_all kill_all;
	bool low_fds;		 /* there are few to begin with */
	struct names_lock names; /* held while deciding and acting; for moves exclusively */
	int parked;		 /* calls that wait in threads of their own */
	int connecting;		 /* likewise, for whom they connect to */
	int late;		 /* threads for a sandbox inside to answer (nest_retry.c) */
	pthread_mutex_t small;	 /* for what follows */
	struct staged_file staged[STAGED_MAX];
	uint64_t refusals[REFUSALS];	 /* hashes, a ring */
	size_t refused;			 /* how many different ones there were */
	int events;			 /* where they are told; -1: nowhere */
	struct autorun_changes *changed; /* what is to be told in the end; NULL: nothing */
	bool is_untidy;			 /* autorun_compact has something to do */
	pthread_key_t caller;		 /* the call that a thread answers, for refuse.c */
	bool has_caller;
	struct egress egress;	 /* line -1: no proxy */
	pthread_mutex_t sockets; /* for the rest */
	pthread_cond_t answered; /* one of these was */
	struct proxy_request *asking;
	uint64_t last_asked;
	struct own_listeners own_servers; /* on loopback; has a lock of its own */
	struct ptys terminals;		  /* likewise */
	struct opener opener;		  /* likewise */
	struct long_names deep;		  /* likewise */
	struct loopback_job
		*loopback_jobs; /* connections to them that wait for loopback_connect.c */
	bool has_loopback_thread;
	pid_t group;			     /* the process group that the command was started in */
	int64_t started;		     /* like born; before the command was */
	struct own_socket made[OWN_SOCKETS]; /* the last ones */
	size_t made_count;
};

/* Nanoseconds by the clock that files get their times from. */
int64_t broker_now(void);
/* Of a broker that is all zero: its locks, and no fd anywhere. */
void broker_begin(struct broker *broker);
/* Serves the listener until the process ends. The calling thread has entered the outer layer and has a
 * umask and a folder of its own. */
_Noreturn void broker_serve(struct broker *broker);

/*
 * Answers one call; NULL, or the innermost sandbox of a caller about whom a question was not answered
 * within patience (milliseconds): then nothing was said or done, and it may be begun again.
 */
struct nest;
struct nest *broker_answer(struct notif_call *request, int timeout_ms);

/* ---- for the handlers ---- */

typedef void broker_fn(const struct notif_call *request);

/*
 * What the plan says about a canonical path, and those of all the sandboxes inside this one that the
 * caller is in; the private tmp is free.
 */
struct verdict broker_decide(const struct notif_call *request, const char *path);
/* The same where only reading matters, which nothing but the plan decides about: quicker. */
struct verdict broker_decide_reading(const struct notif_call *request, const char *path);
/* By one of these plans alone, from 0, the session's own, to nest_depth. */
struct verdict broker_decide_by(const struct notif_call *request, int number, const char *path);
/* By the session's own plan, for any caller. */
struct verdict broker_decide_own(const struct broker *broker, const char *path);
typedef struct verdict decide_fn(const struct notif_call *request, const char *path);
/*
 * What may be done with a held object, by the name it was reached by; *ret_path, to be freed, is that name, or
 * empty when it has none in a file system: then it is the caller's own. NULL with errno: it cannot be told.
 */
struct judged {
	int object;
	bool is_proc; /* procfs's own */
	const char *
		way; /* by which it was found, for a file whose name is too long; NULL: none is known */
	int base; /* borrowed: where the way starts */
	enum lookup_follow follow;
};
struct verdict broker_decide_object(const struct notif_call *request, const struct judged *what,
				    decide_fn *decide, char **ret_path);
/* Held while deciding and acting; exclusively where a name decides about others. */
void broker_lock(const struct notif_call *request, const char *path);
/* refuse.c: reports a refusal, of which the caller only sees an errno. */
void refuse_report(struct broker *broker, enum refused what, const char *subject, enum cause why);
/* The same with what else the cause needs. */
void refuse_event(struct broker *broker, struct refusal *refusal, const char *subject);
void refuse_protected(struct broker *broker, enum refused what, const char *path,
		      const struct protection *protection);
/* What a program asked for as a whole: the subject is its name. */
void refuse_request(struct broker *broker, const struct notif_call *request, enum refused what,
		    enum cause why);
/* The same for datagrams, where only connections are granted. */
void refuse_datagrams(struct broker *broker, const struct notif_call *request);
/* Rights that are missing, by the verdict that decided. -1 with EACCES. */
int refuse_rights(struct broker *broker, const char *path, const struct verdict *verdict,
		  unsigned missing);
/* Likewise of a folder that was to be made: the remedy for a file would not help. */
void refuse_folder(struct broker *broker, const char *path, const struct verdict *verdict);
/* What is left to the kernel: the rights that the plan does not give will be refused there. */
void refuse_report_by_kernel(struct broker *broker, const char *path, const struct verdict *verdict,
			     unsigned rights);
/*
 * autorun_note.c: a name is about to be made, changed or removed; at: what is there, NULL: nothing. Those
 * that run by themselves later are told of when the session ends.
 */
void autorun_note_path(struct broker *broker, const char *path, const struct stat *at);
void autorun_note_at(struct broker *broker, int folder, const char *name, const char *path);
/* Between calls: makes room for more of them. */
void autorun_compact(struct broker *broker);
/* Does the inner layer leave this to us? Otherwise it decides, and the kernel may go on. */
bool broker_covers(const struct notif_call *request, const char *path, unsigned rights);
/* The same for our own plan alone. */
bool broker_covers_own(const struct broker *broker, const char *path, unsigned rights);
/* Whatever was made here, has it been looked at by every plan? */
bool broker_vetted_by_all(const struct notif_call *request, const char *path);
bool broker_is_private_tmp(const struct broker *broker, const char *path);

/* Opens a held object again, which may wait for somebody else, and gives it to the caller. */
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
/* Is it a process of the session, and for a caller in a sandbox inside, of that one? */
bool broker_may_signal(const struct notif_call *request, pid_t process);
/* sys_pgrp.c */
broker_fn sys_setpgid;
void sys_set_foreground(const struct notif_call *request);
/* refuse.c */
broker_fn sys_sysv;
/* nest.c */
broker_fn sys_nest_handshake, sys_landlock_restrict_self;

/*
 * git_check.c: completes a verdict. A folder with HEAD and objects in it is a repository whatever its
 * name, so what git obeys in it is vetted or protected as below a .git.
 */
void broker_complete_verdict(const struct broker *broker, const char *path,
			     struct verdict *verdict);
/*
 * The same for a path that is too long to be looked at: nothing is changed by a name of git's, or below one, and
 * nothing is vetted.
 */
void broker_complete_deep_verdict(const struct broker *broker, const char *path,
				  struct verdict *verdict);
/* Is path a name whose making must not be judged beside others'? Then the lock is exclusive. */
bool broker_is_repo_marker(const char *path);
