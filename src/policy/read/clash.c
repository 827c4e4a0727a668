// SPDX-License-Identifier: MIT
/*
 * Reader of clash's sandbox policy: default capabilities, rules, network; alone or as one of
 * several named ones. Capabilities are taken exactly as listed. All named policies are checked,
 * whichever is chosen.
 */
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/str.h"
#include "policy/model/value.h"
#include "policy/read/clash.h"
#include "policy/read/dialect_defaults.h"

/* ---- capabilities ---- */

static int
read_cap(struct policy_reading *r, const struct json *value, unsigned *rights)
{
	static const char *const names[] = {"read",    "write", "create", "delete",
					    "execute", "full",	"all",	  NULL};
	int index;
	int rc = read_name(r, value, names, &index);

	if (rc == 0)
		*rights |= index < RIGHT_KINDS ? 1u << index : (unsigned)RIGHTS_ALL;
	return rc;
}

static int
read_caps(struct policy_reading *r, const struct json *value, unsigned *ret_rights)
{
	unsigned rights = 0;

	if (value->type != JSON_ARRAY)
		return read_fail(r, value,
				 "\"%.40s\" must be a list of capabilities, such as "
				 "[\"read\", \"execute\"], not %s",
				 value->key, json_type_name(value));
	if (value->count == 0)
		return read_fail(r, value, "\"%.40s\" is empty; name at least one capability",
				 value->key);
	for (const struct json *item = value->first; item != NULL; item = item->next) {
		int rc = read_cap(r, item, &rights);

		if (rc < 0)
			return rc;
	}
	*ret_rights = rights;
	return 0;
}

/* ---- rules ---- */

static int
set_path(struct policy_reading *r, const struct json *value)
{
	auto_str struct str text = {0};
	struct rule *rule = read_last_rule(r);
	const char *reason = rule->match == MATCH_REGEX ? clash_pattern(value->string, &text)
							: clash_path(value->string, &text);

	if (text.failed)
		return cordon_no_memory(r->err);
	if (reason != NULL)
		return read_fail(r, value, "\"%.60s\" %s", value->string, reason);
	rule->srcpos = read_srcpos(r, value);
	rule->path = arena_strdup(&r->policy->arena, text.text, r->err);
	return rule->path == NULL ? -CORDON_E_MEMORY : 0;
}

static int
read_rule_caps(struct policy_reading *r, const struct json *value)
{
	return read_caps(r, value, &read_last_rule(r)->rights);
}

static int
read_path(struct policy_reading *r, const struct json *value)
{
	const char *text;

	/* its meaning depends on path_match, which may follow */
	return read_text(r, value, &text);
}

static int
read_path_match(struct policy_reading *r, const struct json *value)
{
	static const char *const names[] = {"subpath", "literal", "child_of", "", "regex", NULL};
	int match;
	int rc = read_name(r, value, names, &match);

	if (rc == 0)
		read_last_rule(r)->match = (enum match)match;
	return rc;
}

static int
read_doc(struct policy_reading *r, const struct json *value)
{
	const char *text;

	return value->type == JSON_NULL ? 0 : read_text(r, value, &text);
}

static int
read_rule_doc(struct policy_reading *r, const struct json *value)
{
	return value->type == JSON_NULL ? 0 : read_why(r, value);
}

/* Chooses the short list with the same meaning, for printing. */
static enum list
fitting_list(const struct rule *rule)
{
	if (rule->effect == EFFECT_DENY || rule->match != MATCH_SUBPATH || rule->why != NULL ||
	    rule->worktrees)
		return LIST_RULES;
	for (int list = LIST_READ; list <= LIST_EXECUTE; list++)
		if (rule->rights == policy_list_rights((enum list)list))
			return (enum list)list;
	return LIST_RULES;
}

/*
 * The profile that clash makes for macOS creates and removes files by "write" alone, and a deny of
 * it keeps both from happening. The deny is taken as meant there; an allow is taken as written.
 */
static int
warn_of_write(struct policy_reading *r, const struct json *caps, unsigned rights)
{
	const unsigned names = RIGHT_CREATE | RIGHT_DELETE;

	if (!(rights & RIGHT_WRITE) || (rights & names) == names)
		return 0;
	return read_hole(r, caps,
			 "\"write\" alone changes files that exist; list \"create\" and "
			 "\"delete\" too where clash on macOS makes and removes them");
}

