// SPDX-License-Identifier: MIT
/*
 * The constant parts of a profile. Operations are listed one by one and never as a group ("file-read*"), because it is
 * undocumented which of two rules wins if one is wider, and sources disagree. The services are those that
 * command line tools were seen to need; services that start programs, open documents or give access to
 * preferences, keychains and the clipboard are left out.
 */
#include "macos/sbpl/tables.h"

#include <stddef.h>

/* A network operation with a path is about unix sockets; bind creates a file. */
const char *const right_operations[RIGHT_KINDS][8] = {
	{"file-read-data", "file-read-metadata", "file-read-xattr", "file-test-existence",
	 "file-map-executable"},
	{"file-write-data", "file-write-mode", "file-write-flags", "file-write-times",
	 "file-write-xattr", "file-write-acl", "file-write-owner"},
	{"file-write-create", "network-bind", "network-inbound"},
	{"file-write-unlink"},
	{"process-exec*"},
};

const char *const ancestor_operations[] = {"file-read-metadata", "file-test-existence", NULL};

const char *const table_links[] = {"/etc", "/tmp", "/var", NULL};

#define DENY(operation, guarantee, reason)                                    \
	{                                                                     \
		WHEN_ALWAYS, "deny " operation, NULL, NULL, reason, guarantee \
	}

const struct table_row table_unreached[] = {
	DENY("process-info*", G_PROCESS_PTRACE, "arguments and environment of other processes"),
	DENY("process-info-codesignature", G_PROCESS_LISTING,
	     "what other processes are signed with"),
	DENY("file-map-executable", G_FILES_EXECUTE, "code comes from what may be read"),
	DENY("file-test-existence", G_FILES_READ, "what is there is told like the rest about it"),
	DENY("file-link", G_FILES_CARVEOUT,
	     "a second name for a file would have the rights of its new place"),
	/* a clone of a file asks for reading it and creating the other; one of a folder does not ask for
	   its files. Where clones fail with EPERM, Rust's fs::copy fails instead of copying */
	{WHEN_ALWAYS, "deny file-clone", "(vnode-type DIRECTORY)", NULL,
	 "copies of files that may not be read would have the rights of their new place",
	 G_FILES_CARVEOUT},
	DENY("file-write-setugid", G_FILES_METADATA, "nothing made here runs as someone else"),
	DENY("iokit-get-properties", G_KERNEL_SURFACE, "serial numbers"),
	DENY("nvram*", G_KERNEL_SURFACE, "settings of the firmware"),
	DENY("mach-cross-domain-lookup", G_KERNEL_SURFACE, "services of other sessions"),
	DENY("system-privilege", G_KERNEL_SURFACE, "what only an administrator may do"),
	DENY("job-creation", G_PROCESS_TREE, "launchd would run it outside"),
	DENY("darwin-notification-post", G_KERNEL_SURFACE, "other programs act on what is posted"),
	{WHEN_NO_NETWORK, "deny socket-ioctl", NULL, NULL, "interfaces and their addresses",
	 G_NET_UDP},
	/* dynamic-code-generation and syscall-unix are not denied: every runtime needs both */
	{0},
};

#define ALLOW(operation, filter, reason)                                       \
	{                                                                      \
		WHEN_ALWAYS, "allow " operation, filter, NULL, reason, G_COUNT \
	}
#define MACH(when, name, reason)                                                             \
	{                                                                                    \
		when, "allow mach-lookup", "global-name", "com.apple." name, reason, G_COUNT \
	}
#define SYSCTL(filter, name, reason)                                            \
	{                                                                       \
		WHEN_ALWAYS, "allow sysctl-read", filter, name, reason, G_COUNT \
	}

