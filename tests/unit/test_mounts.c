// SPDX-License-Identifier: MIT
/* Other names of a path by mounts: from the text that the kernel has for them. */
#include <string.h>

#include "base/array.h"
#include "host/mounts.h"
#include "tap.h"

static const char text[] = "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
			   "23 22 0:5 / /dev rw - devtmpfs udev rw\n"
			   "24 22 8:1 /home /data rw - ext4 /dev/sda1 rw\n"
			   "25 22 8:1 /home/sam/.ssh /keys ro - ext4 /dev/sda1 rw\n"
			   "26 22 8:1 /home/sam/a\\040b /with\\040blank rw - ext4 /dev/sda1 rw\n"
			   "27 22 8:2 / /mnt rw - btrfs /dev/sda2 rw,subvolid=5\n"
			   "28 22 8:2 /@sam /vol rw - btrfs /dev/sda2 rw\n"
			   "29 22 8:1 /srv /hidden rw - ext4 /dev/sda1 rw\n"
			   "30 29 0:9 / /hidden rw - tmpfs none rw\n"
			   "31 22 8:1 /gone//deleted /old rw - ext4 /dev/sda1 rw\n"
			   "33 22 8:1 /own/here /own/here rw - ext4 /dev/sda1 rw\n"
			   "no mount at all\n"
			   "32 22 8:1 relative point rw\n";

static const struct {
	const char *path, *names; /* each with a blank behind it */
} cases[] = {
	{"/home/sam/x", "/data/sam/x "},
	{"/home/sam/.ssh", "/data/sam/.ssh /keys "},
	{"/home/sam/.ssh/id", "/data/sam/.ssh/id /keys/id "},
	{"/home/sam/.sshd", "/data/sam/.sshd "},
	{"/keys/id", "/home/sam/.ssh/id /data/sam/.ssh/id "},
	{"/data", "/home /keys^ /with blank^ "},
	{"/home/sam", "/data/sam /keys^ /with blank^ "},
	{"/home/sam/a b/c", "/data/sam/a b/c /with blank/c "},
	{"/vol", "/mnt/@sam "},
	{"/vol/k", "/mnt/@sam/k "},
	{"/mnt/@sam/k", "/vol/k "},
	{"/mnt", "/vol^ "},
	/* what a later mount hides is no name, nor is what it hides in the file system below */
	{"/srv/x", ""},
	{"/hidden/x", ""},
	{"/dev/null", ""},
	{"/gone/x", ""},
	/* what lies below by its name needs no other */
	{"/", ""},
	{"/own", ""},
};

static void
aliases_by_mounts_are_found(void)
{
	auto_arena struct arena arena = {0};
	struct mounts mounts;

	check_int(mounts_read(&arena, text, &mounts, NULL), 0);
	check_int((int)mounts.count, 11);
	for (size_t k = 0; k < COUNT(cases); k++) {
		const struct mount *from = mounts_of(&mounts, cases[k].path);
		char found[400] = "";

		for (size_t i = 0; from != NULL && i < mounts.count; i++) {
			const char *name;
			bool is_above = false;

			check_int(mounts_other_name(&arena, &mounts, from, &mounts.list[i],
						    cases[k].path, &name, &is_above, NULL),
				  0);
			if (name == NULL)
				continue;
			strcat(found, name);
			strcat(found, is_above ? "^ " : " ");
		}
		check_str(found, cases[k].names);
	}
}

static void
what_has_two_names_is_found_in_both_directions(void)
{
	static const char wanted[] =
		"/data=/home /home=/data /keys=/home/sam/.ssh /home/sam/.ssh=/keys "
		"/keys=/data/sam/.ssh /data/sam/.ssh=/keys /with blank=/home/sam/a b "
		"/home/sam/a b=/with blank /with blank=/data/sam/a b /data/sam/a b=/with blank "
		"/vol=/mnt/@sam /mnt/@sam=/vol /old=/gone//deleted /gone//deleted=/old ";
	auto_arena struct arena arena = {0};
	struct mounts mounts;
	char found[1000] = "";

	check_int(mounts_read(&arena, text, &mounts, NULL), 0);
	check_int(mounts_find_twins(&arena, &mounts, NULL), 0);
	check_int(mounts_find_twins(&arena, &mounts, NULL), 0);
	for (size_t i = 0; i < mounts.twin_count; i++) {
		strcat(found, mounts.twins[i].at);
		strcat(found, "=");
		strcat(found, mounts.twins[i].behind);
		strcat(found, " ");
	}
	check_str(found, wanted);
	check_int(mounts_read(&arena,
			      "22 1 8:1 / / rw - ext4 a rw\n23 22 8:1 / /mnt rw - ext4 a rw",
			      &mounts, NULL),
		  0);
	check_int(mounts_find_twins(&arena, &mounts, NULL), 0);
	check_int((int)mounts.twin_count, 2);
	check_str(mounts.twins[0].behind, "/mnt");
	check_str(mounts.twins[1].behind, "/");
}

static void
where_nothing_is_mounted_twice_there_are_none(void)
{
	auto_arena struct arena arena = {0};
	struct mounts mounts;

	check_int(mounts_read(&arena,
			      "22 1 8:1 / / rw - ext4 a rw\n"
			      "23 22 8:2 /home /data rw - ext4 b rw\n"
			      "24 22 1:8 / /mnt rw - ext4 c rw",
			      &mounts, NULL),
		  0);
	check_int((int)mounts.count, 0);
	check_int(mounts_read(&arena,
			      "22 1 8:1 / / rw - ext4 a rw\n"
			      "23 22 8:1 /home /data rw - ext4 a rw",
			      &mounts, NULL),
		  0);
	check_int((int)mounts.count, 2);
}

static void
without_text_there_are_none(void)
{
	auto_arena struct arena arena = {0};
	struct mounts mounts;
	const char *read = "x";
	bool is_hidden = true;

	check_int(mounts_read(&arena, NULL, &mounts, NULL), 0);
	check_int((int)mounts.count, 0);
	check_int(mounts_text(&arena, "/nowhere/at/all", &read, &is_hidden, NULL), 0);
	check(read == NULL && !is_hidden);
}

int
main(void)
{
	run(aliases_by_mounts_are_found);
	run(what_has_two_names_is_found_in_both_directions);
	run(where_nothing_is_mounted_twice_there_are_none);
	run(without_text_there_are_none);
	return tap_end();
}
