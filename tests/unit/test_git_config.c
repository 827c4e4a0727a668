// SPDX-License-Identifier: MIT
/*
 * git's config as git reads it: by a table of forms, and held against the real git over a corpus
 * and mutations of it. And which keys are harmless.
 */
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "git/config/git_config.h"
#include "tap.h"

#define OUTPUT_MAX (256u << 10)

/* ---- reading ---- */

/* NAME=VALUE or NAME, each ended by a bar; or "bad". */
static char *
flat(struct arena *arena, const char *text, size_t length)
{
	struct gitconfig config;
	char *to = arena_strdup(arena, "", NULL);

	if (git_config_parse(arena, text, length, &config, NULL) != 1)
		return arena_strdup(arena, "bad", NULL);
	for (size_t i = 0; i < config.count; i++)
		to = arena_printf(arena, NULL, "%s%s%s%s|", to, config.items[i].name,
				  config.items[i].value == NULL ? "" : "=",
				  config.items[i].value == NULL ? "" : config.items[i].value);
	return to;
}

static const struct {
	const char *text, *seen;
} forms[] = {
	{"", ""},
	{"[a]", ""},
	{"[a]\nk = v", "a.k=v|"},
	{"[A]\nKey\n", "a.key|"},
	{"[a]k=v", "a.k=v|"},
	{"[a \"B c\"]\nk=v\n", "a.B c.k=v|"},
	{"[a \"\\\"\\x\\\\\"]\nk=v\n", "a.\"x\\.k=v|"},
	{"[a.B.c]\nk=v\n", "a.b.c.k=v|"},
	{"[a]\nk = a  b \t c  \n", "a.k=a  b   c|"},
	{"[a]\nk = \" a \" # x\n", "a.k= a |"},
	{"[a]\nk = a\\\n  b\n", "a.k=a  b|"},
	{"[a]\nk = a#b\\\nc=d\n", "a.k=a|a.c=d|"},
	{"[a]\nk=\\t\\n\\b\\\"\\\\\n", "a.k=\t\n\b\"\\|"},
	{"\xef\xbb\xbf[a]\r\nk=v\r\n", "a.k=v|"},
	{"; [x]\n# y\n[a]\n  k =\n", "a.k=|"},
	{"[a]\nk=\"x;y\"z ;c\n", "a.k=x;yz|"},
	{"[]\nk=v\n", "bad"},
	{"[a]\nk=v\rw\n", "a.k=v w|"},
	{"k=v\n", "bad"},
	{"[a\nk=v\n", "bad"},
	{"[a \"b]\nk=v\n", "bad"},
	{"[a \"b\" ]\nk=v\n", "bad"},
	{"[a b]\n", "bad"},
	{"[a_b]\n", "bad"},
	{"[a]\n1=v\n", "bad"},
	{"[a]\nk v\n", "bad"},
	{"[a]\nk_=v\n", "bad"},
	{"[a]\nk=\\x\n", "bad"},
	{"[a]\nk=\"v\n", "bad"},
	{"\xef\xbb[a]\n", "bad"},
};

static void
text_is_read_as_git_reads_it(void)
{
	auto_arena struct arena arena = {0};

	for (size_t i = 0; i < COUNT(forms); i++)
		check_str(flat(&arena, forms[i].text, strlen(forms[i].text)), forms[i].seen);
	check_str(flat(&arena, "[a]\nk=v\0w\n", 10), "bad");
}

static void
long_lines_are_read_whole_and_huge_texts_refused(void)
{
	auto_arena struct arena arena = {0};
	size_t size = GITCONFIG_MAX + 1;
	char *text = malloc(size);

	memset(text, 'x', size);
	memcpy(text, "[a]\nk=", 6);
	check(strlen(flat(&arena, text, GITCONFIG_MAX)) == GITCONFIG_MAX - 6 + 5);
	check_str(flat(&arena, text, size), "bad");
	free(text);
}

/* ---- held against git ---- */

extern char **environ;

