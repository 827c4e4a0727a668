/* SPDX-License-Identifier: MIT */
/*
 * Vetting: git's own files inside guarded trees. They change in git's way only, by a new file that
 * is moved into place or written in one piece; what was written is read, judged, and a copy of our
 * own is put there, so that nobody who still holds the new file open can change it afterwards.
 */
#pragma once

#include "git/config/git_config.h"
#include "linux/broker/broker.h"

/* May this be made there: a folder, or something else that is no file with content? Sets errno. */
bool git_check_may_make(const struct notif_call *request, const char *path,
			const struct protection *protection, bool is_folder);
/* May the folder become a repository with what is in it? Sets errno. The lock is exclusive. */
bool git_check_new_repo(const struct notif_call *request, const char *folder);
/* A repository that came with the project's own files, or names what lies elsewhere, stays there. */
bool git_content_may_move(const struct notif_call *request, const char *folder);

/*
 * git_modes.c: the bits of a mode that must not come to this path, because it is in a repository: those by
 * which others could change it, unless the user's own umask gives them.
 */
mode_t git_modes_closed_bits(const struct broker *broker, const char *path, mode_t mode);
/* May a folder become a repository with these modes in it? */
bool git_modes_are_closed(const struct broker *broker, const char *folder);

/*
 * git_symlink.c: may a symbolic link with this text have this path? Whoever works in the project
 * meanwhile follows it, so none leads to where a repository is not looked at. Sets errno.
 */
bool git_symlink_may_point(const struct notif_call *request, const char *path, const char *text);
/* The same for the link that is name in folder; what is none may be anywhere. */
bool git_symlink_may_be(const struct notif_call *request, const char *path, int folder,
			const char *name);
/* Do all links that git would follow in folder stay in it, when it is a repository? */
bool git_symlink_all_inside(const char *folder);

/* git_refs.c: is path, or does something below it, lead to a remote? Then no link comes there. */
bool git_refs_lead_to_remote(const struct broker *broker, const char *path);
/* Are there settings at path, or below it, that must not be hidden from us for a while? */
bool git_refs_are_read(const struct notif_call *request, const char *path, mode_t kind);
/* Do a repository's settings name nothing outside of its folder? From another place it would be another. */
bool git_refs_inside(const struct broker *broker, const char *folder);
/* May the folder become a working tree of this repository with what is in it? */
bool git_refs_may_init(const struct notif_call *request, const char *folder, const char *git_dir);

/* git_local_remote.c: why settings at this path must not name text as a remote; CAUSE_NONE: they may. */
enum cause git_local_remote_refuse(const struct notif_call *request, struct arena *arena,
				   const char *config, const char *text);
/* Do the settings in git_dir name one by a path from where the working tree is? */
bool git_local_remote_is_relative(const char *git_dir);

/* git_content.c: 0, or an errno after a refusal was noted. present may be NULL. */
int git_content_check(const struct notif_call *request, const char *path, enum vet vet,
		      const struct gitconfig_text *text, const struct gitconfig_text *present);
/*
 * May a pointer come to this path with its folder? git writes it anew afterwards, so it may lead to
 * nothing meanwhile, where nothing can be made.
 */
bool git_pointer_may_move(const struct notif_call *request, const char *path, enum vet vet,
			  const struct gitconfig_text *text);

/* git_install.c */

/* The whole of a regular file, at most GITCONFIG_MAX bytes; 0 or an errno. Belongs to the caller. */
struct git_file {
	char *text;
	size_t length;
	mode_t mode;
	struct timespec times[2]; /* of the last access and change */
};
int git_install_read(int folder, const char *name, struct git_file *ret);
int git_install_read_fd(int fd, struct git_file *ret);
/* Puts a vetted copy of file at (folder, name), whose path is path. 0, or -1 with errno. */
struct git_target {
	int folder;
	const char *name, *path;
	enum vet vet;
	bool is_new; /* it must not be there yet */
};
int git_install(const struct notif_call *request, const struct git_target *to,
		const struct git_file *file);

/* git_staging.c: files that are written in one piece. */
/* Lets go of those whose process is gone. */
void git_staging_drop_dead(struct broker *broker);

enum git_staging_result {
	VET_GO_ON,   /* open it as any other */
	VET_REFUSED, /* errno says why */
	VET_STAGED   /* *ret_fd is to be given under the number *ret_number */
};
struct git_staging_call {
	const struct notif_call *request;
	const struct lookup *place;
	uint64_t flags;
	mode_t mode;	/* without the umask */
	int fd, number; /* of VET_STAGED */
};
enum git_staging_result git_staging_open(const struct notif_call *request,
					 const struct protection *protection,
					 struct git_staging_call *opening);
