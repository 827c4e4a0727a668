/* SPDX-License-Identifier: MIT */
/* Layout and numbers as in macOS's own header. */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#define PROC_UID_ONLY 4
#define PROC_RUID_ONLY 5
#define PROC_PPID_ONLY 6
#define PROC_PIDTBSDINFO 3

struct proc_bsdinfo {
	uint32_t pbi_flags, pbi_status, pbi_xstatus, pbi_pid, pbi_ppid;
	uid_t pbi_uid;
	gid_t pbi_gid;
	uid_t pbi_ruid;
	gid_t pbi_rgid;
	uid_t pbi_svuid;
	gid_t pbi_svgid;
	uint32_t rfu_1;
	char pbi_comm[16];
	char pbi_name[32];
	uint32_t pbi_nfiles, pbi_pgid, pbi_pjobc, e_tdev, e_tpgid;
	int32_t pbi_nice;
	uint64_t pbi_start_tvsec, pbi_start_tvusec;
};
_Static_assert(sizeof(struct proc_bsdinfo) == 136, "as on macOS");
