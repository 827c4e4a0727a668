// SPDX-License-Identifier: MIT
/*
 * Git's own worktrees and submodules are found, and no rewritten pointer ever is believed. Every
 * hostile case starts from a tree that was believed, so each refusal is the doing of its change.
 */
#include "git/config/git_dir.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "tap.h"

static char base[128];

/* Runs a script in BASE; HOME is BASE, so no user's git settings matter. */
static int
sh(const char *script)
{
	char command[4096];

	snprintf(command, sizeof command,
		 "cd '%s' && export HOME='%s' GIT_CONFIG_NOSYSTEM=1 XDG_CONFIG_HOME='%s/none' &&"
		 "unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE; { set -e; %s\n} >log 2>&1",
		 base, base, base, script);
	return system(command);
}

static const char set_up[] =
	"git config --global user.name t; git config --global user.email t@example.com;"
	"git config --global protocol.file.allow always;"
	"git config --global init.defaultBranch main; mkdir empty;"
	"git config --global init.templateDir \"$PWD/empty\";"
	"for r in lib inner main other; do"
	"  git init $r; echo $r >$r/file; git -C $r add .; git -C $r commit -m $r; done;"
	"git -C lib submodule add \"$PWD/inner\" nested/inner; git -C lib commit -m nested;"
	"git -C main submodule add \"$PWD/lib\" deps/lib;"
	"git -C main submodule update --init --recursive; git -C main commit -m lib;"
	"git -C main worktree add ../tree; git -C tree submodule update --init;"
	"git -C other worktree add ../othertree;"
	"git clone --bare main bare.git; git -C bare.git worktree add ../baretree main;"
	"mkdir plain .ssh; echo key >.ssh/id; ln -s main alias";

static struct git_dirs
find_from(struct arena *arena, const char *name)
{
	struct git_dirs found = {"untouched", "untouched", "untouched", "untouched"};
	struct cordon_error err = {0};
	char path[256];
	int rc;

	snprintf(path, sizeof path, "%s/%s", base, name);
	rc = git_dir_find(arena, path, &found, &err);
	if (rc < 0)
		printf("# %s\n", err.text);
	check_int(rc, 0);
	return found;
}

static const char *
short_name(const char *path)
{
	return path != NULL && str_starts(path, base) ? path + strlen(base) + 1 : path;
}

static void
expect(const char *name, const char *git_dir, const char *common_dir)
{
	auto_arena struct arena arena = {NULL};
	struct git_dirs found = find_from(&arena, name);

	check_str(short_name(found.git_dir), git_dir);
	check_str(short_name(found.common_dir), common_dir);
	check_str(found.refused, NULL);
}

static void
expect_refused(const char *name, const char *words)
{
	auto_arena struct arena arena = {NULL};
	struct git_dirs found = find_from(&arena, name);

	check_str(found.git_dir, NULL);
	check_str(found.common_dir, NULL);
	if (found.refused == NULL || strstr(found.refused, words) == NULL)
		check_str(found.refused, words);
}

static void
repositories_made_by_git_are_found(void)
{
	expect("tree", "main/.git/worktrees/tree", "main/.git");
	expect("baretree", "bare.git/worktrees/baretree", "bare.git");
	expect("main/deps/lib", "main/.git/modules/deps/lib", "main/.git/modules/deps/lib");
	expect("main/deps/lib/nested/inner", "main/.git/modules/deps/lib/modules/nested/inner",
	       "main/.git/modules/deps/lib/modules/nested/inner");
	expect("tree/deps/lib", "main/.git/worktrees/tree/modules/deps/lib",
	       "main/.git/worktrees/tree/modules/deps/lib");
	/* by another name: what counts is where it lies */
	expect("alias/deps/lib", "main/.git/modules/deps/lib", "main/.git/modules/deps/lib");
}

static void
plain_folders_add_no_paths(void)
{
	expect("main", NULL, NULL);
	expect("plain", NULL, NULL);
	expect("no/such/folder", NULL, NULL);
	check_int(sh("mkdir sep; git init --separate-git-dir sep/real sep; test -f sep/.git"), 0);
	expect("sep", NULL, NULL);
}

