/* SPDX-License-Identifier: MIT */
/* Layout and numbers as in macOS's own header. */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#define PROC_UID_ONLY 4
#define PROC_RUID_ONLY 5
#define PROC_PPID_ONLY 6
#define PROC_PIDLISTFDS 1
#define PROC_PIDTBSDINFO 3
#define PROC_PIDTASKINFO 4

struct proc_fdinfo {
	int32_t proc_fd;
	uint32_t proc_fdtype;
};
_Static_assert(sizeof(struct proc_fdinfo) == 8, "as on macOS");

struct proc_taskinfo {
	uint64_t pti_virtual_size, pti_resident_size, pti_total_user, pti_total_system;
	uint64_t pti_threads_user, pti_threads_system;
	int32_t pti_policy, pti_faults, pti_pageins, pti_cow_faults, pti_messages_sent;
	int32_t pti_messages_received, pti_syscalls_mach, pti_syscalls_unix, pti_csw;
	int32_t pti_threadnum, pti_numrunning, pti_priority;
};
_Static_assert(sizeof(struct proc_taskinfo) == 96, "as on macOS");

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