/* What `git config --list -z` says about file, as flat() does; "bad" when it refuses it. */
static char *
asked_git(struct arena *arena, const char *file, const char *output)
{
	const char *arguments[] = {"git", "config", "--list", "-z", "-f", file, NULL};
	char *text = arena_alloc(arena, OUTPUT_MAX, NULL), *to = arena_strdup(arena, "", NULL);
	posix_spawn_file_actions_t actions;
	int status = -1, fd;
	ssize_t n = -1;
	pid_t pid;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
	if (posix_spawnp(&pid, "git", &actions, NULL, (char **)arguments, environ) == 0)
		waitpid(pid, &status, 0);
	posix_spawn_file_actions_destroy(&actions);
	if (status != 0)
		return WIFEXITED(status) ? arena_strdup(arena, "bad", NULL) : NULL;
	fd = open(output, O_RDONLY);
	n = read(fd, text, OUTPUT_MAX - 1);
	close(fd);
	for (ssize_t at = 0; at < n; at += (ssize_t)strlen(text + at) + 1) {
		char *newline = strchr(text + at, '\n');

		if (newline != NULL)
			*newline = '\0';
		to = arena_printf(arena, NULL, "%s%s%s%s|", to, text + at,
				  newline == NULL ? "" : "=", newline == NULL ? "" : newline + 1);
		if (newline != NULL)
			*newline = '.';
	}
	return to;
}

static char folder[64], file[80], output[80];

/* From 2.45 on git keeps the kind of white space inside a value. */
static void
make_plain(char *text)
{
	for (; text != NULL && *text != '\0'; text++)
		if (*text == '\t' || *text == '\r')
			*text = ' ';
}

/* Every key that git reads was read here too, or refused for a reason of ours. */
static void
compare(const char *text, size_t length)
{
	auto_arena struct arena arena = {0};
	int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	bool put = write(fd, text, length) == (ssize_t)length;
	char *theirs, *ours = flat(&arena, text, length);

	close(fd);
	check(put);
	theirs = asked_git(&arena, file, output);
	check(theirs != NULL);
	if (theirs == NULL || strcmp(theirs, "bad") == 0)
		return;
	if (strcmp(ours, "bad") == 0) {
		struct gitconfig config;

		git_config_parse(&arena, text, length, &config, NULL);
		check(config.bad == CAUSE_LINE_NUL || config.bad == CAUSE_LINE_NO_SECTION);
		return;
	}
	make_plain(ours);
	make_plain(theirs);
	if (strcmp(ours, theirs) != 0)
		printf("# the text was: %.*s\n", (int)length, text);
	check_str(ours, theirs);
}

static uint32_t
random_next(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 8;
}

/* Some bytes put in, taken out or changed, of those that mean something. */
static size_t
mutate(char *text, size_t length, uint32_t *seed)
{
	static const char bytes[] = "[]\"\\\n\r\t #;=.-_aZ0\x80";

	for (uint32_t left = 1 + random_next(seed) % 4; left > 0; left--) {
		size_t at = random_next(seed) % (length + 1);
		char byte = bytes[random_next(seed) % (sizeof bytes - 1)];
		uint32_t kind = random_next(seed) % 3;

		if (kind == 0 && at < length) {
			memmove(text + at, text + at + 1, length - at - 1);
			length--;
		} else if (kind == 1 && at < length) {
			text[at] = byte;
		} else {
			memmove(text + at + 1, text + at, length - at);
			text[at] = byte;
			length++;
		}
	}
	return length;
}

static const char *const corpus[] = {
	"[core]\n\tbare = false\n[remote \"origin\"]\n\turl = git@host:a/b.git\n\tfetch = +refs/*\n",
	"[a \"B\\\"c\"]\r\n\tk = \"x;\\ty\" z # c\r\n\tl\r\n[a.b] m=1\n",
	"\xef\xbb\xbf[x]\nk = a\\\n  b \"c\n\" d\n; e\nl = \\\\\\\"\n",
	"[alias]\n\tx = \"!f() { echo \\\"a\\\"; }; f\"\n[ a \"b\" ]\nk=v\n",
};

