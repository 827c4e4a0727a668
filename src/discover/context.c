// SPDX-License-Identifier: MIT
/*
 * Gathers what a plan needs from the machine, once: directories, facts, approvals. project.c finds
 * the project.
 */
#include "base/os.h"

#include "discover/context.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/fd.h"
#include "base/path.h"
#include "enforce/enforce.h"
#include "host/resolve.h"
#include "plan/guarantees.h"
#include "plan/secret.h"

#define FACTS_MAX (1u << 16)
#define SYSTEM_DIR "/etc/cordon"

extern char **environ;

struct cordon_plan *
cordon_plan_free(struct cordon_plan *context)
{
	if (context == NULL)
		return NULL;
	plan_free(context->plan);
	arena_free(&context->arena);
	free(context);
	return NULL;
}

bool
context_plans_other_os(const struct cordon_plan *context)
{
	return context->host.view != &fs_real;
}

int
context_foreign_path(struct cordon_plan *context, const char *path, const char **ret_path,
		     struct cordon_error *err)
{
	struct resolved resolved;
	int rc = resolve_path(&context->arena, context->host.view, path, &resolved, err);

	if (rc == 0)
		*ret_path = resolved.path;
	return rc;
}

/* ---- directories ---- */

/* Records a home by its name and by its canonical path. */
static int
note_home(struct cordon_plan *context, const char *home, struct cordon_error *err)
{
	char real[PATH_MAX];

	if (home == NULL || strcmp(home, "/") == 0)
		return 0;
	context->homes[context->home_count++] = home;
	if (os_realpath(home, real) == NULL)
		return error_errno_is_fault(errno)
			       ? cordon_fail(err, CORDON_E_SYSTEM, errno, "cannot examine %s", home)
			       : 0;
	if (strcmp(real, "/") == 0)
		return 0;
	home = arena_strdup(&context->arena, real, err);
	if (home == NULL)
		return -CORDON_E_MEMORY;
	context->homes[context->home_count++] = home;
	return 0;
}

const char *
context_env_path(const struct host *host, const char *name)
{
	const char *value = host_getenv(host, name);

	return value != NULL && *value == '/' ? value : NULL;
}

/* Returns XDG-DIRECTORY/cordon or HOME/below/cordon; NULL if neither is known. */
static int
own_folder(struct cordon_plan *context, const char *variable, const char *home, const char *below,
	   const char **ret_folder, struct cordon_error *err)
{
	const char *base = context_env_path(&context->host, variable);

	*ret_folder = NULL;
	if (base == NULL && (home == NULL || below == NULL))
		return 0;
	if (base == NULL)
		base = path_join(&context->arena, home, below, err);
	*ret_folder = base == NULL ? NULL : path_join(&context->arena, base, "cordon", err);
	return *ret_folder == NULL ? -CORDON_E_MEMORY : 0;
}

/* Sets the directories of the plan. For another system only a home that was given is known. */
static int
plan_folders(struct cordon_plan *context, struct cordon_error *err)
{
	struct host *host = &context->host;
	struct arena *arena = &context->arena;
	int rc;

	if (!context_plans_other_os(context))
		return own_folder(context, "XDG_RUNTIME_DIR", NULL, NULL, &host->runtime_dir, err);
	host->system_dir = host->config_dir = host->state_dir = NULL;
	if (host->home == NULL)
		return 0;
	rc = context_foreign_path(context, host->home, &host->home, err);
	if (rc < 0)
		return rc;
	host->config_dir = path_join(arena, host->home, ".config/cordon", err);
	host->state_dir = path_join(arena, host->home, ".local/state/cordon", err);
	return host->config_dir == NULL || host->state_dir == NULL ? -CORDON_E_MEMORY : 0;
}

static int
find_folders(struct cordon_plan *context, const struct cordon_setup *setup,
	     struct cordon_error *err)
{
	struct host *host = &context->host;
	const char *home = context_env_path(host, "HOME"), *trusted_home;
	int rc = home_of_user(&context->arena, &trusted_home, err);

