// SPDX-License-Identifier: MIT
/* Collects and merges options, and prints the policy. */
#include "explain/learned.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/path.h"
#include "explain/option_member.h"
#include "explain/remedy.h"
#include "explain/unwise.h"

#define TOGETHER 3     /* so many files of one folder become the folder */
#define LEFT_OUT_MAX 4 /* lines about what was left out */
#define VALUES_MAX 64  /* of one member */

/* ---- collecting ---- */

static struct learned_item *
find(const struct learned *learned, const char *option, const char *reason)
{
	for (size_t i = 0; i < learned->count; i++)
		if (strcmp(learned->items[i].option, option) == 0 &&
		    (*option != '\0' || strcmp(learned->items[i].reason, reason) == 0))
			return &learned->items[i];
	return NULL;
}

static int
add(struct learned *learned, const char *option, const char *reason, struct cordon_error *err)
{
	struct learned_item *item;

	if (find(learned, option, reason) != NULL)
		return 0;
	item = arena_push(&learned->arena, &learned->items, &learned->count, sizeof *item, err);
	if (item == NULL)
		return -CORDON_E_MEMORY;
	item->is_given = item->is_asked = false;
	item->option = arena_strdup(&learned->arena, option, err);
	item->reason = arena_strdup(&learned->arena, reason, err);
	return item->option == NULL || item->reason == NULL ? -CORDON_E_MEMORY : 0;
}

/* The folder of the file that an option such as "--read PATH" names; false for other options. */
static bool
folder_of(const char *option, char to[PATH_MAX])
{
	auto_str struct str path = {0};
	size_t length = 0;

	for (size_t i = 0; i < OPTION_MEMBERS && path.length == 0; i++)
		if (strcmp(option_members[i].section, "files") == 0)
			option_member_read(&option_members[i], option, &path);
	if (path.failed || path.length == 0 || path.length >= PATH_MAX || *path.text != '/')
		return false;
	if (path.text[path.length - 1] == '/')
		path.text[path.length - 1] = '\0';
	length = (size_t)(path_last(path.text) - path.text);
	memcpy(to, path.text, length);
	to[length > 1 ? length - 1 : 1] = '\0';
	return length > 1;
}

/* Is it an option of this kind for a file in the folder? */
static bool
is_in(const char *option, const char *kind, const char *folder)
{
	char other[PATH_MAX];

	return strncmp(option, kind, strcspn(kind, " ") + 1) == 0 && folder_of(option, other) &&
	       strcmp(other, folder) == 0;
}

static void
remove_in(struct learned *learned, const char *kind, const char *folder)
{
	size_t kept = 0;

	for (size_t i = 0; i < learned->count; i++)
		if (!is_in(learned->items[i].option, kind, folder))
			learned->items[kept++] = learned->items[i];
	learned->count = kept;
}

/* Replaces the first group of files in one folder by the folder. Returns 0 if there is none. */
static int
merge_one(struct learned *learned, const struct plan *plan, struct cordon_error *err)
{
	for (size_t i = 0; i < learned->count; i++) {
		const struct learned_item first = learned->items[i];
		auto_str struct str option = {0}, kind = {0};
		char folder[PATH_MAX];
		size_t count = 0;
		int rc;

		if (!folder_of(first.option, folder) || unwise_folder(plan, folder))
			continue;
		for (size_t j = i; j < learned->count; j++)
			count += is_in(learned->items[j].option, first.option, folder);
		if (count < TOGETHER)
			continue;
		str_add_n(&kind, first.option, strcspn(first.option, " "));
		remedy_print_option(kind.failed ? "" : kind.text, folder, &option);
		if (option.failed || kind.failed)
			return cordon_no_memory(err);
		remove_in(learned, first.option, folder);
		rc = add(learned, option.text, first.reason, err);
		return rc < 0 ? rc : 1;
	}
	return 0;
}

int
learned_add(struct learned *learned, const struct denials *denials, const struct plan *plan,
	    struct cordon_error *err)
{
	int rc = 0;

	for (size_t i = 0; i < denials->count && rc == 0; i++) {
		const struct denial *denial = &denials->items[i];
		auto_str struct str reason = {0};

		str_printf(&reason, "%s %s", denial->what, denial->subject);
		if (reason.failed)
			return cordon_no_memory(err);
		rc = add(learned, *denial->allow == '-' ? denial->allow : "", reason.text, err);
	}
	while (rc == 0 && (rc = merge_one(learned, plan, err)) > 0)
		rc = 0;
	return rc;
}

void
learned_free(struct learned *learned)
{
	arena_free(&learned->arena);
	*learned = (struct learned){0};
}

/* ---- printing ---- */

/* A path below the project or the home, as policies name it. */
static void
print_path(const struct plan *plan, const char *path, struct str *to)
{
	const char *project = plan->host->project, *home = plan->host->home;
	auto_str struct str text = {0};

	if (*project != '\0' && path_below(path, project))
		str_printf(&text, "$PROJECT%s", path + strlen(project));
	else if (home != NULL && strcmp(home, "/") != 0 && path_below(path, home))
		str_printf(&text, "~%s", path + strlen(home));
	else
		str_add(&text, path);
	str_json(to, text.failed ? "" : text.text);
}

