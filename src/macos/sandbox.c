// SPDX-License-Identifier: MIT
/*
 * The sandbox on macOS: a profile, its parameters and a fingerprint. Paths are compared with the disk
 * first: macOS finds a file under other spellings (case, accents), Seatbelt does not, so a deny in another
 * spelling would have no effect.
 */
#include "enforce/enforce.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "audit/log.h"
#include "base/fd.h"
#include "enforce/session_group.h"
#include "macos/denial_log.h"
#include "macos/sbpl/denial_parse.h"
#include "macos/seatbelt.h"

/* The system log folds reports and delivers them late. */
#define LATE_MS 1500

struct sandbox {
	struct sbpl *sbpl;
	struct fingerprint fingerprint;
	struct fingerprint editor;  /* of the invoker; folder is "" if there is none */
	char private_tmp[PATH_MAX]; /* as in the profile; "": none */
	char socket_path[PATH_MAX]; /* likewise */
	int egress; /* the session's socket to the proxy, which exits when it is closed; -1: none */
	bool is_marked; /* moved to a group, which removes it when no process needs it */
	struct seatbelt seatbelt;
	char id[17], tag[32];
	const char *state_dir;
	const char *log[DENIALS_ARGUMENTS]; /* command that prints the system log */
	int reporter;			    /* pipe that keeps the log reader running; -1: none */
};

/* ---- names ---- */

/* Writes the path as stored on disk. Returns false if that is unknown, as for a missing file. */
static bool
name_on_disk(const char *path, char real[PATH_MAX])
{
	/* O_EVTONLY needs no read permission; O_SYMLINK opens the link itself */
	auto_fd int fd = open(path, O_EVTONLY | O_SYMLINK | O_CLOEXEC);

	return fd >= 0 && fcntl(fd, F_GETPATH, real) == 0;
}

static int
check_name(const struct planned_rule *rule, struct cordon_error *err)
{
	const struct srcpos *srcpos = &rule->rule->srcpos;
	char real[PATH_MAX];

	if (!rule->exists || rule->rights == 0 || !name_on_disk(rule->path, real) ||
	    strcmp(real, rule->path) == 0)
		return 0;
	/* a grant in another spelling grants nothing, which is acceptable for an optional one */
	if (rule->rule->optional && rule->effect == EFFECT_ALLOW)
		return 0;
	return cordon_fail_at(err, CORDON_E_PATH, srcpos->file, srcpos->line, srcpos->column,
			      "\"%.60s\" is called %.90s on this disk; write it like that",
			      rule->rule->path, real);
}

static int
check_names(const struct plan *plan, struct cordon_error *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < plan->index.path_count; i++)
		rc = check_name(&plan->index.paths[i], err);
	return rc;
}

/* ---- making ---- */

static int
refuse_gaps(const struct plan *plan, struct cordon_error *err)
{
	int gap = 0;

	while (plan->guarantees[gap].status != GUARANTEE_GAP)
		gap++;
	return cordon_fail(err, CORDON_E_GAP, 0,
			   "%s cannot be enforced here: %.120s; or --accept %s",
			   guarantee_names[gap],
			   plan->guarantees[gap].how == NULL ? "no mechanism enforces it"
							     : plan->guarantees[gap].how,
			   guarantee_names[gap]);
}

static int
prepare_reports(struct sandbox *sandbox, const struct plan *plan, struct cordon_error *err)
{
	struct arena *arena = &sandbox->sbpl->arena;

	if (plan == NULL)
		return 0;
	sandbox->state_dir = arena_strdup(arena, plan->host->state_dir, err);
	return sandbox->state_dir == NULL
		       ? -CORDON_E_MEMORY
		       : denial_parse_command(arena, sandbox->tag, sandbox->log, err);
}

/* The directory exists, the socket does not yet. */
static int
find_socket_path(struct sandbox *sandbox, const char *socket_path, struct cordon_error *err)
{
	const char *name = strrchr(socket_path, '/');
	char folder[PATH_MAX], real[PATH_MAX];

	snprintf(folder, sizeof folder, "%.*s", (int)(name - socket_path), socket_path);
	if (realpath(folder, real) == NULL ||
	    snprintf(sandbox->socket_path, sizeof sandbox->socket_path, "%s%s", real, name) >=
		    (int)sizeof sandbox->socket_path)
		return cordon_fail(err, CORDON_E_PATH, errno, "cannot use %.120s", socket_path);
	return 0;
}

static int
make_profile(struct sandbox *sandbox, const struct plan *plan,
	     const struct sandbox_options *options, const char *state_dir, struct cordon_error *err)
{
	const char *tmp = options->private_tmp != NULL ? options->private_tmp : options->named_tmp;
	struct sbpl_options wanted = {.private_tmp = tmp, .tag = sandbox->tag};
	int rc = 0;

	if (options->id != NULL)
		snprintf(sandbox->id, sizeof sandbox->id, "%s", options->id);
	else
		rc = log_session_id(sandbox->id, err);
	if (rc == 0 && tmp != NULL &&
	    snprintf(sandbox->private_tmp, PATH_MAX, "%s", tmp) >= PATH_MAX)
		rc = cordon_fail(err, CORDON_E_PATH, ENAMETOOLONG, "cannot use %.120s", tmp);
	if (rc == 0 && options->socket_path != NULL)
		rc = find_socket_path(sandbox, options->socket_path, err);
	if (rc == 0)
		rc = fingerprint_make(state_dir, sandbox->id, &sandbox->fingerprint, err);
	if (rc < 0)
		return rc;
	if (options->egress != NULL) {
		wanted.proxy_port = options->egress->named;
		sandbox->egress = options->egress->line;
	}
	wanted.socket_path = options->socket_path == NULL ? NULL : sandbox->socket_path;
	snprintf(sandbox->tag, sizeof sandbox->tag, "cordon-%s", sandbox->id);
	if (options->editor_uuid != NULL &&
	    fingerprint_of_editor(options->editor_uuid, &sandbox->editor))
		wanted.editor =
			(struct sbpl_fingerprint){sandbox->editor.allowed, sandbox->editor.denied};
	wanted.fingerprint = (struct sbpl_fingerprint){sandbox->fingerprint.allowed,
						       sandbox->fingerprint.denied};
	rc = plan == NULL ? sbpl_fingerprint_only(&wanted, &sandbox->sbpl, err)
			  : sbpl_make(plan, &wanted, &sandbox->sbpl, err);
	if (rc == 0)
		rc = prepare_reports(sandbox, plan, err);
	return rc < 0 ? rc
		      : seatbelt_prepare(sandbox->sbpl, &sandbox->fingerprint,
					 plan == NULL ? NULL : plan->settings.accept,
					 &sandbox->seatbelt, err);
}