static void
every_key_that_git_reads_was_read(void)
{
	const char *rounds = getenv("GITCONFIG_ROUNDS");
	int left = rounds == NULL ? 400 : atoi(rounds);
	uint32_t seed = 1;
	char text[512];

	for (size_t i = 0; i < COUNT(forms); i++)
		compare(forms[i].text, strlen(forms[i].text));
	for (; left > 0; left--) {
		const char *from = corpus[random_next(&seed) % COUNT(corpus)];
		size_t length = strlen(from);

		memcpy(text, from, length);
		length = mutate(text, length, &seed);
		compare(text, length);
	}
}

/* ---- vetting ---- */

static enum cause
inside_only(void *context, enum gitconfig_use use, const char *path)
{
	(void)context, (void)use;
	return strstr(path, "out") == NULL ? CAUSE_NONE : CAUSE_GIT_OUTSIDE;
}

static const struct gitconfig_path_check asker = {inside_only, NULL};

/* NULL when accepted, else the key. */
static const char *
refused(struct arena *arena, enum gitconfig_kind kind, const char *text, const char *present)
{
	struct gitconfig_text now = {text, strlen(text)},
			      old = {present, present == NULL ? 0 : strlen(present)};
	struct gitconfig_refusal refusal;
	int rc = git_keys_check(arena, kind, &now, present == NULL ? NULL : &old, &asker, &refusal,
				NULL);

	return rc == 1 ? NULL : arena_strdup(arena, refusal.what, NULL);
}

static void
what_git_itself_writes_is_accepted(void)
{
	static const char *const texts[] = {
		"[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n",
		"[core]\n\tworktree = ../../../sub\n",
		"[remote \"o\"]\n\turl = https://example.com/a.git\n\tfetch = +refs/heads/*:x\n",
		"[remote \"o\"]\n\turl = git@example.com:a.git\n\tpushurl = ssh://u@h:22/a\n",
		"[remote \"o\"]\n\turl = ../b.git\n[remote \"p\"]\n\turl = file:///srv/b.git\n",
		"[branch \"a/b\"]\n\tremote = origin\n\tmerge = refs/heads/a/b\n\trebase = true\n",
		"[branch \"x\"]\n\tremote = .\n",
		"[user]\n\tname = A B\n\temail = a@b\n",
		"[submodule \"lib/x\"]\n\tactive = true\n\turl = ../x\n\tupdate = rebase\n",
		"[extensions]\n\tworktreeConfig = true\n[gc]\n\tauto = 0\n",
		"[extensions]\n\trefStorage = reftable\n\tobjectFormat = sha256\n",
		"[core]\n\tsharedRepository = 2\n",
		"[core]\n\tsharedRepository = group\n",
		"[core]\n\tsharedRepository = 0640\n",
		"[extensions]\n\tpartialClone = origin\n[remote \"up/a-b.c\"]\n\tpromisor = true\n",
		"[branch \"m\"]\n\tdescription = \"- a\\n- b\"\n",
		"[color \"diff\"]\n\told = red\n[advice]\n\tdetachedHead = false\n"
		"[notes]\n\trewriteRef = refs/notes/*\n[notes \"rewrite\"]\n\tamend = false\n"
		"[format]\n\tuseAutoBase = true\n[status \"color\"]\n\tadded = red\n",
	};
	auto_arena struct arena arena = {0};

	for (size_t i = 0; i < COUNT(texts); i++)
		check_str(refused(&arena, GITCONFIG_REPOSITORY, texts[i], NULL), NULL);
}

