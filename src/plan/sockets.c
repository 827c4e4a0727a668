// SPDX-License-Identifier: MIT
/*
 * Resolves unix sockets by name. A preset names the paths that a service uses; missing ones are
 * skipped. A socket is checked again when it is connected to.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/path.h"
#include "host/resolve.h"
#include "plan/plan.h"

static const struct {
	const char *preset, *path;
} presets[] = {
	{"ssh-agent", "$SSH_AUTH_SOCK"},       {"gpg-agent", "$XDG_RUNTIME_DIR/gnupg/S.gpg-agent"},
	{"gpg-agent", "~/.gnupg/S.gpg-agent"}, {"docker", "/run/docker.sock"},
	{"docker", "/var/run/docker.sock"},    {"docker", "$XDG_RUNTIME_DIR/docker.sock"},
	{"podman", "/run/podman/podman.sock"}, {"podman", "$XDG_RUNTIME_DIR/podman/podman.sock"},
};

/* By preset, and by file name wherever the socket is. */
static const struct {
	const char *name, *danger;
} masters[] = {
	{"docker", "it starts containers that reach every file"},
	{"docker.sock", "it starts containers that reach every file"},
	{"podman", "it starts containers that reach every file of yours"},
	{"podman.sock", "it starts containers that reach every file of yours"},
	{"containerd.sock", "it starts containers that reach every file"},
	{"crio.sock", "it starts containers that reach every file"},
	{"libvirt-sock", "it starts machines that reach every file"},
	{"x11", "it reads every key and types into every window"},
	{"system_bus_socket", "services of the whole machine accept commands there"},
};

const char *
plan_socket_danger(const char *text)
{
	const char *last = strrchr(text, '/');

	for (size_t i = 0; i < sizeof masters / sizeof masters[0]; i++)
		if (strcmp(last == NULL ? text : last + 1, masters[i].name) == 0)
			return masters[i].danger;
	if (strstr(text, "/.X11-unix/") != NULL)
		return "it reads every key and types into every window";
	if (last != NULL && strcmp(last, "/bus") == 0 &&
	    (strncmp(text, "/run/user/", 10) == 0 || strncmp(text, "$XDG_RUNTIME_DIR/", 17) == 0))
		return "systemd starts programs there, outside of every sandbox";
	return NULL;
}

static bool
is_path(const struct word *word)
{
	return *word->text == '/' || *word->text == '~' || *word->text == '$';
}

static int
resolve_socket(struct plan *plan, const struct word *word, const char *written, bool optional,
	       struct resolved *ret, struct cordon_error *err)
{
	const struct token_text text = {written, word->srcpos, optional, false};
	const char *path;
	int rc = host_expand_token(&plan->arena, plan->host, &text, &path, err);

	*ret = (struct resolved){0};
	if (rc < 0 || path == NULL)
		return rc;
	return resolve_path(&plan->arena, plan->host->view, path, ret, err);
}

int
plan_socket_path(struct plan *plan, const struct word *word, const char **ret_path,
		 struct cordon_error *err)
{
	struct resolved resolved;
	int rc;

	*ret_path = NULL;
	if (!is_path(word))
		return 0;
	rc = resolve_socket(plan, word, word->text, false, &resolved, err);
	if (rc == 0)
		*ret_path = resolved.path;
	return rc;
}

bool
plan_is_projects_socket(const struct plan *plan, const struct socket_grant *grant)
{
	return is_path(grant->word) && plan->stack->project != NULL &&
	       strcmp(grant->word->srcpos.file, plan->stack->project->file) == 0;
}

/* A deny of the file also denies the socket; a path without any rule is not denied. */
static bool
is_denied(const struct plan *plan, const char *path)
{
	const struct decision by = index_decide(&plan->index, path).by[0];

	return by.rule != NULL && by.rule->effect == EFFECT_DENY;
}

static int
refuse_planted(const struct word *word, const char *link, struct cordon_error *err)
{
	return cordon_fail_at(err, CORDON_E_PATH, word->srcpos.file, word->srcpos.line,
			      word->srcpos.column,
			      "\"%.60s\" leads through %.60s, a link in a folder the sandbox can "
			      "change; name its target",
			      word->text, link);
}

static int
grant(struct plan *plan, const struct word *word, const char *written, bool optional,
      struct cordon_error *err)
{
	struct socket_grant *slot;
	struct resolved resolved;
	const char *link;
	int rc = resolve_socket(plan, word, written, optional, &resolved, err);

