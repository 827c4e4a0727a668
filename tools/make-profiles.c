// SPDX-License-Identifier: MIT
/*
 * Writes the built-in profiles in the form of sources/profile_form.h to stdout, at build time. They are read by the
 * program's own reader. What the form has no place for is an error, so nothing of a profile is lost.
 *
 *   make-profiles linux|darwin FILE...
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fd.h"
#include "policy/read/reader.h"
#include "sources/profile_form.h"

#define TEXTS_MAX UINT16_MAX
#define ITEMS_MAX 4096

struct making {
	char texts[TEXTS_MAX];
	size_t text_length;
	struct form_rule rules[ITEMS_MAX];
	struct form_word words[ITEMS_MAX];
	uint16_t rule_count, word_count;
};

static _Noreturn void
die(const char *name, const char *what)
{
	fprintf(stderr, "make-profiles: %s: %s\n", name, what);
	exit(1);
}

/* Returns the offset of text, which is added unless the pool has it; 0 for NULL. */
static uint16_t
form_text(struct making *m, const char *text)
{
	size_t length, at = 1;

	if (text == NULL)
		return 0;
	length = strlen(text) + 1;
	while (at < m->text_length && strcmp(m->texts + at, text) != 0)
		at += strlen(m->texts + at) + 1;
	if (at + length > TEXTS_MAX)
		die(text, "the texts have no room");
	if (at >= m->text_length) {
		memcpy(m->texts + at, text, length);
		m->text_length = at + length;
	}
	return (uint16_t)at;
}

static struct form_place
form_place(const struct srcpos *srcpos)
{
	if (srcpos->line > UINT16_MAX || srcpos->column > UINT16_MAX)
		die(srcpos->file, "a line or column is too large");
	return (struct form_place){(uint16_t)srcpos->line, (uint16_t)srcpos->column};
}

static void
add_word(struct making *m, uint16_t text, const struct srcpos *srcpos)
{
	if (m->word_count == ITEMS_MAX)
		die(srcpos->file, "the words have no room");
	m->words[m->word_count++] = (struct form_word){text, form_place(srcpos)};
}

static struct form_span
form_words(struct making *m, const struct words *words)
{
	struct form_span span = {m->word_count, (uint16_t)words->count};

	for (size_t i = 0; i < words->count; i++)
		add_word(m, form_text(m, words->items[i].text), &words->items[i].srcpos);
	return span;
}

static struct form_span
form_ports(struct making *m, const struct ports *ports)
{
	struct form_span span = {m->word_count, (uint16_t)ports->count};

	for (size_t i = 0; i < ports->count; i++)
		add_word(m, ports->items[i].number, &ports->items[i].srcpos);
	return span;
}

static struct form_span
form_env_set(struct making *m, const struct environment *env)
{
	struct form_span span = {m->word_count, (uint16_t)(env->set_count * 2)};

	for (size_t i = 0; i < env->set_count; i++) {
		add_word(m, form_text(m, env->set[i].name), &env->set[i].srcpos);
		add_word(m, form_text(m, env->set[i].value), &env->set[i].srcpos);
	}
	return span;
}

static struct form_rule
form_rule(struct making *m, const struct rule *rule)
{
	return (struct form_rule){
		.path = form_text(m, rule->path),
		.why = form_text(m, rule->why),
		.srcpos = form_place(&rule->srcpos),
		.effect = (uint8_t)rule->effect,
		.rights = (uint8_t)rule->rights,
		.match = (uint8_t)rule->match,
		.list = (uint8_t)rule->list,
		.worktrees = rule->worktrees,
		.optional = rule->optional,
		.implied = rule->implied,
		.skips_missing = rule->skips_missing,
	};
}

static struct form_span
form_rules(struct making *m, const struct policy *policy)
{
	struct form_span span = {m->rule_count, (uint16_t)policy->rule_count};

	if (policy->rule_count > (size_t)(ITEMS_MAX - m->rule_count))
		die(policy->file, "the rules have no room");
	for (size_t i = 0; i < policy->rule_count; i++)
		m->rules[m->rule_count++] = form_rule(m, &policy->rules[i]);
	return span;
}

static struct profile_form
form_profile(struct making *m, const struct policy *policy)
{
	return (struct profile_form){
		.has_extends = policy->has_extends,
		.net = (uint8_t)policy->network.mode,
		.env = (uint8_t)policy->env.mode,
		.tmp = (uint8_t)policy->tmp,
		.has_default = policy->has_default,
		.default_rights = (uint8_t)policy->default_rights,
		.default_srcpos = form_place(&policy->default_srcpos),
		.net_place = form_place(&policy->network.srcpos),
		.env_place = form_place(&policy->env.srcpos),
		.tmp_srcpos = form_place(&policy->tmp_srcpos),
		.rules = form_rules(m, policy),
		.extends = form_words(m, &policy->extends),
		.domains = form_words(m, &policy->network.domains),
		.sockets = form_words(m, &policy->sockets),
		.env_allow = form_words(m, &policy->env.allow),
		.accept = form_words(m, &policy->accept),
		.ports = form_ports(m, &policy->network.ports),
		.env_set = form_env_set(m, &policy->env),
	};
}

