// SPDX-License-Identifier: MIT
/* The functions cordon_plan_* of the public header. */
#include "discover/context.h"
#include "enforce/enforce.h"
#include "explain/print_text.h"
#include "explain/why.h"
#include "sources/profile.h"

int
cordon_plan_new(const struct cordon_setup *setup, struct cordon_plan **ret_plan,
		struct cordon_error *err)
{
	auto_context struct cordon_plan *context = NULL;
	int rc;

	/* an allocation failure that the caller did not check */
	if (setup == NULL)
		return cordon_fail(err, CORDON_E_USAGE, 0, "there is no setup to make a plan from");
	rc = context_open(setup, CONTEXT_RUN, &context, err);
	if (rc == 0)
		rc = context_plan(context, setup, CONTEXT_RUN, NULL, err);
	if (rc < 0)
		return rc;
	*ret_plan = take(&context);
	return 0;
}

const char *
cordon_plan_notice(const struct cordon_plan *context, size_t index)
{
	return index < context->plan->notice_count ? context->plan->notices[index] : NULL;
}

int
cordon_plan_gaps(const struct cordon_plan *context)
{
	return plan_gaps(context->plan);
}

const char *
cordon_plan_gap(const struct cordon_plan *context, size_t index)
{
	return index < context->gap_count ? context->gaps[index] : NULL;
}

int
cordon_plan_check(const struct cordon_plan *context, struct cordon_error *err)
{
	return context->assumed ? 0 : plan_check_missing(context->plan, err);
}

int
cordon_plan_print(const struct cordon_plan *context, enum cordon_format format, int verbose,
		  char **ret_text, struct cordon_error *err)
{
	auto_str struct str text = {0};
	int rc = 0;

	if (format == CORDON_JSON && !context->assumed)
		rc = enforce_probe_notify(&context->plan->facts, err);
	if (rc < 0)
		return rc;
	if (format == CORDON_JSON)
		print_json_plan(context->plan, &text);
	else
		print_text_plan(context->plan, verbose, &text);
	return str_finish(&text, ret_text, err);
}

/*
 * Works on a copy of the plan that knows this host's file name spelling, because other threads may query
 * the plan.
 */
static int
answer_here(const struct cordon_plan *context, const char *what, const char *subject, bool json,
	    struct str *to, struct cordon_error *err)
{
	struct plan plan = *context->plan;
	struct host host = *plan.host;
	struct spelling *spelling = NULL;
	int rc = 0;

	plan.host = &host;
	if (!context_plans_other_os(context))
		rc = enforce_spelling(&plan, &spelling, err);
	host.spelling = spelling;
	if (rc == 0)
		rc = why_answer(&plan, what, subject, json, to, err);
	enforce_spelling_free(spelling);
	return rc;
}

int
cordon_plan_why(const struct cordon_plan *context, const char *what, const char *subject,
		enum cordon_format format, char **ret_text, struct cordon_error *err)
{
	auto_str struct str text = {0};
	int answer = answer_here(context, what, subject, format == CORDON_JSON, &text, err);
	int rc;

	if (answer < 0)
		return answer;
	rc = str_finish(&text, ret_text, err);
	return rc < 0 ? rc : answer;
}

const char *
cordon_profile(size_t index)
{
	const struct profile *profile = profile_at(index);

	return profile == NULL ? NULL : profile->name;
}