static const struct {
	const char *text, *key;
} dangerous[] = {
	{"[core]\nfsmonitor=x", "core.fsmonitor"},
	{"[CORE]\nFSMonitor", "core.fsmonitor"},
	{"[core]\nhooksPath=x", "core.hookspath"},
	{"[core]\nsshCommand=x", "core.sshcommand"},
	{"[core]\neditor=x", "core.editor"},
	{"[core]\npager=x", "core.pager"},
	{"[core]\naskPass=x", "core.askpass"},
	{"[core]\ngitProxy=x", "core.gitproxy"},
	{"[core]\nattributesFile=x", "core.attributesfile"},
	{"[core]\nalternateRefsCommand=x", "core.alternaterefscommand"},
	{"[core]\nworktree=/out", "core.worktree"},
	{"[sequence]\neditor=x", "sequence.editor"},
	{"[pager]\nlog=x", "pager.log"},
	{"[alias]\nst=!x", "alias.st"},
	{"[filter \"f\"]\nclean=x", "filter.f.clean"},
	{"[filter \"f\"]\nprocess=x", "filter.f.process"},
	{"[diff]\nexternal=x", "diff.external"},
	{"[diff \"d\"]\ntextconv=x", "diff.d.textconv"},
	{"[diff \"d\"]\ncommand=x", "diff.d.command"},
	{"[difftool \"d\"]\ncmd=x", "difftool.d.cmd"},
	{"[merge \"d\"]\ndriver=x", "merge.d.driver"},
	{"[merge]\ntool=x", "merge.tool"},
	{"[mergetool \"d\"]\ncmd=x", "mergetool.d.cmd"},
	{"[credential]\nhelper=x", "credential.helper"},
	{"[credential \"https://h\"]\nhelper=x", "credential.https://h.helper"},
	{"[include]\npath=x", "include.path"},
	{"[includeIf \"gitdir:/\"]\npath=x", "includeif.gitdir:/.path"},
	{"[url \"x\"]\ninsteadOf=y", "url.x.insteadof"},
	{"[gpg]\nprogram=x", "gpg.program"},
	{"[gpg \"ssh\"]\nprogram=x", "gpg.ssh.program"},
	{"[interactive]\ndiffFilter=x", "interactive.difffilter"},
	{"[sendemail]\nsmtpServer=/x", "sendemail.smtpserver"},
	{"[protocol]\nallow=always", "protocol.allow"},
	{"[protocol \"ext\"]\nallow=always", "protocol.ext.allow"},
	{"[uploadpack]\npackObjectsHook=x", "uploadpack.packobjectshook"},
	{"[gc]\nrecentObjectsHook=x", "gc.recentobjectshook"},
	{"[remote \"o\"]\nuploadpack=x", "remote.o.uploadpack"},
	{"[remote \"o\"]\nreceivepack=x", "remote.o.receivepack"},
	{"[remote \"o\"]\nvcs=x", "remote.o.vcs"},
	{"[remote \"o\"]\nproxy=x", "remote.o.proxy"},
	{"[remote \"o\"]\nurl=ext::sh -c x", "remote.o.url"},
	{"[remote \"o\"]\nurl=\"ext::sh -c x\"", "remote.o.url"},
	{"[remote \"o\"]\nurl=foo::bar", "remote.o.url"},
	{"[remote \"o\"]\nurl=foo://bar", "remote.o.url"},
	{"[remote \"o\"]\nurl=-upload-pack=x", "remote.o.url"},
	{"[remote \"o\"]\nurl=ssh://-oProxyCommand=x/y", "remote.o.url"},
	{"[remote \"o\"]\nurl=ssh://u@-oProxyCommand=x/y", "remote.o.url"},
	{"[remote \"o\"]\nurl=-oProxyCommand=x:y", "remote.o.url"},
	{"[remote \"o\"]\nurl=https://h/\\nx", "remote.o.url"},
	{"[remote \"o\"]\nurl=/out/b.git", "remote.o.url"},
	{"[remote.o]\nurl=ext::x", "remote.o.url"},
	{"[remote \"o\"]\npushurl=ext::x", "remote.o.pushurl"},
	{"[remote]\npushDefault=ext::x", "remote.pushdefault"},
	{"[branch \"m\"]\nremote=ext::x", "branch.m.remote"},
	{"[extensions]\npartialClone=--upload-pack=x", "extensions.partialclone"},
	{"[extensions]\npartialClone=ext::x", "extensions.partialclone"},
	{"[remote \"--upload-pack=x\"]\npromisor", "remote.--upload-pack=x.promisor"},
	{"[remote \"-q\"]\npartialCloneFilter=blob:none", "remote.-q.partialclonefilter"},
	{"[remote \"ext::x\"]\nfetch=a", "remote.ext::x.fetch"},
	{"[remote \"a b\"]\nfetch=a", "remote.a b.fetch"},
	{"[remote \"../a\"]\nfetch=a", "remote.../a.fetch"},
	{"[remote \"/a\"]\nurl=b", "remote./a.url"},
	{"[remote.-q]\nurl=b", "remote.-q.url"},
	{"[branch \"-m\"]\nmerge=a", "branch.-m.merge"},
	{"[branch \"m\"]\nmerge=--exec=x", "branch.m.merge"},
	{"[branch \"m\"]\npushRemote=ext::x", "branch.m.pushremote"},
	{"[branch \"m\"]\nmergeOptions=-s x", "branch.m.mergeoptions"},
	{"[submodule \"s\"]\nupdate=!x", "submodule.s.update"},
	{"[submodule \"s\"]\nurl=-x", "submodule.s.url"},
	{"[lfs \"customtransfer.x\"]\npath=x", "lfs.customtransfer.x.path"},
	{"[lfs \"extension.x\"]\nclean=x", "lfs.extension.x.clean"},
	{"[hook \"h\"]\ncommand=x", "hook.h.command"},
	{"[hook \"h\"]\nevent=pre-commit", "hook.h.event"},
	{"[hook]\njobs=2", "hook.jobs"},
	{"[init]\ntemplateDir=x", "init.templatedir"},
	{"[tar \"x\"]\ncommand=x", "tar.x.command"},
	{"[trailer \"t\"]\ncmd=x", "trailer.t.cmd"},
	{"[trailer \"t\"]\ncommand=x", "trailer.t.command"},
	{"[sendemail]\nsendmailCmd=x", "sendemail.sendmailcmd"},
	{"[sendemail]\ntoCmd=x", "sendemail.tocmd"},
	{"[sendemail \"i\"]\nheaderCmd=x", "sendemail.i.headercmd"},
	{"[imap]\ntunnel=x", "imap.tunnel"},
	{"[receive]\nprocReceiveRefs=refs", "receive.procreceiverefs"},
	{"[ssh]\nvariant=simple", "ssh.variant"},
	{"[gpg \"x509\"]\nprogram=x", "gpg.x509.program"},
	{"[gpg \"ssh\"]\ndefaultKeyCommand=x", "gpg.ssh.defaultkeycommand"},
	{"[browser \"b\"]\ncmd=x", "browser.b.cmd"},
	{"[browser \"b\"]\npath=x", "browser.b.path"},
	{"[help]\nbrowser=x", "help.browser"},
	{"[web]\nbrowser=x", "web.browser"},
	{"[man]\nviewer=x", "man.viewer"},
	{"[man \"m\"]\npath=x", "man.m.path"},
	{"[man \"m\"]\ncmd=x", "man.m.cmd"},
	{"[instaweb]\nhttpd=x", "instaweb.httpd"},
	{"[difftool \"d\"]\npath=x", "difftool.d.path"},
	{"[mergetool \"d\"]\npath=x", "mergetool.d.path"},
	{"[diff]\ntool=x", "diff.tool"},
	{"[diff]\nguitool=x", "diff.guitool"},
	{"[filter \"f\"]\nsmudge=x", "filter.f.smudge"},
	{"[merge]\ndefault=x", "merge.default"},
	{"[pull]\ntwohead=x", "pull.twohead"},
	{"[fetch]\nbundleURI=file:///x", "fetch.bundleuri"},
	{"[http]\nproxy=http://x", "http.proxy"},
	{"[http \"https://h\"]\nsslCert=x", "http.https://h.sslcert"},
	{"[maintenance]\nrepo=/x", "maintenance.repo"},
	{"[safe]\ndirectory=*", "safe.directory"},
	{"[submodule \"s\"]\ngitdir=x", "submodule.s.gitdir"},
	{"[extensions]\nsubmodulePathConfig=true", "extensions.submodulepathconfig"},
	{"[extensions]\nrefStorage=files:///x", "extensions.refstorage"},
	{"[init]\ndefaultRefFormat=reftable:///x", "init.defaultrefformat"},
	{"[remote \"r\"]\nvcs=x", "remote.r.vcs"},
	{"[remote \"r\"]\nuploadpack=x", "remote.r.uploadpack"},
	{"[remote \"r\"]\nreceivepack=x", "remote.r.receivepack"},
	{"[remote \"r\"]\nproxy=x", "remote.r.proxy"},
	{"[sendemail]\nheaderCmd=x", "sendemail.headercmd"},
	{"[bundle \"b\"]\nuri=x", "bundle.b.uri"},
	{"[url \"ext::x\"]\ninsteadOf=https://", "url.ext::x.insteadof"},
	{"[attr]\ntree=x", "attr.tree"},
	{"[trace2]\neventTarget=/x", "trace2.eventtarget"},
	{"[guitool \"g\"]\ncmd=x", "guitool.g.cmd"},
	{"[includeIf \"onbranch:x\"]\npath=x", "includeif.onbranch:x.path"},
	{"[branch \"b\"]\nmergeOptions=--strategy=x", "branch.b.mergeoptions"},
	{"[lfs \"customtransfer.c\"]\npath=x", "lfs.customtransfer.c.path"},
	{"[lfs \"extension.e\"]\nclean=x", "lfs.extension.e.clean"},
	{"[core]\nbare=out", "core.bare"},
	{"[core]\nexcludesFile=x", "core.excludesfile"},
	{"[core]\nsharedRepository=0666", "core.sharedrepository"},
	{"[core]\nsharedRepository=662", "core.sharedrepository"},
	{"[core]\nsharedRepository=-1", "core.sharedrepository"},
	{"[core]\nsharedRepository=\" 0666\"", "core.sharedrepository"},
	{"[core]\nsharedRepository=00666", "core.sharedrepository"},
	{"[core]\nsharedRepository=0x1b6", "core.sharedrepository"},
	{"[core]\nsharedRepository=99999999999999999999", "core.sharedrepository"},
	{"[submodule \"../../x\"]\nurl=ssh://h/x", "submodule.../../x.url"},
	{"[submodule \"a/../b\"]\nactive=true", "submodule.a/../b.active"},
	{"[submodule \"\"]\nactive=true", "submodule..active"},
	{"[remote \"o\"]\nurl=file://h/x", "remote.o.url"},
	{"[remote \"o\"]\nurl=file:///%6f", "remote.o.url"},
	{"[remote \"o\"]\nurl=FILE:///x", "remote.o.url"},
	{"[branch \"m\"]\nremote=out", "branch.m.remote"},
	{"[remote \"out\"]\nprune=true", "remote.out.prune"},
	{"[alias \"x\"]\ncommand=!x", "alias.x.command"},
	{"[core]\nbare=false\\\n\n[alias]\nx=y", "alias.x"},
	{"[core]\nbare=false\n[a\n", "line 3"},
};

