// SPDX-License-Identifier: MIT
/* Expands a profile that was read when cordon was built. Nothing here can fail but for want of memory. */
#include "sources/profile_form.h"

static struct srcpos
place_of(const struct policy *policy, struct form_place srcpos)
{
	if (srcpos.line == 0)
		return (struct srcpos){0};
	return (struct srcpos){policy->file, srcpos.line, srcpos.column};
}

static int
expand_words(const struct profile_forms *forms, struct form_span span, struct policy *policy,
	     struct words *to, struct cordon_error *err)
{
	for (size_t i = 0; i < span.count; i++) {
		const struct form_word *form = &forms->words[span.first + i];
		const struct word word = {forms->texts + form->text,
					  place_of(policy, form->srcpos)};

		if (policy_words_add(&policy->arena, to, &word, err) < 0)
			return -CORDON_E_MEMORY;
	}
	return 0;
}

static int
expand_ports(const struct profile_forms *forms, struct form_span span, struct policy *policy,
	     struct cordon_error *err)
{
	for (size_t i = 0; i < span.count; i++) {
		const struct form_word *form = &forms->words[span.first + i];
		const struct port port = {form->text, place_of(policy, form->srcpos)};

		if (policy_ports_add(&policy->arena, &policy->network.ports, &port, err) < 0)
			return -CORDON_E_MEMORY;
	}
	return 0;
}

static int
expand_env_set(const struct profile_forms *forms, struct form_span span, struct policy *policy,
	       struct cordon_error *err)
{
	const struct form_word *form = &forms->words[span.first];
	struct environment *env = &policy->env;

	for (size_t i = 0; i < span.count; i += 2) {
		struct env_set *slot =
			arena_push(&policy->arena, &env->set, &env->set_count, sizeof *slot, err);

		if (slot == NULL)
			return -CORDON_E_MEMORY;
		*slot = (struct env_set){forms->texts + form[i].text,
					 forms->texts + form[i + 1].text,
					 place_of(policy, form[i].srcpos)};
	}
	return 0;
}

static struct rule
rule_of(const struct profile_forms *forms, const struct form_rule *form,
	const struct policy *policy)
{
	return (struct rule){
		.effect = (enum effect)form->effect,
		.rights = form->rights,
		.match = (enum match)form->match,
		.list = (enum list)form->list,
		.path = forms->texts + form->path,
		.why = form->why == 0 ? NULL : forms->texts + form->why,
		.worktrees = form->worktrees,
		.optional = form->optional,
		.implied = form->implied,
		.skips_missing = form->skips_missing,
		.srcpos = place_of(policy, form->srcpos),
	};
}

static int
expand_rules(const struct profile_forms *forms, struct form_span span, struct policy *policy,
	     struct cordon_error *err)
{
	if (span.count == 0)
		return 0;
	policy->rules = arena_array(&policy->arena, span.count, sizeof policy->rules[0], err);
	if (policy->rules == NULL)
		return -CORDON_E_MEMORY;
	policy->rule_count = span.count;
	for (size_t i = 0; i < span.count; i++)
		policy->rules[i] = rule_of(forms, &forms->rules[span.first + i], policy);
	return 0;
}

static void
expand_values(const struct profile_form *form, struct policy *policy)
{
	policy->has_extends = form->has_extends;
	policy->has_default = form->has_default;
	policy->default_rights = form->default_rights;
	policy->default_srcpos = place_of(policy, form->default_srcpos);
	policy->network.mode = (enum net_mode)form->net;
	policy->network.srcpos = place_of(policy, form->net_place);
	policy->env.mode = (enum env_mode)form->env;
	policy->env.srcpos = place_of(policy, form->env_place);
	policy->tmp = (enum tmp)form->tmp;
	policy->tmp_srcpos = place_of(policy, form->tmp_srcpos);
}

int
profile_form_expand(const struct profile_forms *forms, const struct profile_form *form,
		    const char *file, enum system system, struct policy **ret_policy,
		    struct cordon_error *err)
{
	auto_policy struct policy *policy = policy_new(file, err);

	if (policy == NULL)
		return -CORDON_E_MEMORY;
	policy->system = system;
	expand_values(form, policy);
	if (expand_rules(forms, form->rules, policy, err) < 0 ||
	    expand_words(forms, form->extends, policy, &policy->extends, err) < 0 ||
	    expand_words(forms, form->domains, policy, &policy->network.domains, err) < 0 ||
	    expand_words(forms, form->sockets, policy, &policy->sockets, err) < 0 ||
	    expand_words(forms, form->env_allow, policy, &policy->env.allow, err) < 0 ||
	    expand_words(forms, form->accept, policy, &policy->accept, err) < 0 ||
	    expand_ports(forms, form->ports, policy, err) < 0 ||
	    expand_env_set(forms, form->env_set, policy, err) < 0)
		return -CORDON_E_MEMORY;
	*ret_policy = take(&policy);
	return 0;
}
