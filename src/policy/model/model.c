// SPDX-License-Identifier: MIT
/* The policy object and the names of its parts. No file is read here. */
#include "policy/model/model.h"

#include <string.h>

const char *const right_names[RIGHT_KINDS] = {"read", "write", "create", "delete", "execute"};
static const char right_letters[RIGHT_KINDS + 1] = "rwcdx";
const char *const match_names[] = {"subpath", "literal", "child", "glob", "regex", NULL};
const char *const list_names[] = {"read", "write", "execute", "deny", "protect", "rules", NULL};
const char *const net_names[] = {"", "none", "localhost", "domains", "all", NULL};
const char *const ech_names[] = {"", "refuse", "allow", NULL};
const char *const tmp_names[] = {"", "private", "shared", NULL};
const char *const on_refusal_names[] = {"", "stop", "workaround", "smart", NULL};
const char *const event_log_names[] = {"", "file", "journal", "syslog", NULL};
const char *const ipc_names[] = {"", "none", "sysv", NULL};
const char *const env_names[] = {"", "explicit", "scrub", "developer", "inherit", NULL};
const char *const limit_names[LIMIT_COUNT] = {"time",	   "output",   "processes", "memory",
					      "file_size", "cpu_time", "open_files"};
const char *const layer_names[LAYER_COUNT] = {"built-in", "profile",	  "system",
					      "user",	  "command line", "project"};
const char *const system_names[2] = {"linux", "macos"};
const char *const dialect_names[] = {"", "native", "zed", "flow", "clash", NULL};

struct policy *
policy_new(const char *file, struct cordon_error *err)
{
	struct policy *policy = calloc(1, sizeof *policy);

	if (policy == NULL) {
		cordon_no_memory(err);
		return NULL;
	}
	policy->dialect = DIALECT_NATIVE;
	policy->file = arena_strdup(&policy->arena, file, err);
	if (policy->file == NULL)
		return policy_free(policy);
	return policy;
}

struct policy *
policy_free(struct policy *policy)
{
	if (policy != NULL)
		arena_free(&policy->arena);
	free(policy);
	return NULL;
}

unsigned
policy_list_rights(enum list list)
{
	static const unsigned rights[] = {
		[LIST_READ] = RIGHT_READ,
		[LIST_WRITE] = RIGHT_READ | RIGHTS_CHANGE,
		[LIST_EXECUTE] = RIGHT_READ | RIGHT_EXECUTE,
		[LIST_DENY] = RIGHTS_ALL,
		[LIST_PROTECT] = RIGHTS_CHANGE,
		[LIST_RULES] = 0,
	};

	return rights[list];
}

struct rule *
policy_add_rule(struct policy *policy, enum list list, const char *path, struct srcpos srcpos,
		struct cordon_error *err)
{
	struct rule *rule =
		arena_push(&policy->arena, &policy->rules, &policy->rule_count, sizeof *rule, err);

	if (rule == NULL)
		return NULL;
	*rule = (struct rule){
		.effect = list == LIST_DENY || list == LIST_PROTECT ? EFFECT_DENY : EFFECT_ALLOW,
		.rights = policy_list_rights(list),
		.list = list,
		.srcpos = srcpos,
	};
	rule->path = arena_strdup(&policy->arena, path, err);
	return rule->path == NULL ? NULL : rule;
}

int
policy_add_word(struct policy *policy, struct words *words, const char *text, struct srcpos srcpos,
		struct cordon_error *err)
{
	const struct word word = {arena_strdup(&policy->arena, text, err), srcpos};

	return word.text == NULL ? -CORDON_E_MEMORY
				 : policy_words_add(&policy->arena, words, &word, err);
}

bool
policy_words_have(const struct words *words, const char *text)
{
	for (size_t i = 0; i < words->count; i++)
		if (strcmp(words->items[i].text, text) == 0)
			return true;
	return false;
}

bool
policy_ports_have(const struct ports *ports, unsigned number)
{
	for (size_t i = 0; i < ports->count; i++)
		if (ports->items[i].number == number)
			return true;
	return false;
}

int
policy_words_add(struct arena *arena, struct words *to, const struct word *word,
		 struct cordon_error *err)
{
	struct word *slot = arena_push(arena, &to->items, &to->count, sizeof *slot, err);

	if (slot == NULL)
		return -CORDON_E_MEMORY;
	*slot = *word;
	return 0;
}

int
policy_ports_add(struct arena *arena, struct ports *to, const struct port *port,
		 struct cordon_error *err)
{
	struct port *slot = arena_push(arena, &to->items, &to->count, sizeof *slot, err);

	if (slot == NULL)
		return -CORDON_E_MEMORY;
	*slot = *port;
	return 0;
}

int
policy_rights_from_letters(const char *letters)
{
	unsigned rights = 0;

	for (; *letters != '\0'; letters++) {
		const char *found = strchr(right_letters, *letters);
		unsigned bit;

		if (found == NULL)
			return -1;
		bit = 1u << (found - right_letters);
		if (rights & bit)
			return -1;
		rights |= bit;
	}
	return (int)rights;
}

void
policy_rights_to_columns(unsigned rights, char *to)
{
	for (int i = 0; i < RIGHT_KINDS; i++)
		to[i] = (char)(rights & (1u << i) ? right_letters[i] : '-');
	to[RIGHT_KINDS] = '\0';
}

void
policy_rights_to_letters(unsigned rights, char *to)
{
	for (int i = 0; i < RIGHT_KINDS; i++)
		if (rights & (1u << i))
			*to++ = right_letters[i];
	*to = '\0';
}

void
policy_rights_to_words(unsigned rights, char *to)
{
	const char *between = "";

	strcpy(to, rights == 0 ? "none" : "");
	for (int i = 0; i < RIGHT_KINDS; i++) {
		if (!(rights & (1u << i)))
			continue;
		strcat(to, between);
		strcat(to, right_names[i]);
		between = " + ";
	}
}
