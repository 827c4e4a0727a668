/* SPDX-License-Identifier: MIT */
/*
 * Where guarantees are tried: a folder of its own with an open and a shut part, servers on
 * loopback and unix sockets, a terminal, shared memory, and a process that stays outside the box.
 */
#pragma once

#include <limits.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <sys/types.h>
#include <sys/un.h>

#include "plan/plan.h"

#define FIXTURE_DIR_MAX 80 /* a socket's path is short */
#define FIXTURE_SECONDS 10 /* a child that hangs is ended, and has proved nothing */

/*
 * Everything an attempt may look at. FOLDER/open is granted, FOLDER/shut is not, FOLDER/kept is but
 * for what the broker denies there.
 */
struct fixture {
	char folder[FIXTURE_DIR_MAX];
	char open_file[PATH_MAX], shut_file[PATH_MAX]; /* can be read */
	char open_new[PATH_MAX], shut_new[PATH_MAX];   /* do not exist */
	char kept_file[PATH_MAX], kept_hidden[PATH_MAX];
	char kept_new[PATH_MAX], kept_later[PATH_MAX]; /* do not exist */
	char open_program[PATH_MAX], shut_program[PATH_MAX];
	struct sockaddr_un open_socket, shut_socket, abstract;
	socklen_t abstract_size;
	struct sockaddr_in internet;
	int servers[3];
	int terminal; /* the command's end of a new terminal */
	char terminal_number[12];
	int terminal_owner;
	key_t key;
	int memory;   /* of that key; -1: none */
	pid_t keeper; /* made the folder and the memory, and removes them */
	int keeper_end;
	pid_t bystander;
	int bystander_end; /* closing it ends the outsider */
	bool confined;	   /* the attempt runs inside the box */
};

/* Makes what that guarantee needs, or -CORDON_E_GAP. To be cleared also after a failure. */
int fixture_make(struct fixture *fixture, enum guarantee guarantee, struct cordon_error *err);
void fixture_clear(struct fixture *fixture);
/* In the child that will be confined, before it is; 0 or an errno. */
int fixture_start_bystander(struct fixture *fixture);
void fixture_end_bystander(const struct fixture *fixture);
