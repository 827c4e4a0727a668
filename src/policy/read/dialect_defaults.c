// SPDX-License-Identifier: MIT
/*
 * The dialects' lists, unchanged. Where an entry would open a hole, the table names a replacement.
 * Both systems are always compiled in.
 */
#include "policy/read/dialect_defaults.h"

#include <string.h>

#include "base/array.h"
#include "policy/model/guarantee.h"

static const char *const linux_executable[] = {
	"/usr/bin", "/usr/sbin", "/usr/lib", "/usr/lib64", "/usr/libexec",
	"/lib",	    "/lib64",	 "/bin",     "/sbin",	   NULL,
};
static const char *const macos_executable[] = {
	"/bin",
	"/usr/bin",
	"/usr/sbin",
	"/sbin",
	"/usr/lib",
	"/usr/libexec",
	"/System/Library/dyld",
	"/System/Cryptexes",
	"/Library/Developer/CommandLineTools/usr/bin",
	"/Library/Developer/CommandLineTools/usr/lib",
	"/Library/Apple/usr/bin",
	"/opt/homebrew/bin",
	"/opt/homebrew/sbin",
	"/opt/homebrew/Cellar",
	"/opt/homebrew/lib",
	"/usr/local/bin",
	"/usr/local/lib",
	NULL,
};
const char *const *const baseline_executable[2] = {linux_executable, macos_executable};

/* all of /proc: no child of Zed's wrapper could read what Zed grants, /proc/self */
static const char *const linux_read_only[] = {
	"/etc", "/usr/share", "/usr/include", "/usr/lib/locale", "/proc", "/sys", NULL,
};
static const char *const macos_read_only[] = {
	"/private/etc",
	"/usr/share",
	"/System/Library/Keychains",
	"/Library/Developer/CommandLineTools/SDKs",
	"/Library/Preferences/SystemConfiguration",
	"/opt/homebrew/share",
	"/opt/homebrew/etc",
	"/usr/local/share",
	"/usr/local/etc",
	NULL,
};
const char *const *const baseline_read_only[2] = {linux_read_only, macos_read_only};

#define HOLE_DEVICES \
	"whole /dev is not granted (disks, input, other terminals): its ordinary nodes are"
#define HOLE_SHARED " is not granted, every program shares it: TMPDIR names a private folder"

static const struct baseline_write linux_read_write[] = {
	{"/dev", INSTEAD_DEVICES, HOLE_DEVICES},
	{"/tmp", INSTEAD_NOTHING, "whole /tmp" HOLE_SHARED},
	{"/var/tmp", INSTEAD_NOTHING, "whole /var/tmp" HOLE_SHARED},
	{"/dev/shm", INSTEAD_NOTHING,
	 "whole /dev/shm is not granted: files in it are, for shared memory, and no folder"},
	{"/run/user", INSTEAD_NOTHING,
	 "whole /run/user is not granted (session bus, agents, display): name sockets one by one"},
	{0},
};
static const struct baseline_write macos_read_write[] = {
	{"/dev", INSTEAD_DEVICES, HOLE_DEVICES},
	{"/private/tmp", INSTEAD_NOTHING, "whole /private/tmp" HOLE_SHARED},
	{"/var/folders", INSTEAD_TMPDIR,
	 "whole /var/folders is not granted, it holds every program's files: $TMPDIR is"},
	{"/private/var/run/mDNSResponder", INSTEAD_ITSELF, NULL},
	{0},
};
const struct baseline_write *const baseline_read_write[2] = {linux_read_write, macos_read_write};

/* The nodes that programs need instead of the whole /dev. */
struct device {
	const char *path;
	enum match match;
	unsigned rights; /* neither create nor delete of a node: root could replace it */
};
#define RIGHTS_NODE (RIGHT_READ | RIGHT_WRITE)

