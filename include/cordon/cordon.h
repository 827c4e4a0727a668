/* SPDX-License-Identifier: MIT */
/*
 * libcordon: run a command so that it can touch only what was named.
 *
 * The shape of every use: fill a setup with options, make a plan from it, ask the plan.
 * Functions that can fail return 0 (or a useful value >= 0) or a negative CORDON_E_* code and then
 * have filled the caller's error value. Arguments are borrowed, results belong to the caller.
 * The library never prints, never exits, and keeps no state of its own.
 */
#ifndef CORDON_CORDON_H
#define CORDON_CORDON_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CORDON_VERSION "0.1.0"

/* The closed list of failures. Functions return them negated. */
enum cordon_code {
	CORDON_E_USAGE = 1, /* an option or argument makes no sense */
	CORDON_E_SYNTAX,    /* policy text cannot be read */
	CORDON_E_POLICY,    /* policy text can be read and means nothing allowed */
	CORDON_E_PATH,	    /* a path cannot be resolved or opened */
	CORDON_E_TRUST,	    /* a file or pin cannot be trusted as it is */
	CORDON_E_GAP,	    /* a guarantee that was asked for cannot be kept here */
	CORDON_E_SYSTEM,    /* the system refused something that should work */
	CORDON_E_MEMORY,    /* out of memory */
	CORDON_E_ESCAPE	    /* a path leads out of its root */
};

/* Fixed size, no heap: works after fork and out of memory, and travels through a pipe unchanged. */
struct cordon_error {
	int32_t code; /* CORDON_E_*, 0 when nothing failed */
	int32_t sys;  /* errno of the cause, or 0 */
	int32_t line; /* place in policy text, or 0 */
	int32_t column;
	char text[240]; /* one line, with the place in front of it where there is one */
};

enum cordon_format { CORDON_TEXT, CORDON_JSON };

/* What a setup can be told; each takes one string and may be given repeatedly where that makes sense. */
enum cordon_option {
	CORDON_OPT_COMMAND,	/* "run" or "shell": whose default profile applies */
	CORDON_OPT_POLICY,	/* FILE, PROFILE, or DIALECT:FILE */
	CORDON_OPT_POLICY_JSON, /* policy text; DIALECT: may stand in front */
	CORDON_OPT_PROJECT,	/* DIR */
	CORDON_OPT_READ,	/* PATH ... */
	CORDON_OPT_WRITE,
	CORDON_OPT_EXECUTE,
	CORDON_OPT_DENY,
	CORDON_OPT_PROTECT,
	CORDON_OPT_NET, /* none, localhost, localhost:PORTS, domains, all */
	CORDON_OPT_UDP, /* value ignored */
	CORDON_OPT_DOMAIN,
	CORDON_OPT_PORT,
	CORDON_OPT_OPAQUE_PORT, /* a port that may carry anything */
	CORDON_OPT_RESOLVER,	/* ADDRESS:PORT */
	CORDON_OPT_SOCKET,
	CORDON_OPT_ENV,	 /* NAME or NAME=VALUE */
	CORDON_OPT_TMP,	 /* private, shared */
	CORDON_OPT_IPC,	 /* none, sysv */
	CORDON_OPT_TIME, /* limits */
	CORDON_OPT_OUTPUT,
	CORDON_OPT_PROCESSES,
	CORDON_OPT_MEMORY,
	CORDON_OPT_FILE_SIZE,
	CORDON_OPT_CPU_TIME,
	CORDON_OPT_OPEN_FILES,
	CORDON_OPT_ACCEPT,	      /* name of a guarantee */
	CORDON_OPT_NO_PROJECT_POLICY, /* value ignored */
	CORDON_OPT_SYSTEM,	      /* "linux" or "macos" */
	CORDON_OPT_HOME,	      /* DIR; need not exist when planning for another system */
	CORDON_OPT_RECORD,	      /* the editors' resolved record: policy and project in one */
	CORDON_OPT_FACTS,	      /* FILE: what the host can do, instead of probing */
	CORDON_OPT_COUNT
};

struct cordon_setup;
struct cordon_plan;

