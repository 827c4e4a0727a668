/* SPDX-License-Identifier: MIT */
/* The guarantees. Their names are stable: policies accept gaps by them, and logs contain them. */
#pragma once

enum guarantee {
	G_FILES_READ,
	G_FILES_WRITE,
	G_FILES_EXECUTE,
	G_FILES_CARVEOUT,
	G_FILES_FUTURE,
	G_FILES_PATTERN,
	G_FILES_METADATA,
	G_NET_TCP,
	G_NET_UDP,
	G_NET_DOMAINS,
	G_NET_DNS,
	G_SOCKETS_PATH,
	G_SOCKETS_ABSTRACT,
	G_PROCESS_SIGNAL,
	G_PROCESS_PTRACE,
	G_PROCESS_CONTROL,
	G_PROCESS_LISTING,
	G_PROCESS_TREE,
	G_IPC_SYSV,
	G_TERMINAL_INJECT,
	G_KERNEL_SURFACE,
	G_ENV_FILTER,
	G_FDS_CLOSED,
	G_LIMITS_TIME,
	G_LIMITS_OUTPUT,
	G_LIMITS_PROCESSES,
	G_LIMITS_MEMORY,
	G_CALLS_INTERRUPTED,
	G_COUNT
};

extern const char *const guarantee_names[G_COUNT];
/* What it guarantees, in one sentence for people. */
extern const char *const guarantee_sentences[G_COUNT];
