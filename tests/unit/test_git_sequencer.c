// SPDX-License-Identifier: MIT
/* What is left of an unfinished rebase starts no program, however it is written. */
#include "git/config/git_sequencer.h"

#include "tap.h"

static bool
passes(const char *name, const char *text, const char *present)
{
	auto_arena struct arena arena = {0};
	struct gitconfig_text new = {text, strlen(text)}, old;

	if (present != NULL)
		old = (struct gitconfig_text){present, strlen(present)};
	return git_sequencer_refuse(&arena, name, &new, present == NULL ? NULL : &old) ==
	       CAUSE_NONE;
}

static void
todo_lists_without_programs_pass(void)
{
	static const char *const texts[] = {
		"",
		"\n",
		"pick 1234567 exec it\n",
		"# exec true\n",
		"  # x true",
		"edit 12\nbreak\n",
		"label onto\nreset onto\nmerge -C 12 x # y\nupdate-ref refs/heads/x\nnoop\n",
		"fixup -C 12 x\ndrop 12 exec\n",
		"executes 12\n",
		"xy 1\n",
		"exec# true\n",
	};

	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
		check(passes("git-rebase-todo", texts[i], NULL));
}

static void
programs_are_found_in_every_spelling(void)
{
	static const char *const texts[] = {
		"exec true",	"exec true\n", "x true\n", "pick 12 a\nexec a\n",
		"\t x\ttrue\n", "exec\n",      "x",	   "\r\nexec a",
		"EXEC a",	"exec\r\n",    "\vx\va",   "noop\n x a\nnoop\n",
	};

	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
		check(!passes("git-rebase-todo", texts[i], NULL));
}

static void
existing_lines_may_stay(void)
{
	check(passes("git-rebase-todo", "exec make\n", "pick 12 a\nexec make\n"));
	check(passes("git-rebase-todo", "x a\npick 1\n", "pick 1\nx a"));
	check(!passes("git-rebase-todo", "exec make x\n", "exec make\n"));
	check(!passes("git-rebase-todo", "exec make\n", "exec make x\n"));
	check(!passes("git-rebase-todo", "exec make\n", ""));
}

static void
only_builtin_strategies_pass(void)
{
	check(passes("strategy", "", NULL) && passes("strategy", "recursive\n", NULL));
	check(passes("strategy", "ort", NULL) && !passes("strategy", "my-own\n", NULL));
	check(!passes("strategy", "resolve\n", NULL) && !passes("strategy", "octopus", NULL));
	check(!passes("opts", "[options]\n\tstrategy = resolve\n", NULL));
	check(!passes("strategy", "/x/evil\n", NULL) && !passes("strategy", "../x", NULL));
	check(!passes("strategy", "ort\n/x\n", NULL) && !passes("strategy", "a b", NULL));
	check(passes("opts", "[options]\n\tstrategy = ort\n\tsignoff = true\n", NULL));
	check(passes("opts", "[options]\n\tstrategy-option = subtree=a/b\n", NULL));
	check(!passes("opts", "[options]\n\tstrategy = /x/evil\n", NULL));
	check(!passes("opts", "[Options]Strategy=ort\n[options]strategy=\"/x\"\n", NULL));
	check(!passes("opts", "[options]\nstrategy = a\\\n/b\n", NULL));
	check(!passes("opts", "[options]\nstrategy\n", NULL) && !passes("opts", "[options", NULL));
}

static void
only_harmless_options_of_apply_pass(void)
{
	check(passes("apply-opt", "", NULL) && passes("apply-opt", "\n", NULL));
	check(passes("apply-opt", " '--whitespace=fix' '-C2' '-p0'\n", NULL));
	check(passes("apply-opt", " --ignore-whitespace --reject", NULL));
	check(!passes("apply-opt", " '--build-fake-ancestor=/home/u/f'", NULL));
	check(!passes("apply-opt", " '--directory=../x'", NULL) &&
	      !passes("apply-opt", "-C2x", NULL));
	check(!passes("apply-opt", "--whitespace=fix'\\'' -p1", NULL));
	check(!passes("apply-opt", "'-p1", NULL) && !passes("apply-opt", "f", NULL));
}

static void
other_files_and_control_characters_do_not_pass(void)
{
	auto_arena struct arena arena = {0};
	struct gitconfig_text nul = {"pick 1\n\0exec a\n", 16};

	check(git_sequencer_refuse(&arena, "git-rebase-todo", &nul, NULL) == CAUSE_STEPS_NUL);
	check(!passes("other", "", NULL));
	check(git_sequencer_is_name("strategy") && git_sequencer_is_name("GIT-REBASE-TODO"));
	check(!git_sequencer_is_name("done") && !git_sequencer_is_name("git-rebase-todo.lock"));
}

int
main(void)
{
	run(todo_lists_without_programs_pass);
	run(programs_are_found_in_every_spelling);
	run(existing_lines_may_stay);
	run(only_builtin_strategies_pass);
	run(only_harmless_options_of_apply_pass);
	run(other_files_and_control_characters_do_not_pass);
	return tap_end();
}