/* Has the policy a value that the form has no place for? */
static void
check_complete(const struct policy *policy)
{
	struct policy rest = *policy;
	static const struct policy nothing;

	rest.arena = nothing.arena;
	rest.file = NULL;
	rest.dialect = nothing.dialect;
	rest.system = nothing.system;
	rest.has_extends = rest.has_default = false;
	rest.default_rights = 0;
	rest.rules = NULL;
	rest.rule_count = 0;
	rest.network.mode = NET_UNSET;
	rest.env.mode = ENV_UNSET;
	rest.tmp = TMP_UNSET;
	rest.network.srcpos = rest.env.srcpos = rest.tmp_srcpos = rest.default_srcpos =
		nothing.tmp_srcpos;
	rest.extends = rest.network.domains = rest.sockets = rest.env.allow = rest.accept =
		nothing.accept;
	rest.network.ports = nothing.network.ports;
	rest.env.set = NULL;
	rest.env.set_count = 0;
	if (memcmp(&rest, &nothing, sizeof rest) != 0)
		die(policy->file, "has a value that sources/profile_form.h has no member for");
}

static struct profile_form
read_profile(struct making *m, const char *path, enum system system)
{
	const struct reading_as as = {.dialect = DIALECT_NATIVE, .system = system};
	struct cordon_error err = {0};
	struct policy *policy = NULL;
	struct profile_form form;
	struct arena arena = {0};
	size_t length;
	char *text;

	if (fd_read_file(&arena, path, 1 << 20, &text, &length, NULL, &err) < 0 ||
	    policy_read(path, text, length, &as, &policy, &err) < 0)
		die(path, err.text);
	check_complete(policy);
	form = form_profile(m, policy);
	policy_free(policy);
	arena_free(&arena);
	return form;
}

/* ---- output ---- */

static void
print_place(struct form_place srcpos)
{
	printf("{%u,%u},", srcpos.line, srcpos.column);
}

static void
print_span(struct form_span span)
{
	printf("{%u,%u},", span.first, span.count);
}

static void
print_form(const struct profile_form *form)
{
	printf("{%d,%d,%u,%u,%u,%u,", form->has_extends, form->has_default, form->default_rights,
	       form->net, form->env, form->tmp);
	print_place(form->default_srcpos);
	print_place(form->net_place);
	print_place(form->env_place);
	print_place(form->tmp_srcpos);
	print_span(form->rules);
	print_span(form->extends);
	print_span(form->domains);
	print_span(form->sockets);
	print_span(form->env_allow);
	print_span(form->accept);
	print_span(form->ports);
	print_span(form->env_set);
	printf("},\n");
}

static void
print_rule(const struct form_rule *rule)
{
	printf("{%u,%u,", rule->path, rule->why);
	print_place(rule->srcpos);
	printf("%u,%u,%u,%u,%d,%d,%d,%d},\n", rule->effect, rule->rights, rule->match, rule->list,
	       rule->worktrees, rule->optional, rule->implied, rule->skips_missing);
}

static void
print_tables(const struct making *m)
{
	printf("static const struct form_rule form_rules[] = {\n");
	for (size_t i = 0; i < m->rule_count; i++)
		print_rule(&m->rules[i]);
	printf("};\nstatic const struct form_word form_words[] = {\n");
	for (size_t i = 0; i < m->word_count; i++) {
		printf("{%u,", m->words[i].text);
		print_place(m->words[i].srcpos);
		printf("},\n");
	}
	printf("};\nstatic const char form_texts[] = {");
	for (size_t i = 0; i < m->text_length; i++)
		printf("%s%d,", i % 32 == 0 ? "\n" : "", m->texts[i]);
	printf("\n};\n");
}

int
main(int argc, char **argv)
{
	static struct making m = {.text_length = 1};
	bool is_linux = argc > 1 && strcmp(argv[1], "linux") == 0;

	printf("#define FORMS_SYSTEM %s\n", is_linux ? "SYSTEM_LINUX" : "SYSTEM_MACOS");
	printf("/* in the order of the profiles */\nstatic const struct profile_form forms[] = {\n");
	for (int i = 2; i < argc; i++) {
		struct profile_form form =
			read_profile(&m, argv[i], is_linux ? SYSTEM_LINUX : SYSTEM_MACOS);

		print_form(&form);
	}
	printf("};\n");
	print_tables(&m);
	return argc < 3 || fflush(stdout) != 0;
}