static const struct device linux_devices[] = {
	{"/dev/null", MATCH_LITERAL, RIGHTS_NODE},
	{"/dev/zero", MATCH_LITERAL, RIGHTS_NODE},
	{"/dev/full", MATCH_LITERAL, RIGHTS_NODE},
	{"/dev/random", MATCH_LITERAL, RIGHTS_NODE},
	{"/dev/urandom", MATCH_LITERAL, RIGHTS_NODE},
	{"/dev/tty", MATCH_LITERAL, RIGHTS_NODE},
	{"/dev/ptmx", MATCH_LITERAL, RIGHTS_NODE},
	{"/dev/pts", MATCH_SUBPATH, RIGHTS_NODE},
	/* POSIX shared memory and semaphores: files by name, never listed, nothing in subfolders */
	{"/dev/shm", MATCH_CHILD, RIGHTS_NODE | RIGHT_CREATE | RIGHT_DELETE},
	{0},
};
/* /dev/fd shows only the reader's own fds; shells use it for <(...) */
static const struct device macos_devices[] = {
	{"/dev/null", MATCH_LITERAL, RIGHTS_NODE},   {"/dev/zero", MATCH_LITERAL, RIGHTS_NODE},
	{"/dev/random", MATCH_LITERAL, RIGHTS_NODE}, {"/dev/urandom", MATCH_LITERAL, RIGHTS_NODE},
	{"/dev/tty", MATCH_LITERAL, RIGHTS_NODE},    {"/dev/ptmx", MATCH_LITERAL, RIGHTS_NODE},
	{"/dev/ttys*", MATCH_GLOB, RIGHTS_NODE},     {"/dev/fd", MATCH_SUBPATH, RIGHTS_NODE},
	{"/dev/stdin", MATCH_LITERAL, RIGHTS_NODE},  {"/dev/stdout", MATCH_LITERAL, RIGHTS_NODE},
	{"/dev/stderr", MATCH_LITERAL, RIGHTS_NODE}, {0},
};
/*
 * No program starts on macOS without these, and no dialect lists them: the loader ends without "/", reads
 * its cache through links into Preboot, and sh is a link in /private/var/select.
 */
static const struct device macos_start[] = {
	{"/", MATCH_LITERAL, RIGHT_READ},
	{"/private/var/db/dyld", MATCH_SUBPATH, RIGHT_READ},
	{"/private/var/select", MATCH_SUBPATH, RIGHT_READ},
	{"/System/Cryptexes", MATCH_SUBPATH, RIGHT_READ | RIGHT_EXECUTE},
	{"/System/Volumes/Preboot/Cryptexes", MATCH_SUBPATH, RIGHT_READ | RIGHT_EXECUTE},
	{"/dev/dtracehelper", MATCH_LITERAL, RIGHTS_NODE},
	{0},
};
static const struct device linux_start[] = {{0}};
static const struct device *const start[2] = {linux_start, macos_start};
static const struct device *const devices[2] = {linux_devices, macos_devices};

/* flow has no list for Linux: Zed's two lists, and the equivalents of flow's macOS directories */
static const char *const linux_flow_read[] = {
	"/usr",	 "/bin", "/sbin",      "/lib",	"/lib64",
	"/etc",	 "/opt", "/nix/store", "/snap", "/home/linuxbrew/.linuxbrew",
	"/proc", "/sys", NULL,
};
static const char *const macos_flow_read[] = {
	"/usr", "/bin", "/sbin", "/System", "/Library", "/private/etc", NULL,
};
const char *const *const baseline_flow_read[2] = {linux_flow_read, macos_flow_read};

const char *const baseline_dotfiles[] = {
	"~/.zshrc",   "~/.zshenv",  "~/.zprofile",     "~/.zlogin",
	"~/.zlogout", "~/.bashrc",  "~/.bash_profile", "~/.bash_login",
	"~/.profile", "~/.inputrc", "~/.terminfo",     "~/.gitconfig",
	NULL,
};
const char *const baseline_config[] = {
	"~/.config/git",      "~/.config/fish",		 "~/.config/nushell",
	"~/.config/elvish",   "~/.config/zsh",		 "~/.config/powershell",
	"~/.config/starship", "~/.config/starship.toml", NULL,
};
const char *const baseline_histories[] = {"~/.bash_history", "~/.zsh_history", NULL};

const char *const baseline_never[] = {
	"~/.ssh",	"~/.gnupg",	"~/.cargo/registry",
	"~/.cargo/git", "~/.cargo/bin", "~/.rustup/toolchains",
	"~/.npm",	"~/.cache",	"~/.local/bin",
	"~/.nvm",	"~/.volta",	"~/.pyenv",
	"~/.rbenv",	"~/.asdf",	"~/Library/Keychains",
	NULL,
};