	host->home = setup->home != NULL || context_plans_other_os(context) ? setup->home : home;
	if (rc == 0)
		rc = note_home(context, home, err);
	if (rc == 0 && (home == NULL || trusted_home == NULL || strcmp(home, trusted_home) != 0))
		rc = note_home(context, trusted_home, err);
	if (rc == 0)
		rc = own_folder(context, "XDG_CONFIG_HOME", home, ".config", &host->config_dir,
				err);
	if (rc == 0)
		rc = own_folder(context, "XDG_STATE_HOME",
				trusted_home == NULL ? home : trusted_home, ".local/state",
				&host->state_dir, err);
	if (rc < 0)
		return rc;
	context->store = host->state_dir;
	host->system_dir = SYSTEM_DIR;
	context->system_file = SYSTEM_DIR "/config.json";
	if (host->config_dir != NULL) {
		context->user_file =
			path_join(&context->arena, host->config_dir, "config.json", err);
		if (context->user_file == NULL)
			return -CORDON_E_MEMORY;
	}
	return plan_folders(context, err);
}

/* ---- facts ---- */

static int
find_facts(struct cordon_plan *context, const struct cordon_setup *setup, struct cordon_error *err)
{
	struct facts *facts = &context->facts;
	char *text;
	size_t length;
	int rc;

	if (setup->facts_file == NULL)
		return enforce_probe(facts, err);
	rc = fd_read_file(&context->arena, setup->facts_file, FACTS_MAX, &text, &length, NULL, err);
	return rc < 0 ? rc : facts_read(setup->facts_file, text, length, facts, err);
}

/* A plan for another system assumes that system's usual facts and knows none of our files. */
static void
choose_system(struct cordon_plan *context, const struct cordon_setup *setup)
{
	struct host *host = &context->host;
	struct facts *facts = &context->facts;

	host->system = setup->system_given ? setup->system : facts->system;
	host->view = host->system == enforce_system() ? &fs_real : &fs_macos_minimal;
	if (host->system == facts->system)
		return;
	*facts = (struct facts){.system = host->system, .kernel = "assumed, not probed"};
	facts->values[FACT_SEATBELT] = host->system == SYSTEM_MACOS;
}

int
context_folders(const struct cordon_setup *setup, struct cordon_plan **ret_context,
		struct cordon_error *err)
{
	auto_context struct cordon_plan *context = calloc(1, sizeof *context);
	int rc;

	if (context == NULL)
		return cordon_no_memory(err);
	context->host.system = enforce_system();
	context->host.view = &fs_real;
	context->host.environ = (const char *const *)environ;
	context->host.project = "";
	context->ids = setup->ids;
	rc = find_folders(context, setup, err);
	if (rc < 0)
		return rc;
	*ret_context = take(&context);
	return 0;
}

int
context_open(const struct cordon_setup *setup, enum context_use use,
	     struct cordon_plan **ret_context, struct cordon_error *err)
{
	static const char *const nothing[] = {NULL};
	auto_context struct cordon_plan *context = calloc(1, sizeof *context);
	int rc;

	if (context == NULL)
		return cordon_no_memory(err);
	rc = find_facts(context, setup, err);
	if (rc < 0)
		return rc;
	context->assumed = setup->facts_file != NULL ||
			   (setup->system_given && setup->system != enforce_system());
	context->ids = setup->ids;
	context->host.command = setup->command;
	context->host.environ = (const char *const *)environ;
	choose_system(context, setup);
	rc = find_folders(context, setup, err);
	if (rc == 0)
		rc = project_find(context, setup, use, err);
	/* macOS has no such file and no second names by mounts */
	if (rc == 0 && !context_plans_other_os(context))
		rc = mounts_text(&context->arena, "/proc/self/mountinfo", &context->host.mounts,
				 &context->host.mounts_hidden, err);
	if (rc < 0)
		return rc;
	/* the environment was used to find directories here; it means nothing on another system */
	if (context_plans_other_os(context))
		context->host.environ = nothing;
	*ret_context = take(&context);
	return 0;
}