static void
what_starts_programs_or_redirects_is_refused_by_name(void)
{
	auto_arena struct arena arena = {0};

	for (size_t i = 0; i < COUNT(dangerous); i++)
		check_str(refused(&arena, GITCONFIG_REPOSITORY, dangerous[i].text, NULL),
			  dangerous[i].key);
}

static void
unchanged_lines_may_stay(void)
{
	static const char mine[] = "[core]\n\tfsmonitor = mine\n[credential]\n\thelper = store\n";
	auto_arena struct arena arena = {0};

	check_str(refused(&arena, GITCONFIG_REPOSITORY,
			  "[credential]\nhelper=store\n[core]\nfsmonitor=\"mine\"\nbare=false\n",
			  mine),
		  NULL);
	check_str(refused(&arena, GITCONFIG_REPOSITORY, "[core]\nfsmonitor=other\n", mine),
		  "core.fsmonitor");
	check_str(refused(&arena, GITCONFIG_REPOSITORY, "[core]\nfsmonitor\n", mine),
		  "core.fsmonitor");
}

/* To git the name of a remote that has no address is a path. */
static void
a_remote_name_counts_while_it_has_an_address(void)
{
	static const char named[] = "[remote \"out\"]\nurl=ssh://h/x\n[branch \"m\"]\nremote=out\n",
			  alone[] = "[branch \"m\"]\nremote=out\n";
	auto_arena struct arena arena = {0};

	check_str(refused(&arena, GITCONFIG_REPOSITORY, named, NULL), NULL);
	check_str(refused(&arena, GITCONFIG_REPOSITORY, alone, named), "branch.m.remote");
	check_str(refused(&arena, GITCONFIG_REPOSITORY, alone, alone), NULL);
}

