// SPDX-License-Identifier: MIT
/* Words the requests of a project. Grants nothing. */
#include "plan/trust_requests.h"

#include <stdarg.h>

#include "base/confusable.h"
#include "base/path.h"
#include "base/str.h"
#include "plan/secret.h"

int
trust_requests_add(struct plan *plan, struct srcpos srcpos, struct cordon_error *err,
		   const char *format, ...)
{
	struct request *request;
	va_list args;
	char *text;

	va_start(args, format);
	text = arena_vprintf(&plan->arena, err, format, args);
	va_end(args);
	if (text == NULL)
		return -CORDON_E_MEMORY;
	request = arena_push(&plan->arena, &plan->requests, &plan->request_count, sizeof *request,
			     err);
	if (request == NULL)
		return -CORDON_E_MEMORY;
	*request = (struct request){.text = text, .srcpos = srcpos, .twice = confusable(text)};
	return 0;
}

/* Returns a warning about the contents of path, or NULL. */
static const char *
opens_what(const struct plan *plan, const char *path)
{
	if (secret_is_path(plan, path))
		return "secrets are kept there";
	if (plan->host->home != NULL && path_below(plan->host->home, path))
		return "your whole home is there, and everything secret in it";
	return NULL;
}

int
trust_requests_add_rule(struct plan *plan, const struct rule *rule, const char *path,
			const char *note, struct cordon_error *err)
{
	char words[RIGHTS_WORDS];
	struct request *request;
	int rc;

	policy_rights_to_words(rule->rights, words);
	rc = trust_requests_add(plan, rule->srcpos, err, "%s %s%s%s%s%s", words, rule->path,
				rule->match == MATCH_SUBPATH ? "" : " (",
				rule->match == MATCH_SUBPATH ? "" : match_names[rule->match],
				rule->match == MATCH_SUBPATH ? "" : ")", note);
	if (rc < 0)
		return rc;
	request = &plan->requests[plan->request_count - 1];
	request->path = path;
	if (request->twice == NULL && path != NULL)
		request->twice = opens_what(plan, path);
	return 0;
}

int
trust_requests_add_socket(struct plan *plan, const struct word *word, const char *path,
			  struct cordon_error *err)
{
	struct request *request;
	int rc = trust_requests_add(plan, word->srcpos, err, "the socket %s", word->text);

	if (rc < 0)
		return rc;
	request = &plan->requests[plan->request_count - 1];
	request->path = path;
	if (request->twice == NULL)
		request->twice = plan_socket_danger(path == NULL ? word->text : path);
	return 0;
}

int
plan_note_requests(struct plan *plan, struct cordon_error *err)
{
	auto_str struct str list = {0};
	size_t shown = plan->request_count < 4 ? plan->request_count : 3;

	if (plan->request_count == 0)
		return 0;
	for (size_t i = 0; i < shown; i++) {
		str_add(&list, i == 0 ? "" : ", ");
		str_visible(&list, plan->requests[i].text);
	}
	if (shown < plan->request_count)
		str_printf(&list, " and %zu more", plan->request_count - shown);
	if (list.failed)
		return cordon_no_memory(err);
	return plan_notice(
		plan, err,
		"%s requests permissions that were not approved: %.600s; `cordon trust` shows "
		"and grants it",
		plan->stack->project->file, list.text);
}
