// SPDX-License-Identifier: MIT
/*
 * A plan for which memory runs out, once at every place where it is asked for: the error says so, or
 * the plan is the same; nothing is freed twice, lost or used afterwards (the sanitizers look). Linked
 * so that what is counted here stands in front of the arena and of the C library.
 */
#include "explain/print_text.h"
#include "world.h"

/* The one after so many fails; -1: none. */
static long left = -1;

static bool
runs_out(struct cordon_error *err)
{
	if (left != 0) {
		left -= left > 0;
		return false;
	}
	left = -1;
	cordon_no_memory(err);
	return true;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_arena_alloc(struct arena *arena, size_t size, struct cordon_error *err);
void *__real_arena_push(struct arena *arena, void *items, size_t *count, size_t size,
			struct cordon_error *err);
char *__real_arena_strndup(struct arena *arena, const char *text, size_t length,
			   struct cordon_error *err);
char *__real_arena_strdup(struct arena *arena, const char *text, struct cordon_error *err);

void *
__wrap_malloc(size_t size)
{
	return runs_out(NULL) ? NULL : __real_malloc(size);
}

void *
__wrap_calloc(size_t count, size_t size)
{
	return runs_out(NULL) ? NULL : __real_calloc(count, size);
}

void *
__wrap_realloc(void *old, size_t size)
{
	return runs_out(NULL) ? NULL : __real_realloc(old, size);
}

void *
__wrap_arena_alloc(struct arena *arena, size_t size, struct cordon_error *err)
{
	return runs_out(err) ? NULL : __real_arena_alloc(arena, size, err);
}

void *
__wrap_arena_push(struct arena *arena, void *items, size_t *count, size_t size,
		  struct cordon_error *err)
{
	return runs_out(err) ? NULL : __real_arena_push(arena, items, count, size, err);
}

char *
__wrap_arena_strndup(struct arena *arena, const char *text, size_t length, struct cordon_error *err)
{
	return runs_out(err) ? NULL : __real_arena_strndup(arena, text, length, err);
}

char *
__wrap_arena_strdup(struct arena *arena, const char *text, struct cordon_error *err)
{
	return runs_out(err) ? NULL : __real_arena_strdup(arena, text, err);
}

/* A cache may do without; what is planned must not. */
static bool
is_same(const struct plan *plan, const char *expected)
{
	auto_str struct str text = {0};

	print_json_plan(plan, &text);
	return strcmp(text.text, expected) == 0;
}

/* How often memory is asked for until there is a plan. */
static long
fail_one_by_one(struct world *world, const struct said *said)
{
	auto_plan struct plan *whole = world_plan(world, *said);
	auto_str struct str text = {0};

	print_json_plan(whole, &text);
	for (long n = 0;; n++) {
		auto_plan struct plan *plan = NULL;
		bool reached;
		int rc;

		left = n;
		rc = world_try(world, said, &plan);
		reached = left < 0;
		left = -1;
		if (rc < 0 ? rc != -CORDON_E_MEMORY || world->err.code != CORDON_E_MEMORY
			   : !is_same(plan, text.text)) {
			printf("# number %ld: %d %s\n", n, rc, world->err.text);
			check(false);
		}
		if (!reached)
			return n;
	}
}

static void
out_of_memory_in_a_policy_with_everything(void)
{
	auto_policy struct policy *options = policy_new("command line", NULL);
	auto_world struct world w;

	world_make(&w);
	check(policy_add_rule(options, LIST_WRITE, "$PROJECT/out", (struct srcpos){"o", 0, 0},
			      NULL) != NULL);
	check(fail_one_by_one(
		      &w, &(struct said){.system = "{\"files\": {\"deny\": [\"~/secret\"]}}",
					 .user = "{\"extends\": [\"git\"], \"network\": "
						 "{\"domains\": [\"example.org\"]}}",
					 .project = "{\"files\": {\"write\": [\"~/more\"]}}",
					 .args = {"node"},
					 .inline_text = "{\"files\": {\"rules\": [{\"effect\": "
							"\"deny\", \"rights\": \"r\", \"path\": "
							"\".*key\", \"match\": \"regex\"}]}}",
					 .options = options}) > 100);
	/* still the caller's */
	check_str(options->rules[0].path, "$PROJECT/out");
}

static void
out_of_memory_with_an_approved_project(void)
{
	auto_world struct world w;

	world_make(&w);
	check(fail_one_by_one(&w, &(struct said){.project = "{\"extends\": [\"rust\"], \"env\": "
							    "{\"set\": {\"A\": \"b\"}}}",
						 .trusted = true}) > 100);
}

int
main(void)
{
	run(out_of_memory_in_a_policy_with_everything);
	run(out_of_memory_with_an_approved_project);
	return tap_end();
}
