/* SPDX-License-Identifier: MIT */
/* Is an address, or the other end of a connection, this machine's own? */
#pragma once

#include <stdbool.h>

#include "proxy/wire/ip.h"

bool local_address_is(const struct ip_address *address);
bool local_address_is_other_end(int fd);
