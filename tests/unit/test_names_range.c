// SPDX-License-Identifier: MIT
/* Which paths lock the same part of the lock file: all that can name one directory, and what is below it. */
#include <stdio.h>
#include <string.h>

#include "linux/broker/names_range.h"
#include "tap.h"

#define PLAIN "1 1 8:1 / / rw - ext4 /dev/a rw\n"
#define HOME "2 1 8:2 / /home rw - ext4 /dev/b rw\n"
#define DISK "3 1 8:3 / /mnt/disk rw shared:1 - xfs /dev/c rw\n"
#define TWICE "4 1 8:1 / /mnt/twice rw - ext4 /dev/a rw\n"
#define BIND "5 1 8:1 /home/u/p /mnt/bind rw - ext4 /dev/a rw\n"
#define BLANK "6 1 8:3 / /mnt/a\\040b rw - ext4 /dev/c rw\n"
#define FUSE "7 1 0:99 / /mnt/fuse rw - fuse.sshfs host rw\n"
#define OVER "8 3 8:4 / /mnt rw - ext4 /dev/d rw\n"
#define COVER "9 1 8:5 / /mnt rw - ext4 /dev/e rw\n"

static struct names_ranges
ranges_of(const char *mounts, const char *path)
{
	struct names_mounts all = {.fd = -1};
	struct names_ranges ranges = {.count = 0};

	names_range_read(&all, mounts);
	names_range_add(&all, path, strlen(path), &ranges);
	names_range_end(&all);
	return ranges;
}

static bool
overlap(const struct names_ranges *a, const struct names_ranges *b)
{
	for (size_t i = 0; i < a->count; i++)
		for (size_t j = 0; j < b->count; j++)
			if (!(a->at[i].is_point && b->at[j].is_point) &&
			    a->at[i].start < b->at[j].start + b->at[j].length &&
			    b->at[j].start < a->at[i].start + a->at[i].length)
				return true;
	return false;
}

static void
paths_that_may_be_related_overlap(void)
{
	static const struct {
		const char *mounts, *path, *other_mounts, *other;
		bool overlap;
	} rows[] = {
		{PLAIN, "/home/u/p", PLAIN, "/home/u/q", false},
		{PLAIN, "/home/u/p", PLAIN, "/home/u/p", true},
		{PLAIN, "/home/u/p", PLAIN, "/home/u", true},
		{PLAIN, "/home/u/p", PLAIN, "/", true},
		{PLAIN, "/home/u/p", PLAIN, "/home/u/p/a/b/c/d/e/f/g/h", true},
		/* too deep to be divided */
		{PLAIN, "/1/2/3/4/5/6/7/8/a", PLAIN, "/1/2/3/4/5/6/7/8/b", true},
		/* names that a directory may take as equal */
		{PLAIN, "/home/u/Proj", PLAIN, "/home/u/pROJ", true},
		{PLAIN, "/home/u/\xe2\x84\xaa", PLAIN, "/home/u/k", true},
		{PLAIN, "/home/u/\xe2\x84\xaa/p", PLAIN, "/home/u/k/p", true},
		/* file systems */
		{PLAIN HOME, "/home/u/p", PLAIN HOME, "/home/u/q", false},
		{PLAIN HOME, "/home/u/p", PLAIN HOME, "/srv/u/p", false},
		{PLAIN HOME, "/home/u/p", PLAIN "2 1 8:2 / /mnt rw - ext4 /dev/b rw\n", "/mnt/u/p",
		 true},
		{PLAIN DISK, "/mnt/disk/p", PLAIN DISK, "/mnt/disk/q", false},
		{PLAIN DISK, "/mnt/disk/p", PLAIN DISK, "/mnt", true},
		{PLAIN BLANK, "/mnt/a b/p", PLAIN DISK, "/mnt/disk/p", true},
		/* one directory by two paths */
		{PLAIN TWICE, "/home/u/p", PLAIN TWICE, "/mnt/twice/home/u/p", true},
		{PLAIN BIND, "/home/u/p/d", PLAIN BIND, "/mnt/bind/d", true},
		{PLAIN, "/home/u/p/d", PLAIN BIND, "/mnt/bind/d", true},
		{PLAIN, "/home/u/q", PLAIN BIND, "/mnt/bind/d", true},
		/* a rename above a mount point changes the paths below it */
		{PLAIN BIND, "/mnt", PLAIN BIND, "/mnt/bind/d", true},
		{PLAIN "2 1 8:9 / /home/u/p/m rw - ext4 /dev/z rw\n", "/home/u/p",
		 PLAIN "2 1 8:9 / /home/u/p/m rw - ext4 /dev/z rw\n", "/home/u/p/m/d", true},
		/* what may show another file system */
		{PLAIN FUSE, "/mnt/fuse/p", PLAIN, "/home/u/q", true},
		{"1 1 0:30 / / rw - overlay overlay rw\n", "/home/u/p", PLAIN, "/srv", true},
		/* unknown */
		{"", "/home/u/p", PLAIN, "/home/u/q", true},
		{"nonsense\n", "/home/u/p", PLAIN, "/home/u/q", true},
		{PLAIN "7 1 8:1\n", "/home/u/p", PLAIN, "/home/u/q", true},
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct names_ranges a = ranges_of(rows[i].mounts, rows[i].path),
				    b = ranges_of(rows[i].other_mounts, rows[i].other);

		if (overlap(&a, &b) != rows[i].overlap)
			printf("# %s and %s\n", rows[i].path, rows[i].other);
		check(overlap(&a, &b) == rows[i].overlap);
	}
}

