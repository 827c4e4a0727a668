/* SPDX-License-Identifier: MIT */
#pragma once

#define SZOMB 5
