/* SPDX-License-Identifier: MIT */
/* Is an address, or the other end of a connection, this machine's own? */
#pragma once

#include <stdbool.h>

#include "proxy/wire/ip.h"

bool here_is(const struct ip_address *address);
bool here_is_other_end(int fd);