	if (rc < 0 || resolved.path == NULL)
		return rc;
	link = plan_planted_link(plan, resolved.links, resolved.link_count);
	if (link != NULL)
		return refuse_planted(word, link, err);
	if (is_denied(plan, resolved.path))
		return plan_notice(plan, err,
				   "the socket %s is not granted: a rule denies that path",
				   resolved.path);
	slot = arena_push(&plan->arena, &plan->sockets, &plan->socket_count, sizeof *slot, err);
	if (slot == NULL)
		return -CORDON_E_MEMORY;
	*slot = (struct socket_grant){resolved.path, word};
	return 0;
}

/* ---- deciding ---- */

static bool
has_deny_inside(const struct plan *plan, const char *tree)
{
	const struct index *index = &plan->index;

	for (size_t i = 0; i < index->path_count; i++)
		if (index->paths[i].effect == EFFECT_DENY &&
		    (index->paths[i].rights & RIGHT_READ) && path_below(index->paths[i].path, tree))
			return true;
	return index->pattern_count > 0;
}

/*
 * Sockets of agents, buses and containers are in homes and system directories, so a project that
 * contains one does not allow them. Landlock grants only trees: if anything in the project is
 * denied, no socket in it is allowed without a broker.
 */
bool
plan_has_project_sockets(const struct plan *plan)
{
	static const char *const systems[] = {"/run", "/tmp", "/var"};
	const char *project = plan->host->project, *home = plan->host->home,
		   *runtime = host_getenv(plan->host, "XDG_RUNTIME_DIR");

	if (project == NULL || (home != NULL && path_below(home, project)) ||
	    (runtime != NULL && path_below(runtime, project)))
		return false;
	for (size_t i = 0; i < COUNT(systems); i++)
		if (path_below(systems[i], project))
			return false;
	return plan->facts.values[FACT_LANDLOCK_ABI] < 9 || !has_deny_inside(plan, project);
}

struct socket_answer
plan_decide_socket(const struct plan *plan, const char *path)
{
	unsigned both = RIGHT_READ | RIGHT_WRITE;

	for (size_t i = 0; i < plan->socket_count; i++)
		if (strcmp(plan->sockets[i].path, path) == 0)
			return (struct socket_answer){true, CAUSE_NONE, "the policy names it",
						      &plan->sockets[i].word->srcpos};
	if (plan->host->project != NULL && path_below(path, plan->host->project) &&
	    plan_has_project_sockets(plan) && (index_rights(&plan->index, path) & both) == both)
		return (struct socket_answer){true, CAUSE_NONE, "it lies in the project", NULL};
	return (struct socket_answer){.cause = CAUSE_SOCKET};
}

/* ---- presets ---- */

/* The display's socket: $WAYLAND_DISPLAY in the runtime directory, or X<n> of DISPLAY. */
static int
grant_display(struct plan *plan, const struct word *word, struct cordon_error *err)
{
	bool wayland = strcmp(word->text, "wayland") == 0;
	const char *name = host_getenv(plan->host, wayland ? "WAYLAND_DISPLAY" : "DISPLAY");
	const char *colon = name == NULL ? NULL : strchr(name, ':');
	char *path;

	if (wayland)
		path = arena_printf(&plan->arena, err, "%s%s",
				    name != NULL && *name == '/' ? "" : "$XDG_RUNTIME_DIR/",
				    name == NULL ? "wayland-0" : name);
	else
		path = arena_printf(&plan->arena, err, "/tmp/.X11-unix/X%ld",
				    colon == NULL ? 0 : strtol(colon + 1, NULL, 10));
	return path == NULL ? -CORDON_E_MEMORY : grant(plan, word, path, true, err);
}

int
plan_add_sockets(struct plan *plan, struct cordon_error *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < plan->settings.sockets.count; i++) {
		const struct word *word = &plan->settings.sockets.items[i];

		if (is_path(word))
			rc = grant(plan, word, word->text, false, err);
		else if (strcmp(word->text, "wayland") == 0 || strcmp(word->text, "x11") == 0)
			rc = grant_display(plan, word, err);
		for (size_t k = 0; rc == 0 && k < COUNT(presets); k++)
			if (strcmp(presets[k].preset, word->text) == 0)
				rc = grant(plan, word, presets[k].path, true, err);
	}
	return rc;
}
