// SPDX-License-Identifier: MIT
/* Other names of a path by mounts: from the text that the kernel has for them. */
#include <string.h>

#include "base/table.h"
#include "plan/mounts.h"
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
other_names_are_found(void)
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

	check_int(mounts_read(&arena, NULL, &mounts, NULL), 0);
	check_int((int)mounts.count, 0);
	check_int(mounts_text(&arena, "/nowhere/at/all", &read, NULL), 0);
	check(read == NULL);
}

int
main(void)
{
	run(other_names_are_found);
	run(where_nothing_is_mounted_twice_there_are_none);
	run(without_text_there_are_none);
	return tap_end();
}
