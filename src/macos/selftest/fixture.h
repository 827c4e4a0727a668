/* SPDX-License-Identifier: MIT */
/* What the selftests of a Mac are tried on. It is made anew for each, and nothing of it is left afterwards. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Limit of a child and of the bystander: a test never hangs. */
#define FIXTURE_SECONDS 10
struct fixture {
	/* two scripts in a folder, each beside a unix socket named as it with ".s" */
	char folder[64], denied[80], granted[80];
	int server, receiver, sockets[2]; /* on loopback; of the two paths */
	uint16_t port, receiver_port;
	int terminal_owner, terminal;
	pid_t bystander;	      /* a process that is not confined, 0 until it is started */
	int memory, semaphore, queue; /* System V objects by key; -1 if there is none */
	key_t key;
	bool confined;
};

/* Returns whether all is there but for System V objects, which a system may not have. Clear it in either case. */
bool fixture_make(struct fixture *fixture);
void fixture_clear(struct fixture *fixture);
/* The path of the socket that is beside a script. */
#define FIXTURE_SOCKET_SIZE 96
void fixture_socket_path(const char *script, char to[FIXTURE_SOCKET_SIZE]);
