// SPDX-License-Identifier: MIT
/*
 * cordon trust: approves what a project's policy requests. An approval covers exactly what was listed: the
 * policy file by its content, each path by its present target.
 */
#include <string.h>

#include "audit/event.h"
#include "audit/log.h"
#include "discover/context.h"

/* As many requests are logged; `cordon trust` lists all. */
#define REQUESTS_MAX 100

/* Is the path the same file as then? */
static bool
is_pinned(const struct trust *trust, const char *path)
{
	const struct pin now = trust_store_pin(path);

	for (size_t i = 0; i < trust->pin_count; i++)
		if (strcmp(trust->pins[i].path, path) == 0)
			return trust->pins[i].device == now.device &&
			       trust->pins[i].inode == now.inode;
	return false;
}

/* Was it granted to an earlier text of the file, and means the same now? */
static bool
is_old(const struct cordon_plan *context, const struct request *request)
{
	const struct words *approved = &context->trust.approved;

	for (size_t i = 0; i < approved->count; i++)
		if (strcmp(approved->items[i].text, request->text) == 0)
			return request->path == NULL || is_pinned(&context->trust, request->path);
	return false;
}

static void
print_request(const struct request *request, struct str *to)
{
	str_add(to, "  ");
	str_visible(to, request->text);
	str_printf(to, "   (line %u)", request->srcpos.line);
	if (request->path != NULL && strstr(request->text, request->path) == NULL) {
		str_add(to, "\n      which is ");
		str_visible(to, request->path);
	}
	if (request->twice != NULL)
		str_printf(to, "\n      look twice: %s", request->twice);
	str_add(to, "\n");
}

/* Those that were granted before the file changed are counted only. */
static void
print_requests(const struct cordon_plan *context, struct str *to)
{
	const struct plan *plan = context->plan;
	size_t old = 0;

	for (size_t i = 0; i < plan->request_count; i++) {
		if (is_old(context, &plan->requests[i]))
			old++;
		else
			print_request(&plan->requests[i], to);
	}
	if (old > 0)
		str_printf(to, "  and %s%zu that %s granted before\n",
			   old == plan->request_count ? "nothing but " : "", old,
			   old == 1 ? "was" : "were");
}

static void
print_json(const struct cordon_plan *context, const char *state, struct str *to)
{
	const struct plan *plan = context->plan;

	str_add(to, "{\"file\": ");
	str_json_or_null(to, plan->stack->project == NULL ? NULL : plan->stack->project->file);
	str_printf(to, ", \"state\": \"%s\", \"hash\": \"%s\", \"requests\": [", state,
		   context->hash);
	for (size_t i = 0; i < plan->request_count; i++) {
		str_add(to, i == 0 ? "\n  {\"text\": " : ",\n  {\"text\": ");
		str_json(to, plan->requests[i].text);
		str_printf(to, ", \"line\": %u, \"column\": %u, \"path\": ",
			   plan->requests[i].srcpos.line, plan->requests[i].srcpos.column);
		str_json_or_null(to, plan->requests[i].path);
		str_add(to, ", \"warning\": ");
		str_json_or_null(to, plan->requests[i].twice);
		str_printf(to, ", \"granted_before\": %s}",
			   is_old(context, &plan->requests[i]) ? "true" : "false");
	}
	str_add(to, "]}\n");
}

static int
open_plan(const struct cordon_setup *setup, enum context_use use, struct cordon_plan **ret,
	  struct cordon_error *err)
{
	auto_context struct cordon_plan *context = NULL;
	int rc = context_open(setup, use, &context, err);

	if (rc == 0)
		rc = context_plan(context, setup, use, NULL, err);
	if (rc == 0)
		*ret = take(&context);
	return rc;
}

static int
list(const struct cordon_plan *context, enum cordon_format format, struct str *to)
{
	const struct plan *plan = context->plan;
	bool approved = plan->stack->project_trusted;

	if (format == CORDON_JSON) {
		print_json(context,
			   plan->stack->project == NULL ? "none"
			   : approved			? "approved"
							: "asking",
			   to);
		return (int)plan->request_count;
	}
	if (plan->stack->project == NULL) {
		str_add(to, "this project has no policy of its own\n");
		return 0;
	}
	str_visible(to, plan->stack->project->file);
	if (plan->request_count == 0) {
		str_add(to, approved ? " is approved in its present form\n"
				     : " requests nothing that needs approval\n");
		return 0;
	}
	str_add(to, approved ? " was approved, but now requests:\n" : " asks for:\n");
	print_requests(context, to);
	str_add(to, "`cordon trust --yes` grants this to the file in its present form; after a "
		    "change it needs approval again\n");
	return (int)plan->request_count;
}

static int
push_pin(struct arena *arena, struct trust *to, struct pin pin, struct cordon_error *err)
{
	struct pin *slot = arena_push(arena, &to->pins, &to->pin_count, sizeof *slot, err);

	if (slot == NULL)
		return -CORDON_E_MEMORY;
	*slot = pin;
	return 0;
}

static int
collect_pins(struct arena *arena, const struct planned_rule *rules, size_t count, struct trust *to,
	     struct cordon_error *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < count; i++)
		if (rules[i].layer == LAYER_PROJECT && rules[i].effect == EFFECT_ALLOW)
			rc = push_pin(arena, to, trust_store_pin(rules[i].root), err);
	return rc;
}

