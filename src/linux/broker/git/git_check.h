/* SPDX-License-Identifier: MIT */
/*
 * Inspection of git's files inside brokered trees. They change only as git does it: a new file is renamed
 * into place, or written in one piece. The content is read and inspected, and a copy made by the broker is
 * installed, so that a process with the new file open cannot change it afterwards.
 */
#pragma once

#include "git/config/git_config.h"
#include "linux/broker/broker.h"

/* Reports a refused file and sets errno. Returns false. */
bool git_check_refuse(const struct notif_call *request, const char *path, enum cause why);
/* May a directory, or another object without content, be created there? Sets errno. */
bool git_check_may_make(const struct notif_call *request, const char *path,
			const struct protection *protection, bool is_folder);
/* May the directory become a repository with its present content? Sets errno. Lock names exclusively. */
bool git_check_new_repo(const struct notif_call *request, const char *folder);
/* A repository that came with the project's files, or that refers to paths elsewhere, must not be moved. */
bool git_content_may_move(const struct notif_call *request, const char *folder);

/*
 * git_modes.c: mode bits that a path in a repository must not get: those that let others write, unless the
 * user's umask leaves them.
 */
mode_t git_modes_closed_bits(const struct broker *broker, const char *path, mode_t mode);
/* May a directory with these modes in it become a repository? */
bool git_modes_are_closed(const struct broker *broker, const char *folder);

/*
 * git_symlink.c: may a symbolic link with this text have this path? Other programs in the project follow
 * it, so it must not lead to directories where repositories are not inspected. Sets errno.
 */
bool git_symlink_may_point(const struct notif_call *request, const char *path, const char *text);
/* The same for the link name in folder; true for anything but a link. */
bool git_symlink_may_be(const struct notif_call *request, const char *path, int folder,
			const char *name);
/* If folder is a repository: do all links in it that git would follow stay inside? */
bool git_symlink_all_inside(const char *folder);

/* git_refs.c: do settings lead to a remote at path or below? Then no link may be created there. */
bool git_refs_lead_to_remote(const struct broker *broker, const char *path);
/* Are there settings at path, or below it, that must not be hidden from the broker, even briefly? */
bool git_refs_are_read(const struct notif_call *request, const char *path, mode_t kind);
/*
 * Do a repository's settings refer only to paths inside its directory? Moved, others would lead elsewhere.
 */
bool git_refs_inside(const struct broker *broker, const char *folder);
/* May the directory become a working tree of this repository with its present content? */
bool git_refs_may_init(const struct notif_call *request, const char *folder, const char *git_dir);

/* git_local_remote.c: why settings at this path must not name text as a remote; CAUSE_NONE: they may. */
enum cause git_local_remote_refuse(const struct notif_call *request, struct arena *arena,
				   const char *config, const char *text);
/* Do the settings in git_dir have a remote with a path relative to the working tree? */
bool git_local_remote_is_relative(const char *git_dir);

/* git_content.c: returns 0, or an errno after a refusal was reported. present may be NULL. */
int git_content_check(const struct notif_call *request, const char *path, enum vet vet,
		      const struct gitconfig_text *text, const struct gitconfig_text *present);
/*
 * May a git pointer get this path by a move of its directory? git writes it anew afterwards, so its target
 * may be missing meanwhile, if the command cannot create it.
 */
bool git_content_may_move_pointer(const struct notif_call *request, const char *path, enum vet vet,
				  const struct gitconfig_text *text);

/* git_install.c */

/*
 * The content of a regular file, at most GITCONFIG_MAX bytes; the caller frees it. Returns 0 or an errno.
 */
struct git_file {
	char *text;
	size_t length;
	mode_t mode;
	struct timespec times[2]; /* atime and mtime */
};
int git_install_read(int folder, const char *name, struct git_file *ret);
int git_install_read_fd(int fd, struct git_file *ret);
/*
 * Installs a copy of the inspected file at (folder, name) with the path path. Returns 0, or -1 with errno.
 */
struct git_target {
	int folder;
	const char *name, *path;
	enum vet vet;
	bool is_new; /* must not exist yet */
};
int git_install(const struct notif_call *request, const struct git_target *to,
		const struct git_file *file);

/* git_staging.c: staged files. */
/* Frees those of processes that have exited. */
void git_staging_drop_dead(struct broker *broker);

enum git_staging_result {
	VET_GO_ON,   /* open it as any other file */
	VET_REFUSED, /* errno has the reason */
	VET_STAGED   /* install fd as *ret_number in the caller */
};
struct git_staging_call {
	const struct notif_call *request;
	const struct lookup *entry;
	uint64_t flags;
	mode_t mode;	/* before the umask */
	int fd, number; /* set with VET_STAGED */
};
enum git_staging_result git_staging_open(const struct notif_call *request,
					 const struct protection *protection,
					 struct git_staging_call *opening);