static const char *
kept(struct arena *arena, const char *text, const char *present)
{
	struct gitconfig_text now = {text, strlen(text)}, old = {present, strlen(present)};

	check(git_remotes_keep(arena, &now, &old, NULL) == 1);
	return now.text;
}

static void
a_remote_that_a_branch_names_keeps_its_address(void)
{
	static const char with[] = "[remote \"o\"]\n\turl = a\\\\b\n[branch \"m\"]\n\tremote = o\n",
			  without[] = "[branch \"m\"]\n\tremote = o\n",
			  other[] = "[branch \"m\"]\n\tremote = p\n[remote \"p\"]\n\turl = x\n";
	auto_arena struct arena arena = {0};
	const char *text = kept(&arena, without, with), *more;

	check_str(kept(&arena, with, with), with);
	check(strstr(text, "[remote \"o\"] ; kept by cordon") != NULL);
	check(strstr(text, "\turl = \"a\\\\b\"\n") != NULL);
	check_str(kept(&arena, text, text), text);
	/* nothing names it any more */
	more = arena_printf(&arena, NULL, "%s%s", other, strstr(text, "[remote"));
	check_str(kept(&arena, more, text), other);
	/* whose section it became stays */
	more = arena_printf(&arena, NULL, "%s\tfetch = x\n%s", strstr(text, "[remote"), other);
	check_str(kept(&arena, more, text), more);
}

