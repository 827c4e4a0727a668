/* SPDX-License-Identifier: MIT */
/*
 * The narrow door between "what" and "how on this system". Exactly one of linux/ and macos/ stands
 * behind it in a build.
 */
#pragma once

#include <sys/types.h>

#include "ipc/proxy_ipc.h"
#include "plan/plan.h"

/* What this host can do, found by trying; a throw-away child is used for what cannot be undone. */
int enforce_probe(struct facts *ret_facts, struct cordon_error *err);
/*
 * The facts about limits over all processes, which take longer to find and may ask other programs:
 * only for a plan that wants such limits, and for doctor.
 */
void enforce_probe_limits(struct facts *facts);
/* The facts about cgroups that a session without a plan needs; the others are left as they are. */
void enforce_probe_tracking(struct facts *facts);
/*
 * The facts about seccomp notification, all of them and by a child: enforce_probe finds out what a
 * plan needs without one where it can. For doctor, and for a plan that is printed with its facts.
 */
int enforce_probe_notify(struct facts *facts, struct cordon_error *err);
/* The system this build enforces on. */
enum system enforce_system(void);

/*
 * How the names of a plan may be spelt here, for who explains it; NULL: as they are written. The plan must
 * stay. Freed by enforce_spelling_free, which takes NULL.
 */
int enforce_spelling(const struct plan *plan, struct spelling **ret_spelling,
		     struct cordon_error *err);
void enforce_spelling_free(struct spelling *spelling);

/*
 * A plan made ready to be applied: every path opened once and checked against its canonical name,
 * rules and filter built, nothing left that could fail for want of memory.
 */
struct sandbox;
struct autorun_changes;

struct box_options {
	const char *id;		     /* the session's, where its processes are marked; or NULL */
	const char *state_dir;	     /* where marks are kept without a plan; else the plan's */
	const char *private_tmp;     /* canonical; granted whole; NULL: none */
	const char *named_tmp;	     /* what enforce_grant_tmp will be called with; NULL: nothing */
	const struct egress *egress; /* where connections go with network "domains"; NULL: none */
	const char *socket_path;     /* where a named session takes commands; NULL: nowhere */
	int events;		     /* where refusals are told, by refusal_send; 0: nowhere */
	struct autorun_changes
		*changed; /* where changes are noted, by autorun_changes_note; NULL: nowhere */
};

/*
 * Without a plan: a box that restricts nothing, by which processes are known; only where
 * enforce_fingerprint needs one. Refuses (CORDON_E_GAP) a plan with gaps. A path that leads elsewhere than when it was planned is
 * an error for the user's own rules; of profiles it is skipped.
 */
int enforce_compile(const struct plan *plan, const struct box_options *options,
		    struct sandbox **ret_box, struct cordon_error *err);
/* A folder made since then, granted whole, before the box is applied. Allocates nothing. */
int enforce_grant_tmp(struct sandbox *box, const char *path, struct cordon_error *err);
/*
 * In the child, between fork and exec: no allocation, no locks, no stdio. Everything or nothing:
 * after a failure the caller must not exec. Descriptors of the box are closed by it.
 */
int enforce_apply(const struct sandbox *box, struct cordon_error *err);
/* What a process does that will put itself into the box by enforce_apply. */
struct enforce_main {
	void (*run)(const void *context); /* never returns */
	const void *context;
	bool stays;	     /* it never execs, and so has to have memory of its own */
	const int *standard; /* what it will have as 0 to 2, or NULL: nothing of the caller's */
};
/*
 * session_group_spawn or session_group_fork for such a process. Where calls are routed it is started by the thread
 * that will answer them. -1 with errno.
 */
struct session_group;
pid_t enforce_start(struct sandbox *box, const struct session_group *group,
		    const struct enforce_main *main);
/*
 * Some plans need answers while the command runs, given by threads of this process. After
 * enforce_start: the descriptors they need, or -1; from enforce_serve on they answer, and nothing
 * may be forked any more.
 */
struct enforce_needs {
	int listener;
	int line;   /* to the proxy */
	int events; /* where refusals are told */
	int names; /* a file that all sessions of the user lock while they change names; from outside */
	int terminals[2]; /* those that the command will make first */
};
struct enforce_needs enforce_fds(const struct sandbox *box);
void enforce_serve(struct sandbox *box, const struct enforce_needs *needs);
/*
 * From then on, whenever a signal woke this process's first thread: some answers need what only a
 * thread can do that is under no layer. Who waits for it sends that thread SIGURG, which is blocked.
 */
void enforce_service(struct sandbox *box);
/*
 * A signal to all that is in the box, in one step where the system can do that. False: not here, or
 * not in time. By the thread that called enforce_serve.
 */
bool enforce_signal(struct sandbox *box, int signal);
/*
 * A child, or a thread of one, that made this process its tracer and has stopped for this signal:
 * detaches it, and the signal is delivered to it. False: it is not traced by us. box may be NULL.
 */
bool enforce_untrace(struct sandbox *box, pid_t task, int signal);
/*
 * Hands the group what tells the box's processes from all others, where the system needs such a mark;
 * it is the group's then, to be removed with it.
 */
void enforce_fingerprint(struct sandbox *box, struct session_group *group);
/* Closes what it holds, where another process has it; only to be freed then. */
void enforce_close_parent_fds(struct sandbox *box);
struct sandbox *enforce_free(struct sandbox *box);

/* One thing that must fail and one that must work, tried in a child: for doctor. */
struct proof {
	enum guarantee guarantee;
	bool denied;  /* what must fail failed */
	bool allowed; /* what must work worked */
	char detail[160];
};
/* Proves what of a guarantee this host can be seen to keep; 0, or -CORDON_E_GAP when it cannot be tried here. */
int enforce_prove(enum guarantee guarantee, struct proof *ret_proof, struct cordon_error *err);