static int
read_rule(struct policy_reading *r, const struct json *value)
{
	static const struct read_key keys[] = {
		{"effect", read_effect},
		{"caps", read_rule_caps},
		{"path", read_path},
		{"path_match", read_path_match},
		{"follow_worktrees", read_worktrees},
		{"doc", read_rule_doc},
	};
	static const char *const needed[] = {"effect", "caps", "path"};
	struct rule *rule =
		policy_add_rule(r->policy, LIST_RULES, "", read_srcpos(r, value), r->err);
	int rc;

	if (rule == NULL)
		return -CORDON_E_MEMORY;
	rule->match = MATCH_LITERAL;
	rc = read_keys(r, value, "a rule", keys, COUNT(keys));
	if (rc == 0)
		rc = read_check_members(r, value, needed, COUNT(needed));
	if (rc == 0)
		rc = set_path(r, json_member(value, "path"));
	if (rc < 0)
		return rc;
	rule->skips_missing = true;
	if (rule->effect == EFFECT_ALLOW)
		rc = warn_of_write(r, json_member(value, "caps"), rule->rights);
	else if (rule->rights & RIGHT_WRITE)
		rule->rights |= RIGHT_CREATE | RIGHT_DELETE;
	rule->list = fitting_list(rule);
	return rc;
}

static int
read_rules(struct policy_reading *r, const struct json *value)
{
	return read_list(r, value, read_rule);
}

/* ---- network ---- */

static int
read_localhost(struct policy_reading *r, const struct json *value)
{
	r->policy->network.mode = NET_LOCALHOST;
	return read_list(r, value, read_localhost_port);
}

/* In clash a bare name includes its subdomains. */
static int
read_clash_domain(struct policy_reading *r, const struct json *value)
{
	struct words *domains = &r->policy->network.domains;
	char wild[VALUE_DOMAIN_SIZE + 2];
	const char *name;
	int rc = read_domain(r, value);

	if (rc < 0)
		return rc;
	name = domains->items[domains->count - 1].text;
	if (str_starts(name, "*."))
		return 0;
	snprintf(wild, sizeof wild, "*.%s", name);
	return policy_add_word(r->policy, domains, wild, read_srcpos(r, value), r->err);
}

static int
read_allow_domains(struct policy_reading *r, const struct json *value)
{
	int rc = read_list(r, value, read_clash_domain);

	r->policy->network.mode = NET_DOMAINS;
	if (rc < 0)
		return rc;
	return read_hole(r, value,
			 "clash lets these names be reached on every port; cordon on 80 "
			 "and 443");
}

static int
read_network(struct policy_reading *r, const struct json *value)
{
	static const struct read_key keys[] = {
		{"localhost", read_localhost},
		{"allow_domains", read_allow_domains},
	};
	static const struct {
		const char *name;
		enum net_mode mode;
	} modes[] = {{"deny", NET_NONE}, {"allow", NET_ALL}, {"localhost", NET_LOCALHOST}};
	struct network *network = &r->policy->network;

	network->srcpos = read_srcpos(r, value);
	for (size_t i = 0; value->type == JSON_STRING && i < COUNT(modes); i++) {
		if (strcmp(value->string, modes[i].name) == 0) {
			network->mode = modes[i].mode;
			return 0;
		}
	}
	if (value->type != JSON_OBJECT || value->count != 1)
		return read_fail(r, value,
				 "\"network\" must be \"deny\", \"allow\", \"localhost\", "
				 "{\"localhost\": [ports]} or {\"allow_domains\": [names]}");
	return read_keys(r, value, "\"network\"", keys, COUNT(keys));
}

/* ---- whole policy ---- */

static int
read_default(struct policy_reading *r, const struct json *value)
{
	int rc;

	r->policy->has_default = true;
	r->policy->default_srcpos = read_srcpos(r, value);
	rc = read_caps(r, value, &r->policy->default_rights);
	return rc < 0 ? rc : warn_of_write(r, value, r->policy->default_rights);
}