static void
gitmodules_may_have_only_keys_that_git_reads(void)
{
	auto_arena struct arena arena = {0};

	check_str(refused(&arena, GITCONFIG_MODULES,
			  "[submodule \"a\"]\npath=a\nurl=../a\nbranch=m\ndatalad-id=1\n", NULL),
		  NULL);
	check_str(refused(&arena, GITCONFIG_MODULES, "[core]\nbare=true\n", NULL), "core.bare");
	check_str(refused(&arena, GITCONFIG_MODULES, "[submodule \"a\"]\nupdate=!x\n", NULL),
		  "submodule.a.update");
	check_str(refused(&arena, GITCONFIG_MODULES, "[submodule \"a\"]\nurl=ext::x\n", NULL),
		  "submodule.a.url");
	check_str(refused(&arena, GITCONFIG_MODULES, "[submodule \"a\"]\npath=-x\n", NULL),
		  "submodule.a.path");
}

static void
pointers_are_one_line(void)
{
	static const struct {
		const char *text, *path;
	} cases[] = {
		{"gitdir: a/b\n", "a/b"}, {"gitdir: a", "a"},	{"gitdir: \n", NULL},
		{"gitdir: a\nb\n", NULL}, {"gitdir:a\n", NULL}, {"", NULL},
		{"gitdir: a\r\n", NULL},
	};
	auto_arena struct arena arena = {0};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct gitconfig_text text = {cases[i].text, strlen(cases[i].text)};

		check_str(git_config_pointer(&arena, "gitdir: ", &text, NULL), cases[i].path);
	}
}

static void
prepare(void)
{
	const char *tmp = getenv("TMPDIR");

	snprintf(folder, sizeof folder, "%.40s/gitconfig-XXXXXX", tmp == NULL ? "/tmp" : tmp);
	if (mkdtemp(folder) == NULL)
		exit(1);
	snprintf(file, sizeof file, "%s/config", folder);
	snprintf(output, sizeof output, "%s/output", folder);
	/* git itself must not be told by others */
	setenv("HOME", folder, 1);
	setenv("GIT_CONFIG_NOSYSTEM", "1", 1);
}

int
main(void)
{
	prepare();
	run(text_is_read_as_git_reads_it);
	run(long_lines_are_read_whole_and_huge_texts_refused);
	run(every_key_that_git_reads_was_read);
	run(what_git_itself_writes_is_accepted);
	run(what_starts_programs_or_redirects_is_refused_by_name);
	run(unchanged_lines_may_stay);
	run(a_remote_name_counts_while_it_has_an_address);
	run(a_remote_that_a_branch_names_keeps_its_address);
	run(gitmodules_may_have_only_keys_that_git_reads);
	run(pointers_are_one_line);
	unlink(file);
	unlink(output);
	rmdir(folder);
	return tap_end();
}