const struct table_row table_system[] = {
	ALLOW("process-fork", NULL, "programs start programs"),
	ALLOW("signal", "(target same-sandbox)", "job control among its own"),
	ALLOW("process-info*", "(target same-sandbox)", "what it started"),
	ALLOW("process-info-codesignature", "(target same-sandbox)", "what it started"),
	ALLOW("mach-priv-task-port", "(target same-sandbox)", "debuggers of what it started"),
	{WHEN_TERMINAL, "allow pseudo-tty", NULL, NULL, "terminals of its own", G_COUNT},

	MACH(WHEN_ALWAYS, "system.opendirectoryd.libinfo", "names of users and groups"),
	MACH(WHEN_ALWAYS, "system.opendirectoryd.membership", "groups of a user"),
	MACH(WHEN_ALWAYS, "system.DirectoryService.libinfo_v1", "names of users and groups, older"),
	MACH(WHEN_ALWAYS, "bsd.dirhelper", "the user's temporary folder"),
	MACH(WHEN_ALWAYS, "system.notification_center", "notifications of the C library"),
	MACH(WHEN_ALWAYS, "logd", "messages to the system log"),
	MACH(WHEN_ALWAYS, "logd.events", "messages to the system log"),
	MACH(WHEN_ALWAYS, "system.logger", "messages to the system log, older"),
	MACH(WHEN_ALWAYS, "diagnosticd", "messages to the system log"),
	MACH(WHEN_ALWAYS, "FSEvents", "file watchers"),
	MACH(WHEN_ALL, "SystemConfiguration.configd", "which network there is"),
	MACH(WHEN_ALL, "SystemConfiguration.DNSConfiguration", "name servers"),
	MACH(WHEN_ALL, "dnssd.service", "looking up names"),
	MACH(WHEN_ALL, "networkd", "connections by the system's own clients"),
	/* fetches URLs from certificates, so only with the whole network */
	MACH(WHEN_ALL, "trustd", "judging certificates"),
	MACH(WHEN_ALL, "trustd.agent", "judging certificates"),
	MACH(WHEN_ALL, "ocspd", "revoked certificates"),

	SYSCTL("sysctl-name-prefix", "hw.", "processors, caches, memory"),
	SYSCTL("sysctl-name-prefix", "machdep.cpu.", "features of the processor"),
	SYSCTL("sysctl-name", "machdep.ptrauth_enabled", "features of the processor"),
	SYSCTL("sysctl-name", "kern.argmax", "how long a command line may be"),
	SYSCTL("sysctl-name", "kern.boottime", "uptime"),
	SYSCTL("sysctl-name", "kern.clockrate", "units of processor time"),
	SYSCTL("sysctl-name", "kern.hostname", "uname"),
	SYSCTL("sysctl-name", "kern.iossupportversion", "the system's version"),
	SYSCTL("sysctl-name", "kern.maxfiles", "limits"),
	SYSCTL("sysctl-name", "kern.maxfilesperproc", "limits"),
	SYSCTL("sysctl-name", "kern.maxproc", "limits"),
	SYSCTL("sysctl-name", "kern.ngroups", "limits"),
	SYSCTL("sysctl-name", "kern.osproductversion", "the system's version"),
	SYSCTL("sysctl-name", "kern.osproductversioncompat", "the system's version"),
	SYSCTL("sysctl-name", "kern.osrelease", "uname"),
	SYSCTL("sysctl-name", "kern.ostype", "uname"),
	SYSCTL("sysctl-name", "kern.osvariant_status", "the system's version"),
	SYSCTL("sysctl-name", "kern.osversion", "uname"),
	SYSCTL("sysctl-name", "kern.secure_kernel", "the loader asks"),
	SYSCTL("sysctl-name", "kern.usrstack64", "the thread library asks"),
	SYSCTL("sysctl-name", "kern.version", "uname"),
	SYSCTL("sysctl-name", "sysctl.proc_cputype", "the loader asks"),
	SYSCTL("sysctl-name", "sysctl.proc_native", "does it run translated"),
	SYSCTL("sysctl-name", "sysctl.proc_translated", "does it run translated"),
	SYSCTL("sysctl-name", "vm.loadavg", "load"),
	{WHEN_NETWORK, "allow sysctl-read", "sysctl-name-prefix", "net.routetable.",
	 "interfaces and their addresses", G_COUNT},
	/* kern.proc.* and kern.procargs2 are left out: they list every process of the user */
	{WHEN_ALWAYS, "allow sysctl-write", "sysctl-name", "kern.tcsm_enable",
	 "V8 switches a protection of its own process on", G_COUNT},
	{WHEN_ALWAYS, "allow sysctl-write", "sysctl-name", "kern.grade_cputype",
	 "Java asks which code its own process can run", G_COUNT},

	{WHEN_ALWAYS, "allow iokit-open", "iokit-registry-entry-class", "RootDomainUserClient",
	 "news of sleep and waking", G_COUNT},
	{WHEN_ALWAYS, "allow ipc-posix-sem", "ipc-posix-name-prefix", "/mp-",
	 "Python's multiprocessing", G_COUNT},
	{WHEN_ALWAYS, "allow ipc-posix-shm", "ipc-posix-name-prefix", "/psm_",
	 "Python's shared memory", G_COUNT},
	{WHEN_ALWAYS, "allow ipc-posix-shm", "ipc-posix-name-prefix", "/__KMP_REGISTERED_LIB_",
	 "OpenMP's mark of its own process", G_COUNT},
	{WHEN_ALWAYS, "allow ipc-posix-shm-read-data", "ipc-posix-name",
	 "apple.shm.notification_center", "notifications of the C library", G_COUNT},

	{WHEN_SYSTEM_V, "allow ipc-sysv-msg", NULL, NULL, "queues, as the policy says", G_COUNT},
	{WHEN_SYSTEM_V, "allow ipc-sysv-sem", NULL, NULL, "semaphores", G_COUNT},
	{WHEN_SYSTEM_V, "allow ipc-sysv-shm", NULL, NULL, "memory", G_COUNT},

	ALLOW("system-socket", "(socket-domain AF_UNIX)", "pipes between its own processes"),
	{WHEN_NETWORK, "allow system-socket",
	 "(require-all (socket-domain AF_SYSTEM) (socket-protocol 2))", NULL,
	 "the system's network library", G_COUNT},
	{0},
};

const struct table_device table_devices[] = {
	{"/dev/tty", NULL, "the terminal it was started from"},
	{"/dev/ptmx", NULL, "terminals of its own"},
	{"/dev/ttys000", "^/dev/ttys[0-9]+$", "modes of a terminal"},
	{"/dev/dtracehelper", NULL, "every program says hello there"},
	{0},
};