const char *const baseline_env[] = {
	"PATH",
	"HOME",
	"USER",
	"SHELL",
	"LANG",
	"TERM",
	"TERM_PROGRAM",
	"CARGO_HOME",
	"RUSTUP_HOME",
	"GOPATH",
	"EDITOR",
	"VISUAL",
	"XDG_CONFIG_HOME",
	"XDG_DATA_HOME",
	"XDG_RUNTIME_DIR",
	"SSH_AUTH_SOCK",
	"GPG_TTY",
	"COLORTERM",
	NULL,
};
const char *const baseline_env_always[] = {
	"ZED_TERM", "TERM_PROGRAM", "TERM", "COLORTERM", "TERM_PROGRAM_VERSION", NULL,
};
const char *const baseline_env_scrub[] = {
	"HOME", "USER", "PATH", "LANG", "TERM", "SHELL", "LC_*", NULL,
};

/* The resolver's files and certificates that links in /etc lead to, where distributions keep them. */
static const char *const linux_etc_targets[] = {
	"/etc/resolv.conf",
	"/run/systemd/resolve",
	"/run/resolvconf/resolv.conf",
	"/run/NetworkManager/resolv.conf",
	"/run/NetworkManager/no-stub-resolv.conf",
	"/var/lib/ca-certificates",
	NULL,
};

int
dialect_defaults_grant_targets(struct policy_reading *r, const struct json *at, const char *path)
{
	bool is_etc = r->as->system == SYSTEM_LINUX && strcmp(path, "/etc") == 0;

	for (const char *const *target = linux_etc_targets; is_etc && *target != NULL; target++) {
		struct rule *rule =
			policy_add_rule(r->policy, LIST_READ, *target, read_srcpos(r, at), r->err);

		if (rule == NULL)
			return -CORDON_E_MEMORY;
		rule->optional = rule->implied = true;
	}
	return 0;
}

int
dialect_defaults_grant(struct policy_reading *r, const struct json *at, enum list list,
		       const char *const *paths)
{
	for (; *paths != NULL; paths++) {
		struct rule *rule =
			policy_add_rule(r->policy, list, *paths, read_srcpos(r, at), r->err);

		if (rule == NULL)
			return -CORDON_E_MEMORY;
		rule->optional = rule->implied = true;
		if (dialect_defaults_grant_targets(r, at, *paths) < 0)
			return -CORDON_E_MEMORY;
	}
	return 0;
}

static int
grant_devices(struct policy_reading *r, const struct json *at, const struct device *device)
{
	for (; device->path != NULL; device++) {
		struct rule *rule = policy_add_rule(r->policy, LIST_RULES, device->path,
						    read_srcpos(r, at), r->err);

		if (rule == NULL)
			return -CORDON_E_MEMORY;
		rule->rights = device->rights;
		rule->match = device->match;
		rule->optional = rule->implied = true;
	}
	return 0;
}

int
dialect_defaults_grant_devices(struct policy_reading *r, const struct json *at)
{
	return grant_devices(r, at, devices[r->as->system]);
}

int
dialect_defaults_grant_start(struct policy_reading *r, const struct json *at)
{
	return grant_devices(r, at, start[r->as->system]);
}

int
dialect_defaults_accept(struct policy_reading *r, const struct json *at)
{
	static const enum guarantee accepted[] = {G_PROCESS_LISTING, G_PROCESS_CONTROL};
	size_t count = r->as->system == SYSTEM_MACOS ? COUNT(accepted) : 1;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < count; i++)
		rc = policy_add_word(r->policy, &r->policy->accept, guarantee_names[accepted[i]],
				     read_srcpos(r, at), r->err);
	return rc;
}

int
dialect_defaults_pass(struct policy_reading *r, const struct json *at, const char *const *names)
{
	struct words *allow = &r->policy->env.allow;

	for (; *names != NULL; names++) {
		int rc = 0;

		if (!policy_words_have(allow, *names))
			rc = policy_add_word(r->policy, allow, *names, read_srcpos(r, at), r->err);
		if (rc < 0)
			return rc;
	}
	return 0;
}
