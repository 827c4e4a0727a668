// SPDX-License-Identifier: MIT
/*
 * Acts of processes that confine themselves or trace each other: layers and filters of their own, the
 * entry of a cordon inside, wrong answers to the questions of the one around, stops by a tracer.
 */
#include "odd.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define NEST_DOOR 0x636f7201u /* src/linux/broker/nest.h */

static void
enter_layer_inside(struct odd *odd)
{
	struct landlock_ruleset_attr attr = {.handled_access_fs = odd_random(odd) & 0x7fff};
	int rules, layers = 1 + (int)odd_below(odd, 17);

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	for (int i = 0; i < layers; i++) {
		rules = (int)syscall(SYS_landlock_create_ruleset, &attr, sizeof attr, 0);
		syscall(SYS_landlock_restrict_self, rules, odd_below(odd, 4));
		close(rules);
		odd_calls(odd, 4);
	}
}

static void
enter_layer(struct odd *odd)
{
	odd_spawn(odd, enter_layer_inside, SIGCHLD);
}

/* Answers of any length and content to the questions of the cordon around, or none. */
static void
answer_wrongly(struct odd *odd, int line)
{
	char question[9000], answer[64];

	for (int i = 0; i < 40; i++) {
		ssize_t n = recv(line, question, sizeof question, MSG_DONTWAIT);

		for (size_t j = 0; j < sizeof answer; j++)
			answer[j] = (char)(odd_one_in(odd, 2) ? 0 : odd_random(odd));
		if (n >= 8)
			memcpy(answer, question, 8);
		send(line, answer, odd_one_in(odd, 2) ? 24 : odd_below(odd, sizeof answer),
		     MSG_DONTWAIT | MSG_NOSIGNAL);
		odd_rest(odd, 1500);
	}
}

static void
handshake_inside(struct odd *odd)
{
	struct landlock_ruleset_attr attr = {.handled_access_fs = 1u << odd_below(odd, 15)};
	int line = (int)syscall(SYS_landlock_create_ruleset, 1, 0, NEST_DOOR), rules;

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (odd_one_in(odd, 2)) {
		rules = (int)syscall(SYS_landlock_create_ruleset, &attr, sizeof attr, 0);
		syscall(SYS_landlock_restrict_self, rules, 0);
	}
	odd_spawn(odd, odd_call_often, SIGCHLD);
	odd_spawn(odd, odd_call_often, SIGCHLD);
	if (!odd_one_in(odd, 4))
		answer_wrongly(odd, line);
	close(line);
	odd_calls(odd, 10);
	odd_end_children(odd);
}

static void
handshake(struct odd *odd)
{
	odd_spawn(odd, handshake_inside, SIGCHLD);
}

static void
load_filter_inside(struct odd *odd)
{
	static const uint32_t ends[] = {SECCOMP_RET_ERRNO | 1,	 SECCOMP_RET_TRACE,
					SECCOMP_RET_TRAP,	 SECCOMP_RET_KILL_THREAD,
					SECCOMP_RET_USER_NOTIF,	 SECCOMP_RET_LOG,
					SECCOMP_RET_KILL_PROCESS};
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 1u << odd_below(odd, 9), 0, 1),
		BPF_STMT(BPF_RET | BPF_K, ODD_PICK(odd, ends)),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {COUNT(code), code};

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, odd_one_in(odd, 3) ? 1 : 0, &program);
	odd_calls(odd, 30);
}

static void
load_filter(struct odd *odd)
{
	odd_spawn(odd, load_filter_inside, SIGCHLD);
}

/* A cordon inside, with this program in it. */
static void
nest_inside(struct odd *odd)
{
	const struct options *o = odd->options;
	char seed[32];
	char *arguments[] = {(char *)o->cordon,
			     (char *)"run",
			     (char *)"-q",
			     (char *)"-C",
			     (char *)".",
			     (char *)"--deny",
			     (char *)"**/.env",
			     (char *)"--",
			     (char *)o->self,
			     (char *)"--inner",
			     seed,
			     (char *)o->outside,
			     NULL};
	extern char **environ;
	int null = open("/dev/null", O_RDWR);
	struct rlimit memory = {RLIM_INFINITY, RLIM_INFINITY};

	setrlimit(RLIMIT_AS, &memory);
	snprintf(seed, sizeof seed, "%llu", (unsigned long long)odd_random(odd));
	for (int i = 0; i < 3; i++)
		dup2(null, i);
	syscall(SYS_close_range, 3, -1, 0);
	execve(o->cordon, arguments, environ);
}

static void
nest(struct odd *odd)
{
	if (odd->options->cordon != NULL && odd->depth < 2 && odd_one_in(odd, 3))
		odd_spawn(odd, nest_inside, SIGCHLD);
}

/* ---- tracing ---- */

static void
trace_child(struct odd *odd)
{
	pid_t child = odd_spawn(odd, odd_call_often, SIGCHLD);
	int status;

	if (child == 0 ||
	    ptrace(odd_one_in(odd, 2) ? PTRACE_SEIZE : PTRACE_ATTACH, child, 0, 0) < 0)
		return;
	ptrace(PTRACE_INTERRUPT, child, 0, 0);
	for (int i = 0; i < 30; i++) {
		odd_rest(odd, 300);
		if (waitpid(child, &status, WNOHANG | __WALL) == child && !WIFSTOPPED(status))
			return;
		ptrace(odd_one_in(odd, 2) ? PTRACE_SYSCALL : PTRACE_CONT, child, 0,
		       odd_one_in(odd, 4) ? odd_signal(odd) & 63 : 0);
	}
	if (odd_one_in(odd, 2))
		ptrace(PTRACE_DETACH, child, 0, SIGSTOP);
}

/* The parent becomes the tracer: of an orphan and of the command itself that is the guard. */
static void
trace_me_inside(struct odd *odd)
{
	static const int signals[] = {SIGQUIT, SIGSEGV, SIGABRT, SIGTRAP,
				      SIGTERM, SIGUSR1, 64,	 SIGSTOP};

	odd_rest(odd, 3000);
	ptrace(PTRACE_TRACEME, 0, 0, 0);
	odd_calls(odd, 5);
	raise(ODD_PICK(odd, signals));
}

static void
trace_me_orphan(struct odd *odd)
{
	odd_spawn(odd, trace_me_inside, odd_one_in(odd, 2) ? SIGCHLD : CLONE_PARENT);
}

static void
trace_me(struct odd *odd)
{
	odd_spawn(odd, trace_me_inside, SIGCHLD);
	odd_spawn(odd, trace_me_orphan, SIGCHLD);
}

const struct act odd_layer_acts[] = {
	{"enter_layer", enter_layer, ACT_BOXED},  {"handshake", handshake, ACT_BOXED},
	{"load_filter", load_filter, ACT_ALWAYS}, {"nest", nest, ACT_BOXED},
	{"trace_child", trace_child, ACT_ALWAYS}, {"trace_me", trace_me, ACT_TRACE},
};
const size_t odd_layer_acts_count = COUNT(odd_layer_acts);