/* What the command chose ends no comment. */
static void
print_comment(const char *reason, struct str *to)
{
	str_add(to, " // ");
	str_visible(to, reason);
}

/* Items of one member that are given; returns their number. */
static size_t
list(const struct learned *learned, const struct option_member *member,
     const struct learned_item **to)
{
	size_t count = 0;

	for (size_t i = 0; i < learned->count && count < VALUES_MAX; i++)
		if (learned->items[i].is_given &&
		    str_starts(learned->items[i].option, member->option))
			to[count++] = &learned->items[i];
	return count;
}

static void
print_value(const struct plan *plan, const struct option_member *member, const char *option,
	    struct str *to)
{
	auto_str struct str value = {0};

	if (!option_member_read(member, option, &value))
		to->failed = true;
	else if (member->is_number)
		str_add(to, value.text);
	else if (strcmp(member->section, "files") == 0)
		print_path(plan, value.text, to);
	else
		str_json(to, value.text);
}

/* One value in a line, with its reason. */
static void
print_member(const struct plan *plan, const struct option_member *member,
	     const struct learned_item *const *items, size_t count, struct str *to)
{
	const char *indent = *member->section == '\0' ? "  " : "    ";
	bool extends = strcmp(member->key, "extends") == 0;

	str_printf(to, "%s\"%s\": ", indent, member->key);
	if (!member->is_list) {
		print_value(plan, member, items[0]->option, to);
		return;
	}
	str_add(to, "[");
	if (extends) {
		str_printf(to, "\n%s  ", indent);
		str_json(to, denials_base(plan));
		str_add(to, count > 0 ? "," : "");
	}
	for (size_t i = 0; i < count; i++) {
		str_printf(to, "\n%s  ", indent);
		print_value(plan, member, items[i]->option, to);
		str_add(to, i + 1 < count ? "," : "");
		print_comment(items[i]->reason, to);
	}
	str_printf(to, "\n%s]", indent);
}

static void
print_members(const struct learned *learned, const struct plan *plan, struct str *to)
{
	const char *section = "";

	for (size_t i = 0; i < OPTION_MEMBERS; i++) {
		const struct option_member *member = &option_members[i];
		const struct learned_item *items[VALUES_MAX];
		size_t count = list(learned, member, items);

		if (count == 0 || member == OPTION_EXTENDS)
			continue;
		if (strcmp(section, member->section) == 0) {
			str_add(to, ",\n");
		} else {
			str_add(to, *section == '\0' ? ",\n" : "\n  },\n");
			if (*member->section != '\0')
				str_printf(to, "  \"%s\": {\n", member->section);
		}
		section = member->section;
		print_member(plan, member, items, count, to);
	}
	str_add(to, *section == '\0' ? "\n" : "\n  }\n");
}

static void
print_left_out(const struct learned *learned, struct str *to)
{
	size_t count = 0;

	for (size_t i = 0; i < learned->count; i++) {
		const struct learned_item *item = &learned->items[i];

		if (item->is_given || count++ >= LEFT_OUT_MAX)
			continue;
		str_add(to, count == 1 ? "\n// Left out:" : "\n//");
		str_add(to, " ");
		str_visible(to, item->reason);
		str_add(to, *item->option == '\0' ? " (no option may be suggested)"
						  : " (not confirmed, or not needed)");
	}
	if (count > LEFT_OUT_MAX)
		str_printf(to, "\n// and %zu more", count - LEFT_OUT_MAX);
	str_add(to, "\n");
}

void
learned_print(const struct learned *learned, const struct plan *plan, char *const *argv,
	      struct str *to)
{
	const struct learned_item *profiles[VALUES_MAX];
	size_t count = list(learned, OPTION_EXTENDS, profiles);

	str_add(to,
		"// What this command needed, by `cordon learn`; read it before you use it:\n//");
	for (size_t i = 0; argv[i] != NULL; i++) {
		str_add(to, " ");
		str_visible(to, argv[i]);
	}
	str_add(to, "\n{\n");
	print_member(plan, OPTION_EXTENDS, profiles, count, to);
	print_members(learned, plan, to);
	str_add(to, "}");
	print_left_out(learned, to);
}

void
learned_print_diff(const struct learned *learned, const struct plan *plan, struct str *to)
{
	for (size_t i = 0; i < OPTION_MEMBERS; i++) {
		const struct option_member *member = &option_members[i];
		const struct learned_item *items[VALUES_MAX];
		size_t count = list(learned, member, items);

		for (size_t j = 0; j < count; j++) {
			str_printf(to, "+ %s%s%s ", member->section,
				   *member->section == '\0' ? "" : ".", member->key);
			print_value(plan, member, items[j]->option, to);
			print_comment(items[j]->reason, to);
			str_add(to, "\n");
		}
	}
}
