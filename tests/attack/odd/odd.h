/* SPDX-License-Identifier: MIT */
/*
 * Shared by the parts of oddcalls: random values, the table of calls, the table of acts, and counts
 * that outlive the process that made the call.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))
#define ODD_ERRNOS 4096
#define ODD_ROWS 256
#define FD_FIRST 3 /* the descriptors that random calls use; the first three stay */
#define FD_LAST 48
#define BUDGET 24 /* processes that one round may make */

/* In memory that all processes of the program share. */
struct counts {
	uint64_t calls[ODD_ROWS];
	uint64_t acts[ODD_ROWS];
	uint64_t errnos[ODD_ERRNOS]; /* 0: the call succeeded */
	uint64_t rounds, crashed, killed;
};

struct options {
	const char *outside; /* a directory that must not change */
	const char *cordon;  /* NULL: no sandboxes inside */
	const char *self;    /* the program */
	int port;	     /* a server outside the sandbox; 0: none */
	bool is_tame;	     /* nothing is restricted: only calls that are harmless bare */
	bool deep, trace;
	pid_t guard, launcher, spawner; /* spawner 0: not a shared session */
};

/* Of one thread: its random numbers, and what it works on. */
struct odd {
	uint64_t state;
	const struct options *options;
	struct counts *counts;
	int *budget; /* processes that this round may still make, shared by its processes */
	struct arena *arena;
	pid_t children[16]; /* own ones; 0: none */
	int depth;	    /* of processes below the round's first */
};

/*
 * The memory for arguments: writable at `here` at any time; calls get the same pages at `there`,
 * where another thread may unmap and protect them meanwhile.
 */
#define ARENA_PAGES 16
#define ARENA_SIZE (ARENA_PAGES * 4096u)
struct arena {
	char *here, *there;
	int fd;
};

/* odd_values.c */
uint64_t odd_random(struct odd *odd);
unsigned odd_below(struct odd *odd, unsigned limit);
bool odd_one_in(struct odd *odd, unsigned chances);
#define ODD_PICK(odd, table) ((table)[odd_below(odd, COUNT(table))])
bool arena_make(struct arena *arena);
void arena_disturb(struct odd *odd);
uint64_t odd_place(struct odd *odd, const void *bytes, size_t size);
void odd_path_text(struct odd *odd, char *to, size_t size);
uint64_t odd_path(struct odd *odd);
uint64_t odd_number(struct odd *odd);
int odd_fd(struct odd *odd);
pid_t odd_pid(struct odd *odd);
bool odd_is_child(pid_t pid);
bool odd_kill(pid_t pid, int signal);
int odd_signal(struct odd *odd);
unsigned odd_sockaddr(struct odd *odd, uint64_t *ret_address);
uint64_t odd_message(struct odd *odd);

/* odd_arguments.c */
uint64_t odd_argument(struct odd *odd, char kind);

/* odd_table.c */
void odd_call(struct odd *odd);
void odd_calls(struct odd *odd, unsigned calls);
long odd_syscall(struct odd *odd, int row, long number, const uint64_t a[6]);
size_t odd_row_count(void);
const char *odd_row_name(size_t row);

/* odd_acts.c, odd_layers.c, odd_processes.c */
struct act {
	const char *name;
	void (*run)(struct odd *odd);
	enum { ACT_ALWAYS, ACT_BOXED, ACT_DEEP, ACT_TRACE } when;
};
extern const struct act odd_acts[], odd_process_acts[], odd_layer_acts[];
extern const size_t odd_acts_count, odd_process_acts_count, odd_layer_acts_count;
void odd_act(struct odd *odd);
pid_t odd_spawn(struct odd *odd, void (*run)(struct odd *odd), unsigned long flags);
void odd_end_children(struct odd *odd);
void odd_rest(struct odd *odd, unsigned most_us);
void odd_call_often(struct odd *odd);
void odd_open_some(struct odd *odd);
void odd_write(const char *path, const void *bytes, size_t size);