/* A setup is filled, then used for any number of plans. free accepts NULL and returns NULL. */
struct cordon_setup *cordon_setup_new(void);
struct cordon_setup *cordon_setup_free(struct cordon_setup *setup);
int cordon_setup_set(struct cordon_setup *setup, enum cordon_option option, const char *value,
		     struct cordon_error *err);
/*
 * Did CORDON_OPT_RECORD say that nothing is to be restricted ("tracking_only")? Then it is for
 * cordon_track(); a plan of it would be that of the default profile.
 */
int cordon_setup_tracks(const struct cordon_setup *setup);

/*
 * Read every layer, merge, resolve. A plan with gaps is still a plan: cordon_plan_gaps() counts what
 * it cannot keep and was not told to accept; starting anything with such a plan is refused.
 */
int cordon_plan_new(const struct cordon_setup *setup, struct cordon_plan **ret_plan,
		    struct cordon_error *err);
struct cordon_plan *cordon_plan_free(struct cordon_plan *plan);

/* What the caller should tell the user, one line each; NULL past the end. Owned by the plan. */
const char *cordon_plan_notice(const struct cordon_plan *plan, size_t index);
int cordon_plan_gaps(const struct cordon_plan *plan);
/* Each such gap in words, with its reason and ways out; NULL past the end. Owned by the plan. */
const char *cordon_plan_gap(const struct cordon_plan *plan, size_t index);
/* The whole plan in words or as JSON. verbose adds every rule, protected name and variable. */
int cordon_plan_print(const struct cordon_plan *plan, enum cordon_format format, int verbose,
		      char **ret_text, struct cordon_error *err);

/*
 * Would it be allowed? what is "connect", "socket", "env", or rights ("read", "write", "rw", ...).
 * Returns 1 allowed, 0 denied, or an error; *ret_text explains, and names the deciding rule.
 */
int cordon_plan_why(const struct cordon_plan *plan, const char *what, const char *subject,
		    enum cordon_format format, char **ret_text, struct cordon_error *err);

/*
 * The Seatbelt profile of a plan for macOS and its parameters, on any system. As text the parameters
 * follow as comments; as JSON it is {"profile": TEXT, "parameters": {NAME: VALUE}}. What a session adds
 * (its private folder, its fingerprint, the port of its proxy) is not in it.
 */
int cordon_plan_sbpl(const struct cordon_plan *plan, enum cordon_format format, char **ret_text,
		     struct cordon_error *err);

/* What to run. */
struct cordon_command {
	char *const *argv;
	int login; /* as a login shell: argv[0] gets a "-" in front */
	int pty;   /* give it a terminal of its own */
	int leave; /* what it leaves behind lives on; the session stays until it is ended */
	const char *session; /* the name of a session to join or to start; NULL: one of its own */
	int status_fd;	     /* where JSON lines about the session go; -1: nowhere */
	int64_t grace_ms;    /* between SIGTERM and SIGKILL when cordon ends it; -1: nothing said */
	int fingerprint;     /* of cordon_track on macOS: by a profile that restricts nothing */
};

/* What ended a session. */
enum cordon_cause {
	CORDON_ENDED_EXIT,
	CORDON_ENDED_SIGNAL,
	CORDON_ENDED_TIME,     /* the time limit */
	CORDON_ENDED_OUTPUT,   /* the output limit */
	CORDON_ENDED_MEMORY,   /* the memory limit */
	CORDON_ENDED_KILLED,   /* cordon kill, or its guard was killed */
	CORDON_ENDED_CPU_TIME, /* the limit of cpu time, by SIGXCPU */
	CORDON_ENDED_CRASHED,  /* its guard ended by itself: a fault of cordon's */
	CORDON_CAUSES
};

/* How it ended. */
struct cordon_run {
	enum cordon_cause cause;
	int status;	 /* the command's exit status, when signal is 0 */
	int signal;	 /* what ended the command, or 0 */
	int by_terminal; /* the signal came from the terminal and reached the caller too */
	int ended;	 /* processes it left behind, which were ended */
	int left;	 /* processes that would not end; survivors names some */
	char survivors[240];
	char notice[240];    /* what could not be logged, or "" */
	int refused;	     /* how often something was refused that cordon itself was asked for */
	char refusals[1200]; /* the first of them, a line each */
	int changed;	     /* files that run by themselves later and are others now */
	char changes[1200];  /* the first of them, a line each */
	int refused_daemon;  /* the network was refused to a process that left the session */
};

