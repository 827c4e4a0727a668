/* SPDX-License-Identifier: MIT */
/* Host names in protocol messages. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define NAME_SIZE 256

/*
 * Converts to lower case without the final dot. Returns false for anything but labels of letters, digits,
 * "-" and "_". Internationalised names are accepted as A-labels only.
 */
bool hostname_normalise(const char *text, size_t length, char ret_name[NAME_SIZE]);
/*
 * Returns true for an address, and for text of digits and dots or with colons that some parser would take
 * for one.
 */
bool hostname_is_address(const char *name);
/* Splits "NAME" or "NAME:PORT". Without a port *ret_port is unchanged. Returns false for anything else. */
bool hostname_split(const char *text, size_t length, char ret_name[NAME_SIZE], unsigned *ret_port);
