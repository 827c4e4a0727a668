/* SPDX-License-Identifier: MIT */
/* Host names as they come over the wire. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define NAME_SIZE 256

/*
 * Lower case and without a final dot. False for what is no name: empty or long labels, anything but
 * letters, digits, "-" and "_". International names come as A-labels, or are refused.
 */
bool hostname_normalise(const char *text, size_t length, char ret_name[NAME_SIZE]);
/* Written with digits and dots only, or with colons: an address, or meant to be taken for one. */
bool hostname_is_address(const char *name);
/* "NAME", "NAME:PORT": the port is left alone where there is none. False: neither. */
bool hostname_split(const char *text, size_t length, char ret_name[NAME_SIZE], unsigned *ret_port);