/*
 * Runs a command inside the plan and waits for its end, and the end of everything it started. A
 * plan with gaps is refused. When nothing was started the result is an error; err->sys is then 127
 * (not found) or 126 (not executable) where that is the reason. 0 to 2 must be open. While it runs
 * the calling process inherits orphans (Linux: is a child subreaper). One run at a time in a process: a
 * second is refused (CORDON_E_USAGE). Other children of the process are left alone.
 */
int cordon_run(struct cordon_plan *plan, const struct cordon_command *command,
	       struct cordon_run *ret_run, struct cordon_error *err);

/*
 * Runs a command that nothing restricts; only the end of everything it starts is guaranteed. Of the
 * setup only limits count; one that restricts anything else is refused.
 */
int cordon_track(const struct cordon_setup *setup, const struct cordon_command *command,
		 struct cordon_run *ret_run, struct cordon_error *err);

/*
 * The caller's live sessions, in words (a table, "" when there is none) or as JSON. Returns how many
 * there are. What is left of dead ones is removed on the way.
 */
int cordon_sessions(enum cordon_format format, char **ret_text, struct cordon_error *err);
/*
 * Ends sessions and waits until nothing of them is left. which is an id, the beginning of exactly
 * one, or a name; NULL stands for all. grace_ms: from SIGTERM to SIGKILL, 0 for SIGKILL at
 * once. Returns how many were ended, one line each in *ret_text; 0 when there is no such session.
 */
int cordon_kill(const char *which, int grace_ms, char **ret_text, struct cordon_error *err);

/*
 * What this host can enforce, tried: each guarantee the policy needs is held against the running
 * system by something that must fail and something that must work. Returns 1 when the policy can be
 * enforced apart from what it accepts, 0 when not; *ret_text says what is missing and how to get it.
 */
int cordon_doctor(const struct cordon_setup *setup, enum cordon_format format, char **ret_text,
		  struct cordon_error *err);

/*
 * Read and judge policy text. file is what CORDON_OPT_POLICY takes, or NULL for the whole setup.
 * *ret_warnings counts findings worth failing a build for (notes are not among them).
 */
int cordon_check(const struct cordon_setup *setup, const char *file, enum cordon_format format,
		 char **ret_text, int *ret_warnings, struct cordon_error *err);
/*
 * What a checkout of a ref of the project's repository would bring that no command may make: each a finding, a
 * warning where the working tree has it otherwise or not at all. Reads by the git of the caller's PATH.
 */
int cordon_check_ref(const struct cordon_setup *setup, const char *ref, enum cordon_format format,
		     char **ret_text, int *ret_warnings, struct cordon_error *err);
/* The same text in canonical native form. */
int cordon_check_print(const struct cordon_setup *setup, const char *file, char **ret_text,
		       struct cordon_error *err);

/* Names of the profiles that come with the library; NULL past the end. */
const char *cordon_profile(size_t index);

/* What the project's own policy asks for beyond what it may have. */
enum cordon_trust_action { CORDON_TRUST_LIST, CORDON_TRUST_APPROVE, CORDON_TRUST_REVOKE };
/* Returns the number of requests that stand unapproved afterwards. */
int cordon_trust(const struct cordon_setup *setup, enum cordon_trust_action action,
		 enum cordon_format format, char **ret_text, struct cordon_error *err);

/* A commented starter policy for the setup's project, and where it belongs. */
int cordon_init_policy(const struct cordon_setup *setup, char **ret_text, char **ret_path,
		       struct cordon_error *err);

/*
 * Open path inside root, whatever symbolic links do meanwhile. flags are open(2)'s (O_CLOEXEC is
 * added); CORDON_CONFINE_ROOT accepts the root itself. A path whose tail does not exist yet gives
 * *ret_fd -1 unless flags has O_CREAT. *ret_path is for display only. An escape is CORDON_E_ESCAPE.
 */
#define CORDON_CONFINE_ROOT 1u
int cordon_confine(const char *root, const char *path, int flags, unsigned int mode,
		   unsigned int confine_flags, int *ret_fd, char **ret_path,
		   struct cordon_error *err);

#ifdef __cplusplus
}
#endif

#endif
