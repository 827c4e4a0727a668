/* SPDX-License-Identifier: MIT */
/* What the ways of leaving processes behind have in common. See leaver.c. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>
#include <time.h>

/* A storm ends by itself after this. */
#define STORM_S 60
#define HOPPERS 8
#define MANY 500
#define DEPTH 50

/* Known to every process that is left. */
struct place {
	const char *program;
	int ready[2]; /* a byte for each that is where it wants to be */
};

_Noreturn void fail(const char *what);
time_t now(void);
bool must_stop(void);
void say_ready(const struct place *place);
/* Until ./stop is there. */
void stay(void);
/* Whoever reads what we were given must not wait for it. */
void let_go(void);
_Noreturn void linger(const struct place *place);
pid_t start(void);
/* The rest is the child's; this process ends. */
void hop(void);

/* In a process of its own, below the one that ends. */
typedef void way(const struct place *place);
way leave_setsid, leave_twice, leave_closed, leave_nohup, leave_deaf, leave_pipe, leave_stopped,
	leave_traced, leave_unsignalled, leave_sibling, leave_vfork, leave_zombies, leave_heir,
	leave_living_heir, leave_undumpable, leave_renamed, leave_unfollowed, leave_idle,
	leave_many, leave_chain, leave_thread, leave_ended_thread, leave_headless, leave_exec,
	leave_hopper, leave_hoppers, leave_quarrel, leave_phoenix, leave_namespace, leave_nothing,
	leave_rooted;