static int
collect_sockets(struct arena *arena, const struct plan *plan, struct trust *to,
		struct cordon_error *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < plan->socket_count; i++)
		if (plan_is_projects_socket(plan, &plan->sockets[i]))
			rc = push_pin(arena, to, (struct pin){.path = plan->sockets[i].path}, err);
	return rc;
}

static int
collect(struct cordon_plan *asking, const struct cordon_plan *granted, struct trust *to,
	struct cordon_error *err)
{
	const struct index *index = &granted->plan->index;
	int rc = 0;

	*to = (struct trust){.file = asking->plan->stack->project->file};
	memcpy(to->hash, asking->hash, sizeof to->hash);
	/* keep an earlier approval of the same text for the other command */
	if (asking->has_trust)
		*to = asking->trust;
	to->file = asking->plan->stack->project->file;
	for (size_t i = 0; rc == 0 && i < asking->plan->request_count; i++) {
		const struct word word = {.text = asking->plan->requests[i].text};

		rc = policy_words_add(&asking->arena, &to->approved, &word, err);
	}
	if (rc == 0)
		rc = collect_pins(&asking->arena, index->paths, index->path_count, to, err);
	if (rc == 0)
		rc = collect_pins(&asking->arena, index->patterns, index->pattern_count, to, err);
	return rc < 0 ? rc : collect_sockets(&asking->arena, granted->plan, to, err);
}

/* A log that cannot be written does not undo an approval. */
static void
report_trust(const struct cordon_plan *context, const char *what, const char *file)
{
	const struct plan *plan = context->plan;
	const char *requests[REQUESTS_MAX];
	struct event event = {.kind = EVENT_TRUST, .project = context->host.project};
	auto_str struct str line = {0};
	size_t count = 0;

	while (count < plan->request_count && count < REQUESTS_MAX) {
		requests[count] = plan->requests[count].text;
		count++;
	}
	event.is.trust = (struct event_trust){what, file, requests, count};
	event_print(&event, &line);
	if (!line.failed)
		log_append(context->store, line.text, NULL);
}

static int
approve(struct cordon_plan *asking, const struct cordon_setup *setup, enum cordon_format format,
	struct str *to, struct cordon_error *err)
{
	auto_context struct cordon_plan *granted = NULL;
	struct trust trust;
	int rc;

	if (asking->plan->stack->project == NULL || asking->plan->request_count == 0)
		return list(asking, format, to);
	if (asking->store == NULL)
		return cordon_fail(err, CORDON_E_TRUST, 0,
				   "cannot store the approval: there is neither a home folder nor "
				   "XDG_STATE_HOME");
	rc = open_plan(setup, CONTEXT_TRUSTING, &granted, err);
	if (rc < 0)
		return rc;
	if (strcmp(granted->hash, asking->hash) != 0)
		return cordon_fail(err, CORDON_E_TRUST, 0, "%s changed while it was being approved",
				   asking->plan->stack->project->file);
	rc = collect(asking, granted, &trust, err);
	if (rc == 0)
		rc = trust_store_save(asking->store, &trust, err);
	if (rc < 0)
		return rc;
	report_trust(asking, "approved", trust.file);
	if (format == CORDON_JSON) {
		print_json(asking, "approved", to);
		return 0;
	}
	str_add(to, "granted to ");
	str_visible(to, trust.file);
	str_add(to, ", in its present form:\n");
	print_requests(asking, to);
	return 0;
}

static int
revoke(struct cordon_plan *context, enum cordon_format format, struct str *to,
       struct cordon_error *err)
{
	const struct stack *stack = context->plan->stack;
	int rc = 0;

	if (stack->project != NULL && context->store != NULL)
		rc = trust_store_remove(context->store, stack->project->file, err);
	if (rc < 0)
		return rc;
	if (rc > 0)
		report_trust(context, "revoked", stack->project->file);
	if (format == CORDON_JSON)
		print_json(context, rc > 0 ? "revoked" : "none", to);
	else
		str_add(to, rc > 0 ? "the approval of this project is revoked\n"
				   : "this project had no approval\n");
	return 0;
}

int
cordon_trust(const struct cordon_setup *setup, enum cordon_trust_action action,
	     enum cordon_format format, char **ret_text, struct cordon_error *err)
{
	auto_context struct cordon_plan *context = NULL;
	auto_str struct str text = {0};
	int asked, rc = open_plan(setup, CONTEXT_RUN, &context, err);

	if (rc == 0 && context->host.has_no_project)
		rc = project_fail(context, err);
	if (rc < 0)
		return rc;
	if (*context->trust_problem != '\0' && action != CORDON_TRUST_REVOKE)
		return cordon_fail(err, CORDON_E_TRUST, 0, "%s", context->trust_problem);
	asked = action == CORDON_TRUST_LIST	 ? list(context, format, &text)
		: action == CORDON_TRUST_APPROVE ? approve(context, setup, format, &text, err)
						 : revoke(context, format, &text, err);
	if (asked < 0)
		return asked;
	rc = str_finish(&text, ret_text, err);
	return rc < 0 ? rc : asked;
}