/* ---- the plan ---- */

void
context_input(const struct cordon_plan *context, const struct cordon_setup *setup,
	      struct stack_input *ret_input)
{
	*ret_input = (struct stack_input){
		.system = context->host.system,
		.command = setup->command,
		.project = context->host.project,
		.system_file = context->system_file,
		.user_file = context->user_file,
		.no_project_policy = setup->no_project_policy,
		.texts = setup->texts,
		.text_count = setup->text_count,
		.options = setup->options_used ? setup->options : NULL,
	};
}

static void
remember_hash(struct cordon_plan *context, const char *text, size_t length)
{
	trust_store_hash(text, length, context->hash);
}

/* Records whether this exact text was approved. */
static bool
look_up_approval(const void *ctx, const char *path, const char *text, size_t length)
{
	struct cordon_plan *context = (struct cordon_plan *)ctx;
	struct cordon_error why = {0};
	int found = 0;

	remember_hash(context, text, length);
	if (context->store != NULL)
		found = trust_store_load(&context->arena, context->store, path, &context->trust,
					 &why);
	if (found < 0)
		snprintf(context->trust_problem, sizeof context->trust_problem, "%s", why.text);
	context->has_trust = found == 1 && strcmp(context->trust.hash, context->hash) == 0;
	/* not yet: the plan first shows what the text requests here */
	return false;
}

static bool
take_as_approved(const void *ctx, const char *path, const char *text, size_t length)
{
	(void)path;
	remember_hash((struct cordon_plan *)ctx, text, length);
	return true;
}

static int
word_gaps(struct cordon_plan *context, struct cordon_error *err)
{
	for (int i = 0; i < G_COUNT; i++) {
		const struct guarantee_state *promise = &context->plan->guarantees[i];
		const char **slot;

		if (promise->status != GUARANTEE_GAP)
			continue;
		slot = arena_push(&context->arena, &context->gaps, &context->gap_count,
				  sizeof *slot, err);
		if (slot == NULL)
			return -CORDON_E_MEMORY;
		*slot = arena_printf(&context->arena, err,
				     "%s (%s): %s%s%s; or accept that: --accept %s",
				     guarantee_names[i], guarantee_sentences[i],
				     promise->how == NULL ? "no mechanism here" : promise->how,
				     promise->remedy == NULL ? "" : "; ",
				     promise->remedy == NULL ? "" : promise->remedy,
				     guarantee_names[i]);
		if (*slot == NULL) {
			context->gap_count--;
			return -CORDON_E_MEMORY;
		}
	}
	return 0;
}

/* Does a policy other than the project's own grant the project, or a path in it? */
static bool
grants_project(const struct stack *stack)
{
	for (size_t i = 0; i < stack->count; i++) {
		const struct policy *policy = stack->entries[i].policy;

		for (size_t j = 0; policy != stack->project && j < policy->rule_count; j++)
			if (policy->rules[j].effect == EFFECT_ALLOW &&
			    strncmp(policy->rules[j].path, "$PROJECT", strlen("$PROJECT")) == 0)
				return true;
	}
	return false;
}

static int
make_plan(struct cordon_plan *context, const struct cordon_setup *setup, bool as_approved,
	  const struct stack_text *only, struct cordon_error *err)
{
	struct stack_input input;
	struct stack *stack = NULL;
	int rc;

	context_input(context, setup, &input);
	input.trusted = as_approved ? take_as_approved : look_up_approval;
	input.trusted_ctx = context;
	if (only != NULL) {
		input.system_file = input.user_file = NULL;
		input.no_project_policy = true;
		input.texts = only;
		input.text_count = 1;
	}
	rc = layers_load(&input, &stack, err);
	if (rc < 0)
		return rc;
	if (context->host.has_no_project && grants_project(stack)) {
		layers_free(stack);
		return project_fail(context, err);
	}
	return plan_make(&context->host, &context->facts, stack,
			 context->has_trust ? &context->trust : NULL, &context->plan, err);
}

