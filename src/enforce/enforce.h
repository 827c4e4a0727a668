/* SPDX-License-Identifier: MIT */
/*
 * The interface between the plan and its enforcement. A build contains one implementation: linux/ or
 * macos/.
 */
#pragma once

#include <sys/types.h>

#include "ipc/proxy_ipc.h"
#include "plan/plan.h"

/* Finds out by attempts what this host can do. Irreversible attempts run in a child process. */
int enforce_probe(struct facts *ret_facts, struct cordon_error *err);
/*
 * Adds the facts about limits over all processes, which are slower to find and may query systemd: only for
 * a plan with such limits, and for doctor.
 */
void enforce_probe_limits(struct facts *facts);
/* The facts about cgroups that a session without a plan needs; the others are left as they are. */
void enforce_probe_tracking(struct facts *facts);
/*
 * Adds all facts about seccomp notifications, using a child process. For doctor and for printing facts;
 * enforce_probe finds the facts that a plan needs without a child where it can.
 */
int enforce_probe_notify(struct facts *facts, struct cordon_error *err);
/* The system this build enforces on. */
enum system enforce_system(void);

/* How this program was built. */
struct enforce_build {
	char libc[40];	/* the C library, with the version that is in use where it can be asked */
	bool is_static; /* no dynamic loader */
	const char *filters; /* architecture of the seccomp filters; NULL: none */
};
void enforce_describe_build(struct enforce_build *ret);

/*
 * How file names may be spelt on this host's file systems, for explanations; NULL: exactly as written. The
 * plan must outlive it. Free it with enforce_spelling_free, which accepts NULL.
 */
int enforce_spelling(const struct plan *plan, struct spelling **ret_spelling,
		     struct cordon_error *err);
void enforce_spelling_free(struct spelling *spelling);

/*
 * A plan ready to be applied: every path is open and was checked against its canonical name, rules and
 * filter are built, and applying it allocates no memory.
 */
struct sandbox;
struct autorun_changes;

struct sandbox_options {
	const char *id; /* session id, where processes are marked with it; or NULL */
	/* where fingerprints are stored, if there is no plan; else the plan's */
	const char *state_dir;
	const char *private_tmp;	 /* canonical path, granted whole; NULL: none */
	const char *named_tmp;		 /* argument of a later enforce_grant_tmp; NULL: none */
	const struct egress *egress;	 /* the proxy, with network "domains"; NULL: none */
	const char *socket_path;	 /* socket of a shared session; NULL: none */
	const char *editor_uuid;	 /* macOS: fingerprint of an editor; NULL: none */
	int events;			 /* socket for refusal_send; 0: none */
	struct autorun_changes *changed; /* table for autorun_changes_note; NULL: none */
};

/*
 * Without a plan: a sandbox that restricts nothing but marks processes, where enforce_fingerprint needs it.
 * Refuses a plan with gaps (CORDON_E_GAP). A path whose target changed since planning is an error in a rule
 * of the user, and is skipped in a profile.
 */
int enforce_compile(const struct plan *plan, const struct sandbox_options *options,
		    struct sandbox **ret_sandbox, struct cordon_error *err);
/* Grants the whole of a directory made later; call it before enforce_apply. Allocates nothing. */
int enforce_grant_tmp(struct sandbox *sandbox, const char *path, struct cordon_error *err);
/*
 * Enters the sandbox, in the child between fork and exec: no allocation, no locks, no stdio. After a
 * failure the caller must not exec. Closes the fds of the sandbox.
 */
int enforce_apply(const struct sandbox *sandbox, struct cordon_error *err);
/* The function of a process that enters the sandbox by enforce_apply. */
struct enforce_main {
	void (*run)(const void *context); /* never returns */
	const void *context;
	bool stays;	     /* it does not exec, so it needs its own copy of memory */
	const int *standard; /* its fds 0 to 2; NULL: none of the caller's */
};
/*
 * Starts such a process by session_group_spawn or session_group_fork. With a broker, the broker's first
 * thread starts it. Returns the pid, or -1 with errno.
 */
struct session_group;
pid_t enforce_start(struct sandbox *sandbox, const struct session_group *group,
		    const struct enforce_main *main);
/*
 * The fds that the broker needs after enforce_start, or -1. From enforce_serve on, threads of this process
 * answer notifications, and the process must not fork.
 */
struct enforce_needs {
	int listener;
	int line;   /* socket to the proxy */
	int events; /* socket for refusals */
	/* file that sessions of the user lock while they change names; opened outside the sandbox */
	int names;
	int terminals[2]; /* the first ptys of the command */
	int fixed;	  /* a thread uses it already: its number must not change; -1: none */
	int layer;	  /* the command's own layer, to try what it may do */
	int log;	  /* the kernel's log of what it refuses */
};
struct enforce_needs enforce_fds(const struct sandbox *sandbox);
void enforce_serve(struct sandbox *sandbox, const struct enforce_needs *needs);
/*
 * Serves requests for threads under no Landlock layer. The first thread calls it after each signal; a
 * thread that waits for it sends SIGURG, which is blocked.
 */
void enforce_service(struct sandbox *sandbox);
/*
 * The fd by which the kernel reports what it refuses, or -1. When it is readable, enforce_read_kernel_log
 * reports what concerns the sandbox; is_end: no process of it is left, so only what is on its way is awaited.
 */
int enforce_kernel_log(const struct sandbox *sandbox);
void enforce_read_kernel_log(struct sandbox *sandbox, pid_t command, bool is_end);
/*
 * Signals all processes in the sandbox in one step. Returns false if the system cannot, or not in time.
 * Only for the thread that called enforce_serve.
 */
bool enforce_signal(struct sandbox *sandbox, int signal);
/*
 * Detaches a task that was stopped by signal and had made this process its tracer; the signal is delivered.
 * Returns false if the task is not traced by this process. sandbox may be NULL.
 */
bool enforce_untrace(struct sandbox *sandbox, pid_t task, int signal);
/*
 * Moves the sandbox's fingerprint to the group, where the system needs one to find the processes; it is
 * removed with the group.
 */
void enforce_fingerprint(struct sandbox *sandbox, struct session_group *group);
/* Closes the fds of the sandbox when another process uses it. Afterwards it can only be freed. */
void enforce_close_parent_fds(struct sandbox *sandbox);
struct sandbox *enforce_free(struct sandbox *sandbox);

/* Result of a selftest: one operation that must fail and one that must succeed. */
struct proof {
	enum guarantee guarantee;
	bool denied;  /* the operation that must fail did */
	bool allowed; /* the operation that must succeed did */
	char detail[200];
};
/* Tests a guarantee in a child. Returns 0, or -CORDON_E_GAP if it cannot be tested here. */
int enforce_prove(enum guarantee guarantee, struct proof *ret_proof, struct cordon_error *err);