/* The kernel compares names as the file system does. */
int
enforce_spelling(const struct plan *plan, struct spelling **ret_spelling, struct cordon_error *err)
{
	(void)plan, (void)err;
	*ret_spelling = NULL;
	return 0;
}

void
enforce_spelling_free(struct spelling *spelling)
{
	(void)spelling;
}

static void
auto_box_fn(struct sandbox **sandbox)
{
	enforce_free(*sandbox);
}
#define auto_box __attribute__((cleanup(auto_box_fn)))

int
enforce_compile(const struct plan *plan, const struct sandbox_options *options,
		struct sandbox **ret_sandbox, struct cordon_error *err)
{
	const char *state_dir = plan == NULL ? options->state_dir : plan->host->state_dir;
	auto_box struct sandbox *sandbox = NULL;
	int rc;

	if (plan != NULL && plan_gaps(plan) > 0)
		return refuse_gaps(plan, err);
	if (state_dir == NULL)
		return cordon_fail(err, CORDON_E_GAP, 0,
				   "there is no place for a fingerprint: neither a home nor "
				   "XDG_STATE_HOME");
	rc = plan == NULL ? 0 : check_names(plan, err);
	if (rc < 0)
		return rc;
	sandbox = calloc(1, sizeof *sandbox);
	if (sandbox == NULL)
		return cordon_no_memory(err);
	sandbox->reporter = sandbox->egress = -1;
	rc = make_profile(sandbox, plan, options, state_dir, err);
	if (rc == 0)
		*ret_sandbox = take(&sandbox);
	return rc;
}

void
enforce_close_parent_fds(struct sandbox *sandbox)
{
	(void)sandbox;
}

struct sandbox *
enforce_free(struct sandbox *sandbox)
{
	if (sandbox == NULL)
		return NULL;
	if (!sandbox->is_marked)
		fingerprint_remove(&sandbox->fingerprint);
	seatbelt_release(&sandbox->seatbelt);
	sbpl_free(sandbox->sbpl);
	free(sandbox);
	return NULL;
}

/* ---- using ---- */

/* The profile has it already, under its planned name. */
int
enforce_grant_tmp(struct sandbox *sandbox, const char *path, struct cordon_error *err)
{
	if (strcmp(sandbox->private_tmp, path) == 0)
		return 0;
	return cordon_fail(err, CORDON_E_SYSTEM, 0, "%.120s is not the folder of this profile",
			   path);
}

void
enforce_fingerprint(struct sandbox *sandbox, struct session_group *group)
{
	group->kind = TRACKED_BY_MARK;
	snprintf(group->path, sizeof group->path, "%s", sandbox->fingerprint.folder);
	sandbox->is_marked = true;
}

int
enforce_apply(const struct sandbox *sandbox, struct cordon_error *err)
{
	return seatbelt_apply(&sandbox->seatbelt, err);
}

pid_t
enforce_start(struct sandbox *sandbox, const struct session_group *group,
	      const struct enforce_main *main)
{
	const struct reporter reporter = {sandbox->state_dir, sandbox->id, sandbox->tag,
					  sandbox->log, LATE_MS};

	/* before the command, to see its first denials; failure is not fatal */
	sandbox->reporter = denial_log_start(&reporter);
	return session_group_spawn(group, main->run, main->context);
}

/*
 * Seatbelt decides alone and nothing is supervised. The caller only closes these: the log reader exits with
 * the first, the proxy with the second.
 */
struct enforce_needs
enforce_fds(const struct sandbox *sandbox)
{
	return (struct enforce_needs){
		sandbox->reporter, sandbox->egress, -1, -1, {-1, -1}, -1, -1, -1};
}

void
enforce_serve(struct sandbox *sandbox, const struct enforce_needs *needs)
{
	(void)sandbox, (void)needs;
}

void
enforce_service(struct sandbox *sandbox)
{
	(void)sandbox;
}

int
enforce_kernel_log(const struct sandbox *sandbox)
{
	(void)sandbox;
	return -1;
}

void
enforce_read_kernel_log(struct sandbox *sandbox, pid_t command, bool is_end)
{
	(void)sandbox, (void)command, (void)is_end;
}

bool
enforce_untrace(struct sandbox *sandbox, pid_t task, int signal)
{
	(void)sandbox, (void)task, (void)signal;
	return false;
}

bool
enforce_signal(struct sandbox *sandbox, int signal)
{
	(void)sandbox, (void)signal;
	return false;
}
