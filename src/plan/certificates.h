/* SPDX-License-Identifier: MIT */
/*
 * Variables that name a company's certificates. With a network they pass, and the file that they name can
 * be read, if it holds certificates and nothing else: a variable must not become a way to a secret.
 */
#pragma once

#include "plan/plan.h"

/* Before the rules are final: grants the files. */
int certificates_grant(struct plan *plan, struct cordon_error *err);
/* Afterwards: lets pass the variables whose files can be read, and says which of them do not. */
int certificates_pass(struct plan *plan, struct cordon_error *err);
/* Are there PEM certificates in a text, and nothing else but comments? */
bool certificates_only(const char *text);