static void
relative_paths_and_config_per_worktree_work_too(void)
{
	check_int(sh("cp -a tree/.git pointer; cp -a main/.git/worktrees/tree/gitdir back;"
		     "echo 'gitdir: ../main/.git/worktrees/tree' >tree/.git;"
		     "echo ../../../../tree/.git >main/.git/worktrees/tree/gitdir"),
		  0);
	expect("tree", "main/.git/worktrees/tree", "main/.git");
	check_int(sh("mv pointer tree/.git; mv back main/.git/worktrees/tree/gitdir;"
		     "cp main/.git/modules/deps/lib/config config;"
		     "git -C main/deps/lib sparse-checkout init --cone;"
		     "grep worktree main/.git/modules/deps/lib/config.worktree"),
		  0);
	expect("main/deps/lib", "main/.git/modules/deps/lib", "main/.git/modules/deps/lib");
	check_int(sh("mv config main/.git/modules/deps/lib/config;"
		     "rm main/.git/modules/deps/lib/config.worktree"),
		  0);
}

/* From one believed tree, a change; then the change is taken back and it is believed again. */
static const struct {
	const char *project, *change, *words;
} attacks[] = {
	/* the pointer leads elsewhere */
	{"tree", "echo \"gitdir: $PWD/main/.git/worktrees/none\" >tree/.git", "not a folder"},
	{"tree", "echo \"gitdir: $PWD/other/.git/worktrees/othertree\" >tree/.git",
	 "does not point back"},
	{"tree", "echo \"gitdir: $PWD/other/.git\" >tree/.git", "neither a worktree nor"},
	{"tree", "echo \"gitdir: $PWD/main/.git\" >tree/.git", "neither a worktree nor"},
	{"tree", "echo \"gitdir: $PWD/.ssh\" >tree/.git", "neither a worktree nor"},
	{"tree", "echo 'gitdir: /' >tree/.git", "neither a worktree nor"},
	{"tree", "echo 'gitdir: /etc/passwd' >tree/.git", "not a folder"},
	{"tree", "echo \"gitdir: $PWD/main/.git/modules/deps/lib\" >tree/.git",
	 "neither a worktree nor"},
	{"tree", "ln -s ../other/.git/worktrees/othertree tree/in; echo 'gitdir: in' >tree/.git",
	 "does not point back"},
	{"tree", "ln -s \"$PWD/.ssh\" tree/in; echo 'gitdir: in' >tree/.git", "neither a worktree"},
	/* the pointer is no pointer */
	{"tree", "ln -sf \"$PWD/other/.git\" tree/.git", "neither a folder nor"},
	{"tree", "rm tree/.git; mkfifo tree/.git", "neither a folder nor"},
	{"tree", ": >tree/.git", "is empty"},
	{"tree", "echo hello >tree/.git", "not a git pointer"},
	{"tree", "printf 'gitdir: ' >tree/.git", "not a git pointer"},
	{"tree",
	 "printf 'gitdir: %s\\ngitdir: /etc\\n' \"$PWD/main/.git/worktrees/tree\" >tree/.git",
	 "more than one line"},
	{"tree", "printf 'gitdir: %s\\0/x\\n' \"$PWD/main/.git/worktrees/tree\" >tree/.git", "NUL"},
	{"tree", "printf 'gitdir: %s\\033[2J\\n' \"$PWD/x\" >tree/.git", "control character"},
	{"tree", "head -c 20000000 /dev/zero >tree/.git", "cannot be read whole"},
	{"tree", "echo 'gitdir: loop/x' >tree/.git; ln -s loop tree/loop", "cannot be resolved"},
	/* what it leads to does not agree */
	{"tree", "echo \"$PWD/othertree/.git\" >main/.git/worktrees/tree/gitdir", "not point back"},
	{"tree", "echo \"$PWD/alias2/.git\" >main/.git/worktrees/tree/gitdir; ln -s tree alias2",
	 "through a symbolic link"},
	{"tree",
	 "printf '%s\\n/y' \"$PWD/tree/.git\" "
	 ">main/.git/worktrees/tree/gitdir",
	 "more than one line"},
	{"tree", "rm main/.git/worktrees/tree/gitdir", "not a regular file"},
	{"tree", "rm main/.git/worktrees/tree/gitdir; mkdir main/.git/worktrees/tree/gitdir",
	 "not a regular file"},
	{"tree",
	 "mv main/.git/worktrees/tree/gitdir g; ln -s ../../../../g "
	 "main/.git/worktrees/tree/gitdir",
	 "not a regular file"},
	{"tree", "echo \"$PWD/other/.git\" >main/.git/worktrees/tree/commondir", "not point back"},
	{"tree", "echo / >main/.git/worktrees/tree/commondir", "not point back"},
	{"tree",
	 "ln -s main/.git aliased; echo \"$PWD/aliased\" >main/.git/worktrees/tree/commondir",
	 "through a symbolic link"},
	{"tree", "rm main/.git/worktrees/tree/commondir", "neither a worktree nor"},
	{"tree", "rm main/.git/HEAD", "not a git repository"},
	{"tree", "mv main/.git/refs r; ln -s ../../r main/.git/refs", "not a git repository"},
	/* a whole fake: everything points back, and there is no repository */
	{"tree",
	 "mkdir -p .ssh/worktrees/w; echo ../.. >.ssh/worktrees/w/commondir;"
	 "echo \"$PWD/tree/.git\" >.ssh/worktrees/w/gitdir;"
	 "echo \"gitdir: $PWD/.ssh/worktrees/w\" >tree/.git",
	 "not a git repository"},
	{"tree",
	 "mkdir -p fake/x/w; echo ../.. >fake/x/w/commondir; echo \"$PWD/tree/.git\" "
	 ">fake/x/w/gitdir; echo \"gitdir: $PWD/fake/x/w\" >tree/.git",
	 "is not a worktree"},
	/* submodules */
	{"main/deps/lib", "echo 'gitdir: ../../.git' >main/deps/lib/.git",
	 "neither a worktree nor"},
	{"main/deps/lib", "echo 'gitdir: ../../.git/modules' >main/deps/lib/.git",
	 "neither a worktree nor"},
	{"main/deps/lib",
	 "echo 'gitdir: ../../.git/modules/deps/lib/modules/nested/inner' "
	 ">main/deps/lib/.git",
	 "not point back"},
	{"main/deps/lib", "echo 'gitdir: ../../.git/modules/deps/lib/objects' >main/deps/lib/.git",
	 "not a git repository"},
	{"main/deps/lib",
	 "echo \"gitdir: $PWD/main/.git/worktrees/tree/modules/deps/lib\" "
	 ">main/deps/lib/.git",
	 "neither a worktree nor"},
	{"main/deps/lib",
	 "cp -a main/.git/modules/deps/lib stolen;"
	 "git config -f stolen/config core.worktree \"$PWD/main/deps/lib\";"
	 "echo \"gitdir: $PWD/stolen\" >main/deps/lib/.git",
	 "neither a worktree nor"},
	{"main/deps/lib", "git config -f main/.git/modules/deps/lib/config core.worktree ../x",
	 "not point back"},
	{"main/deps/lib", "git config -f main/.git/modules/deps/lib/config --unset core.worktree",
	 "names no working tree"},
	{"main/deps/lib",
	 "git config -f main/.git/modules/deps/lib/config.worktree core.worktree /",
	 "not point back"},
	{"main/deps/lib",
	 "printf '[a]\\nb = \\\\\\n[core]\\nworktree = x\\n' "
	 ">>main/.git/modules/deps/lib/config",
	 "not understood"},
	{"main/deps/lib",
	 "printf '[core]\\nworktree = \"../x\\n' "
	 ">>main/.git/modules/deps/lib/config",
	 "not understood"},
	{"main/deps/lib",
	 "printf '[CORE] WorkTree=../../../y # ../../../../deps/lib\\n' "
	 ">>main/.git/modules/deps/lib/config",
	 "not point back"},
	{"main/deps/lib", "head -c 2000000 /dev/zero >>main/.git/modules/deps/lib/config",
	 "cannot be read whole"},
	{"tree/deps/lib", "echo \"$PWD/othertree/.git\" >main/.git/worktrees/tree/gitdir",
	 "neither a worktree nor"},
};