/* Searches on from the last match, since requests usually come in the approved order. */
static bool
was_approved(const struct words *approved, const char *text, size_t *last)
{
	for (size_t i = 0; i < approved->count; i++) {
		size_t at = (*last + i) % approved->count;

		if (strcmp(approved->items[at].text, text) != 0)
			continue;
		*last = at;
		return true;
	}
	return false;
}

/*
 * An approval covers the requests that were listed. The same text can request more here: with
 * another command or options, or with a user's file that now grants less.
 */
static bool
approval_covers(const struct cordon_plan *context)
{
	const struct plan *plan = context->plan;
	size_t last = 0;

	for (size_t i = 0; i < plan->request_count; i++)
		if (!was_approved(&context->trust.approved, plan->requests[i].text, &last))
			return false;
	return true;
}

static int
plan_again_approved(struct cordon_plan *context, const struct cordon_setup *setup,
		    struct cordon_error *err)
{
	int rc;

	context->plan = plan_free(context->plan);
	rc = make_plan(context, setup, true, NULL, err);
	if (rc == 0 && strcmp(context->hash, context->trust.hash) != 0)
		return cordon_fail(err, CORDON_E_TRUST, 0, "%s changed while it was read",
				   context->trust.file);
	return rc;
}

/* Probing what limits of a whole session need is slow, so only plans with such a limit do it. */
static void
find_limits(struct cordon_plan *context)
{
	struct plan *plan = context->plan;
	const struct limit_value *limits = plan->settings.limits;

	if (context->assumed ||
	    (limits[LIMIT_MEMORY].value == 0 && limits[LIMIT_PROCESSES].value == 0))
		return;
	enforce_probe_limits(&plan->facts);
	plan_check_guarantees(plan);
}

/* Only the broker can watch calls, and it does not see those of a sandbox inside another one. */
static int
add_trace(struct cordon_plan *context, struct cordon_error *err)
{
	const struct facts *facts = &context->plan->facts;

	if (context->host.system != SYSTEM_LINUX)
		return cordon_fail(err, CORDON_E_GAP, 0, "--trace: only Linux can watch calls");
	if (facts->values[FACT_OUTER_CORDON])
		return cordon_fail(err, CORDON_E_GAP, 0,
				   "--trace: inside another cordon calls cannot be watched; use it "
				   "with that one");
	if (!routing_has_broker(facts) || facts->values[FACT_LANDLOCK_ABI] == 0)
		return cordon_fail(
			err, CORDON_E_GAP, 0,
			"--trace: this host cannot supervise calls; `cordon doctor` says "
			"what is missing");
	context->plan->traces = true;
	return 0;
}

int
context_plan(struct cordon_plan *context, const struct cordon_setup *setup, enum context_use use,
	     const struct stack_text *only, struct cordon_error *err)
{
	int rc = make_plan(context, setup, use == CONTEXT_TRUSTING, only, err);

	if (rc == 0 && context->has_trust && approval_covers(context))
		rc = plan_again_approved(context, setup, err);
	/* an editor that was opened without a folder names the home in its record */
	if (rc == 0 && setup->has_record && project_is_home(context))
		rc = secret_note_home(context->plan, err);
	if (rc == 0 && setup->traces)
		rc = add_trace(context, err);
	if (rc == 0 && *context->trust_problem != '\0')
		rc = plan_notice(context->plan, err, "%s", context->trust_problem);
	if (rc < 0)
		return rc;
	find_limits(context);
	return word_gaps(context, err);
}
