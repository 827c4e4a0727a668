/* SPDX-License-Identifier: MIT */
#pragma once

#define SRUN 2
#define SZOMB 5