static void
attack(const char *project, const char *change, const char *words)
{
	auto_arena struct arena arena = {NULL};
	struct git_dirs found = find_from(&arena, project);
	int before = tap.failed_checks;

	check(found.git_dir != NULL && found.refused == NULL);
	check_int(sh(change), 0);
	expect_refused(project, words);
	if (tap.failed_checks != before)
		printf("# %s: %s\n", project, change);
}

static void
a_rewritten_pointer_is_ignored(void)
{
	check_int(sh("find main tree -path '*/objects/*' -type f -delete;"
		     "ls -A >names; mkdir keep; cp -a main tree .ssh keep/"),
		  0);
	for (size_t i = 0; i < sizeof attacks / sizeof attacks[0]; i++) {
		attack(attacks[i].project, attacks[i].change, attacks[i].words);
		check_int(sh("rm -rf main tree .ssh; cp -a keep/. .; for n in *; do"
			     " grep -qx $n names || test $n = keep || rm -rf $n; done"),
			  0);
	}
}

static void
a_pointer_of_another_owner_is_refused(void)
{
	check_int(sh("chown 65534 main/.git/worktrees/tree"), 0);
	expect_refused("tree", "belongs to another user");
	check_int(sh("chown 0 main/.git/worktrees/tree; chown 65534 main/.git"), 0);
	expect_refused("tree", "belongs to another user");
	check_int(sh("chown 0 main/.git"), 0);
	expect("tree", "main/.git/worktrees/tree", "main/.git");
}

