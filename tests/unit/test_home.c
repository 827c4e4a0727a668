// SPDX-License-Identifier: MIT
/* The user's home is read from the file where it stands there, and is what the C library says. */
#include <pwd.h>
#include <stdlib.h>
#include <unistd.h>

#include "discover/context.h"
#include "tap.h"

static void
the_first_passwd_line_of_a_user_is_used(void)
{
	static const struct {
		const char *text;
		uid_t uid;
		const char *home;
	} cases[] = {
		{"root:x:0:0:root:/root:/bin/bash\nme:x:1000:1000::/home/me:/bin/sh\n", 1000,
		 "/home/me"},
		{"root:x:0:0:root:/root:/bin/bash\nme:x:1000:1000::/home/me:/bin/sh\n", 0, "/root"},
		{"a:x:5:5::/one:\nb:x:5:5::/two:\n", 5, "/one"},
		{"# a word\n\na:x:5:5::/one:", 5, "/one"},
		{"a:x:5:5::/one", 5, "/one"},
		{"a:x:5:5::", 5, ""},
		{"a:x:5:5", 5, NULL},
		{"a:x:50:5::/one:\n", 5, NULL},
		{"a:x:5a:5::/one:\n", 5, NULL},
		{"a:x::5::/one:\n", 0, NULL},
		{"a:x:4294967296:5::/one:\n", 0, NULL},
		{"", 0, NULL},
		/* lines of NIS: what they stand for, only the C library knows */
		{"+::::::\na:x:5:5::/one:\n", 5, NULL},
		{"-b\na:x:5:5::/one:\n", 5, NULL},
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		char *text = strdup(cases[i].text);

		check(text != NULL);
		check_str(home_in_text(text, cases[i].uid), cases[i].home);
		free(text);
	}
}

static void
the_home_is_the_one_of_getpwuid(void)
{
	const char *home = NULL;
	auto_arena struct arena arena = {NULL};
	const struct passwd *entry = getpwuid(geteuid());
	const char *expected = entry == NULL ? NULL : entry->pw_dir;

	if (expected != NULL && *expected != '/')
		expected = NULL;
	check_int(home_of_user(&arena, &home, NULL), 0);
	check_str(home, expected);
}

int
main(void)
{
	run(the_first_passwd_line_of_a_user_is_used);
	run(the_home_is_the_one_of_getpwuid);
	return tap_end();
}
