/* SPDX-License-Identifier: MIT */
/*
 * Variables that name files of CA certificates. With a network they pass, and their file can be
 * read if it contains only certificates: a variable must not give access to a secret.
 */
#pragma once

#include "plan/plan.h"

/* Grants the files; call this before the rules are final. */
int certificates_grant(struct plan *plan, struct cordon_error *err);
/* Passes the variables whose files can be read and adds notices for the others; call this after. */
int certificates_pass(struct plan *plan, struct cordon_error *err);
/* Does the text consist of PEM certificates and comments only? */
bool certificates_only(const char *text);