/* A mount over a directory hides those below it; a later mount in the first one does not count. */
static void
hidden_mounts_do_not_count(void)
{
	struct names_ranges shown = ranges_of(PLAIN COVER, "/mnt/disk/p"),
			    hidden = ranges_of(PLAIN DISK COVER, "/mnt/disk/p"),
			    stacked = ranges_of(PLAIN DISK
						"8 3 8:5 / /mnt/disk rw - ext4 /dev/e rw\n",
						"/mnt/disk/disk/p");

	check(names_range_contains(&shown, &hidden) && names_range_contains(&hidden, &shown));
	check(names_range_contains(&stacked, &shown));
}

/* As long as ranges nest, sessions that lock several in order do not wait for each other. */
static void
a_set_is_sorted_and_without_overlap(void)
{
	static const char *const paths[] = {"/b/c", "/a", "/b", "/a/x", "/c", "/d/e",
					    "/d",   "/e", "/f", "/g",	"/h", "/i"};
	struct names_ranges all = {.count = 0};

	for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
		struct names_ranges one = ranges_of(PLAIN, paths[i]);

		names_range_join(&all, &one);
		check(names_range_contains(&all, &one));
		for (size_t j = 1; j < all.count; j++)
			check(all.at[j - 1].start + all.at[j - 1].length <= all.at[j].start);
	}
	/* too many: everything */
	check_int((long long)all.count, 1);
	check_int((long long)all.at[0].length, NAMES_RANGE_END);
}

static void
a_directory_is_even_without_mounts_below(void)
{
	struct names_mounts all = {.fd = -1};

	names_range_read(&all, PLAIN DISK);
	check(names_range_is_even(&all, "/home/u/p", 9));
	check(names_range_is_even(&all, "/mnt/disk", 9));
	check(names_range_is_even(&all, "/mnt/di", 7));
	check(!names_range_is_even(&all, "/mnt", 4));
	check(!names_range_is_even(&all, "/", 1));
	names_range_end(&all);
}

int
main(void)
{
	run(paths_that_may_be_related_overlap);
	run(hidden_mounts_do_not_count);
	run(a_set_is_sorted_and_without_overlap);
	run(a_directory_is_even_without_mounts_below);
	return tap_end();
}