static int
set_rest(struct policy_reading *r, const struct json *at)
{
	struct policy *policy = r->policy;
	struct rule *null;

	if (policy->network.mode == NET_UNSET) {
		policy->network.mode = NET_NONE;
		policy->network.srcpos = read_srcpos(r, at);
	}
	policy->has_extends = true;
	policy->tmp = TMP_PRIVATE;
	if (policy->on_refusal == ON_REFUSAL_UNSET)
		policy->on_refusal = ON_REFUSAL_STOP;
	policy->env.mode = ENV_SCRUB;
	policy->env.srcpos = policy->tmp_srcpos = read_srcpos(r, at);
	/* clash always allows it, whatever its rules say about /dev */
	null = policy_add_rule(policy, LIST_RULES, "/dev/null", read_srcpos(r, at), r->err);
	if (null == NULL)
		return -CORDON_E_MEMORY;
	null->rights = RIGHT_READ | RIGHT_WRITE;
	null->match = MATCH_LITERAL;
	null->optional = null->implied = true;
	if (dialect_defaults_grant_start(r, at) < 0)
		return -CORDON_E_MEMORY;
	return dialect_defaults_accept(r, at);
}

static int
add_holes(struct policy_reading *r, const struct json *at)
{
	int rc = read_hole(r, at, "clash passes the whole environment; cordon scrubs it");

	if (rc < 0)
		return rc;
	return read_hole(
		r, at,
		"clash starts commands where only a part can be enforced, and drops denies "
		"on Linux; cordon enforces all of it or refuses");
}

static int
read_policy(struct policy_reading *r, const struct json *value)
{
	static const struct read_key keys[] = {
		{"default", read_default},
		{"rules", read_rules},
		{"network", read_network},
		{"doc", read_doc},
		{"on_sandbox_violation", read_on_refusal},
	};
	int rc = read_keys(r, value, "the sandbox policy", keys, COUNT(keys));

	if (rc < 0)
		return rc;
	if (!r->policy->has_default)
		return read_fail(r, value, "the sandbox policy has no \"default\"");
	rc = set_rest(r, value);
	return rc == 0 ? add_holes(r, value) : rc;
}

static int
fail_choice(struct policy_reading *r, const struct json *sandboxes, const char *problem)
{
	auto_str struct str names = {0};

	for (const struct json *m = sandboxes->first; m != NULL; m = m->next)
		str_printf(&names, "%s\"%s\"", m == sandboxes->first ? "" : ", ", m->key);
	return read_fail(r, sandboxes, "%s; there are %s", problem,
			 names.failed || names.length == 0 ? "none" : names.text);
}

static int
choose(struct policy_reading *r, const struct json *sandboxes, const struct json **ret_chosen)
{
	const char *variant = r->as->variant;
	char problem[80];

	if (variant == NULL && sandboxes->count != 1)
		return fail_choice(r, sandboxes, "name one of its sandboxes (clash:FILE#NAME)");
	*ret_chosen = variant == NULL ? sandboxes->first : json_member(sandboxes, variant);
	if (*ret_chosen != NULL)
		return 0;
	snprintf(problem, sizeof problem, "there is no sandbox \"%.40s\"", variant);
	return fail_choice(r, sandboxes, problem);
}

/* Reads a policy that was not chosen, for its errors. */
static int
check_policy(struct policy_reading *r, const struct json *value)
{
	auto_policy struct policy *scratch = policy_new(r->policy->file, r->err);
	struct policy_reading other = {scratch, r->as, r->err};

	return scratch == NULL ? -CORDON_E_MEMORY : read_policy(&other, value);
}

static int
read_sandboxes(struct policy_reading *r, const struct json *value)
{
	const struct json *chosen = NULL;
	int rc;

	if (value->type != JSON_OBJECT)
		return read_fail(r, value,
				 "\"sandboxes\" must be an object of names and policies, "
				 "not %s",
				 json_type_name(value));
	rc = choose(r, value, &chosen);
	for (const struct json *m = value->first; rc == 0 && m != NULL; m = m->next)
		rc = m == chosen ? read_policy(r, m) : check_policy(r, m);
	return rc;
}

int
clash_read(struct policy_reading *r, const struct json *value)
{
	static const struct read_key keys[] = {
		{"sandboxes", read_sandboxes},
		{"on_sandbox_violation", read_on_refusal},
		{"doc", read_doc},
	};

	if (value->type == JSON_OBJECT && json_member(value, "sandboxes") != NULL)
		return read_keys(r, value, "a text with \"sandboxes\"", keys, COUNT(keys));
	if (r->as->variant != NULL)
		return read_fail(r, value,
				 "this text holds one policy without a name, so "
				 "\"%.40s\" cannot be chosen from it",
				 r->as->variant);
	return read_policy(r, value);
}
