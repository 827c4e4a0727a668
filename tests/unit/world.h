/* SPDX-License-Identifier: MIT */
/*
 * A small machine of its own for tests of stacks and plans: a home, a project in it, and policy
 * files, in a new folder that is removed at the end. Paths in policy texts are written with tokens,
 * so that nothing depends on where the folder lies.
 */
#pragma once

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/fd.h"
#include "base/path.h"
#include "host/resolve.h"
#include "plan/plan.h"
#include "tap.h"

struct world {
	struct arena arena;
	const char *root, *home, *project, *user_file, *system_file, *project_file;
	const char *environ[4];
	struct host host;
	struct facts facts;
	struct cordon_error err; /* of the last plan that could not be made */
};

/* What is said in one plan. NULL: not there. */
struct said {
	const char *system, *user, *project;
	const char *args[4];	 /* -p NAME */
	const char *inline_text; /* --policy-json */
	struct policy *options;
	bool trusted;
	const struct trust *trust;
};

static inline void
world_run(const char *format, const char *path)
{
	char command[600];

	snprintf(command, sizeof command, format, path);
	check_int(system(command), 0);
}

static inline void
world_free(struct world *world)
{
	if (world->root != NULL)
		world_run("rm -rf '%s'", world->root);
	arena_free(&world->arena);
}
#define auto_world __attribute__((cleanup(world_free)))

/* A path below the world's root. */
static inline const char *
world_path(struct world *world, const char *below)
{
	return path_join(&world->arena, world->root, below, NULL);
}

static inline const char *
world_dir(struct world *world, const char *below)
{
	const char *path = world_path(world, below);

	check_int(fd_make_dir(path, 0755, NULL), 0);
	return path;
}

static inline void
write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	check(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
}

/* Everything a recent kernel has; ABI 7. */
static inline struct facts
facts_full(void)
{
	struct facts facts = {.system = SYSTEM_LINUX, .kernel = "test"};

	for (int i = 0; i < FACT_COUNT; i++)
		facts.values[i] = 1;
	facts.values[FACT_LANDLOCK_ABI] = 7;
	facts.values[FACT_YAMA] = 0;
	facts.values[FACT_SEATBELT] = facts.values[FACT_INSIDE] = facts.values[FACT_OUTER_CORDON] =
		0;
	return facts;
}

static inline void
world_make(struct world *world)
{
	const char *tmp = getenv("TMPDIR");
	char made[200], real[PATH_MAX];

	*world = (struct world){.facts = facts_full()};
	snprintf(made, sizeof made, "%.150s/world.XXXXXX", tmp != NULL ? tmp : "/tmp");
	if (mkdtemp(made) == NULL || realpath(made, real) == NULL) {
		perror("mkdtemp");
		exit(1);
	}
	world->root = arena_strdup(&world->arena, real, NULL);
	world->home = world_dir(world, "home");
	world->project = world_dir(world, "home/p");
	world->user_file =
		path_join(&world->arena, world_dir(world, "config"), "config.json", NULL);
	world->system_file = path_join(&world->arena, world_dir(world, "etc"), "config.json", NULL);
	world->project_file = path_join(&world->arena, world->project, PROJECT_POLICY_NAME, NULL);
	world->host = (struct host){.home = world->home,
				    .cwd = world->project,
				    .project = world->project,
				    .config_dir = world_path(world, "config"),
				    .state_dir = world_path(world, "state"),
				    .environ = world->environ,
				    .view = &fs_real};
}

static inline bool
world_trusts(const void *ctx, const char *path, const char *text, size_t length)
{
	(void)path, (void)text, (void)length;
	return *(const bool *)ctx;
}

static inline void
world_put(const char *path, const char *text)
{
	if (text != NULL)
		write_file(path, text);
	else
		unlink(path);
}

/* 0, or the failure with the reason in world->err. */
static inline int
world_stack(struct world *world, const struct said *said, struct stack **ret)
{
	struct stack_text texts[5];
	struct stack_input input = {.system = world->host.system,
				    .command = world->host.command,
				    .project = world->project,
				    .system_file = world->system_file,
				    .user_file = world->user_file,
				    .texts = texts,
				    .options = said->options,
				    .trusted = world_trusts,
				    .trusted_ctx = &said->trusted};

	world_put(world->system_file, said->system);
	world_put(world->user_file, said->user);
	world_put(world->project_file, said->project);
	for (size_t i = 0; i < COUNT(said->args) && said->args[i] != NULL; i++)
		texts[input.text_count++] = (struct stack_text){said->args[i], NULL};
	if (said->inline_text != NULL)
		texts[input.text_count++] = (struct stack_text){said->inline_text, "--policy-json"};
	world->err = (struct cordon_error){0};
	return layers_load(&input, ret, &world->err);
}

static inline int
world_try(struct world *world, const struct said *said, struct plan **ret)
{
	struct stack *stack = NULL;
	int rc = world_stack(world, said, &stack);

	return rc < 0 ? rc
		      : plan_make(&world->host, &world->facts, stack, said->trust, ret,
				  &world->err);
}

/* Never NULL: what cannot be planned fails the case, and an empty plan stands in for it. */
static inline struct plan *
world_plan(struct world *world, struct said said)
{
	struct plan *plan = NULL;

	if (world_try(world, &said, &plan) == 0)
		return plan;
	printf("# no plan: %s\n", world->err.text);
	tap.failed_checks++;
	said = (struct said){0};
	if (world_try(world, &said, &plan) < 0)
		exit(1);
	return plan;
}

/* The message of a plan that cannot be made; "" when it can. */
static inline const char *
world_error(struct world *world, struct said said)
{
	struct plan *plan = NULL;

	if (world_try(world, &said, &plan) == 0)
		plan_free(plan);
	return world->err.text;
}

/* Rights at a path written with tokens, as letters. Valid until the next call. */
static inline const char *
rights_at(const struct plan *plan, const char *written)
{
	static char letters[RIGHT_KINDS + 1];
	const struct token_text text = {written, {"test", 0, 0}, false, false};
	auto_arena struct arena arena = {0};
	struct resolved resolved;
	const char *path;

	if (host_expand_token(&arena, plan->host, &text, &path, NULL) < 0 ||
	    resolve_path(&arena, plan->host->view, path, &resolved, NULL) < 0)
		return "not a path";
	policy_rights_to_letters(index_decide(&plan->index, resolved.path).rights, letters);
	return letters;
}

/* Adds text to a list in a buffer, with a separator. */
static inline void
list_add(char *to, size_t size, const char *between, const char *text)
{
	size_t used = strlen(to);

	snprintf(to + used, size - used, "%s%s", used == 0 ? "" : between, text);
}

/* What the project asks for, one after the other. Valid until the next call. */
static inline const char *
requests_of(const struct plan *plan)
{
	static char text[2000];

	*text = '\0';
	for (size_t i = 0; i < plan->request_count; i++)
		list_add(text, sizeof text, "; ", plan->requests[i].text);
	return text;
}