static void
odd_spellings_of_config_are_read_as_git_does(void)
{
	static const char *const lines[] = {
		"[core] worktree = ../../../../deps/lib",
		"[Core]\\n\\tWORKTREE=\"../../../../deps/lib\" ; x",
		"[core]\\r\\n worktree = ../../../../deps/lib  \\t# x\\r",
		"[core]\\nworktree = ../../../../\"deps\"/lib",
		"[core \"x\"]\\nworktree = /elsewhere",
		"[remote \"a]\"]\\nworktree = /elsewhere",
		"[core]\\nworktreeconfig = true",
		"# [core]\\n# worktree = /elsewhere",
	};
	char script[512];

	for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
		snprintf(script, sizeof script,
			 "f=main/.git/modules/deps/lib/config; cp $f config; printf '%s\\n' >>$f;"
			 "test \"$(git config -f $f core.worktree)\" = ../../../../deps/lib",
			 lines[i]);
		check_int(sh(script), 0);
		expect("main/deps/lib", "main/.git/modules/deps/lib", "main/.git/modules/deps/lib");
		check_int(sh("mv config main/.git/modules/deps/lib/config"), 0);
	}
}

static bool
make_base(void)
{
	const char *tmp = getenv("TMPDIR");
	char made[100], real[PATH_MAX];

	snprintf(made, sizeof made, "%.70s/gitdir.XXXXXX", tmp != NULL ? tmp : "/tmp");
	if (mkdtemp(made) == NULL || realpath(made, real) == NULL)
		return false;
	snprintf(base, sizeof base, "%.120s", real);
	return sh(set_up) == 0;
}

int
main(void)
{
	char command[200];

	if (system("git --version >/dev/null 2>&1") != 0) {
		printf("ok 1 - git directories # SKIP no git here\n1..1\n");
		return 0;
	}
	if (!make_base()) {
		printf("not ok 1 - setting up in %s\n1..1\n", base);
		return 1;
	}
	run(repositories_made_by_git_are_found);
	run(plain_folders_add_no_paths);
	run(relative_paths_and_config_per_worktree_work_too);
	run(odd_spellings_of_config_are_read_as_git_does);
	if (geteuid() == 0)
		run(a_pointer_of_another_owner_is_refused);
	else
		printf("ok %d - a_pointer_of_another_owner_is_refused # SKIP only root can chown\n",
		       ++tap.cases);
	run(a_rewritten_pointer_is_ignored);
	snprintf(command, sizeof command, "rm -rf '%s'", base);
	check_int(system(command), 0);
	return tap_end();
}
