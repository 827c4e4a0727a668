/* SPDX-License-Identifier: MIT */
/* An option of a setup, for setup.c and setup_network.c. */
#pragma once

#include "discover/context.h"

struct setup_option;
typedef int option_fn(struct cordon_setup *setup, const struct setup_option *option,
		      const char *value, struct cordon_error *err);
struct setup_option {
	const char *name;
	option_fn *set;
	int extra; /* selects the list or limit where several options share a function */
};

struct srcpos setup_srcpos(const struct setup_option *option);
int setup_refuse(const struct setup_option *option, const char *value, const char *reason,
		 struct cordon_error *err);
/* Adds a policy; option->extra says whether value is its text. */
option_fn setup_text;

/* setup_record.c */
option_fn setup_record;
int setup_record_two_projects(struct cordon_error *err);

/* name: of an option, with a blank behind it, as in "--read "; or "-p ". */
int setup_set_named(struct cordon_setup *setup, const char *name, const char *value,
		    struct cordon_error *err);

/* setup_network.c */
option_fn setup_network_mode, setup_network_udp, setup_network_domain, setup_network_port,
	setup_network_opaque_port, setup_network_private;
