/* SPDX-License-Identifier: MIT */
/*
 * Objects for the selftests: a directory with a granted and a denied part, servers on loopback and unix
 * sockets, a terminal, shared memory, and a bystander process outside the sandbox.
 */
#pragma once

#include <limits.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <sys/types.h>
#include <sys/un.h>

#include "plan/plan.h"

#define FIXTURE_DIR_MAX 80 /* sun_path is short */
#define FIXTURE_SECONDS 10 /* a child that hangs is killed, and proves nothing */

/*
 * All objects of a test. FOLDER/open is granted, FOLDER/shut is not, FOLDER/kept is granted except for the
 * names that the broker denies there.
 */
struct fixture {
	char folder[FIXTURE_DIR_MAX];
	char open_file[PATH_MAX], shut_file[PATH_MAX]; /* granted / denied for reading */
	char open_new[PATH_MAX], shut_new[PATH_MAX];   /* do not exist */
	char kept_file[PATH_MAX], kept_hidden[PATH_MAX];
	char kept_new[PATH_MAX], kept_later[PATH_MAX]; /* do not exist */
	char open_program[PATH_MAX], shut_program[PATH_MAX];
	struct sockaddr_un open_socket, shut_socket, abstract;
	socklen_t abstract_size;
	struct sockaddr_in internet;
	int servers[3];
	int terminal; /* slave of a new pty */
	char terminal_number[12];
	int terminal_owner;
	key_t key;
	int memory;   /* id of the shared memory; -1: none */
	pid_t keeper; /* created directory and memory, and removes them */
	int keeper_end;
	pid_t bystander;
	int bystander_end; /* closing it ends the bystander */
	bool confined;	   /* the case runs in the sandbox */
};

/* Creates the objects for the guarantee, or returns -CORDON_E_GAP. Clear it also after a failure. */
int fixture_make(struct fixture *fixture, enum guarantee guarantee, struct cordon_error *err);
void fixture_clear(struct fixture *fixture);
/* Called in the child before it is confined. Returns 0 or an errno. */
int fixture_start_bystander(struct fixture *fixture);
void fixture_end_bystander(const struct fixture *fixture);
