/* SPDX-License-Identifier: MIT */
/* Tells whether an address, or the peer of a connection, belongs to this machine. */
#pragma once

#include <stdbool.h>

#include "proxy/wire/ip.h"

bool local_address_is(const struct ip_address *address);
bool local_address_is_other_end(int fd);
