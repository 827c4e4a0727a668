// SPDX-License-Identifier: MIT
/* Items in the JSON settings of other programs: put in, taken out, and servers wrapped. */
#include <string.h>

#include "base/array.h"
#include "base/json_edit.h"
#include "base/path.h"
#include "cli/setup.h"

/* ---- items ---- */

static bool
has_text(const char *text, const struct json *value, const char *part)
{
	size_t length = strlen(part);

	for (size_t at = value->start; at + length <= value->end; at++)
		if (memcmp(text + at, part, length) == 0)
			return true;
	return false;
}

/* The container at the keys, or as far as there are any. Returns the number of keys that were found. */
static size_t
walk(const struct json *root, const struct setup_item *item, const struct json **ret_at)
{
	size_t depth = 0;

	*ret_at = root;
	for (; depth < COUNT(item->keys) && item->keys[depth] != NULL; depth++) {
		const struct json *next = (*ret_at)->type != JSON_OBJECT
						  ? NULL
						  : json_member(*ret_at, item->keys[depth]);

		if (next == NULL)
			break;
		*ret_at = next;
	}
	return depth;
}

static size_t
count_keys(const struct setup_item *item)
{
	size_t count = 0;

	while (count < COUNT(item->keys) && item->keys[count] != NULL)
		count++;
	return count;
}

/* Our item, or a container of it that is empty. */
static const struct json *
find_own(const char *text, const struct json *root, const struct setup_item *item,
	 bool *ret_is_item)
{
	const struct json *at;
	size_t depth = walk(root, item, &at);

	*ret_is_item = false;
	if (depth > 0 && at->count == 0 && (at->type == JSON_OBJECT || at->type == JSON_ARRAY))
		return at;
	if (depth < count_keys(item))
		return NULL;
	*ret_is_item = true;
	for (const struct json *one = at->first; one != NULL; one = one->next)
		if ((item->name == NULL || strcmp(one->key, item->name) == 0) &&
		    has_text(text, one, item->ours))
			return one;
	return NULL;
}

static int
take_out(struct setup *setup, struct setup_file *file, const struct setup_item *item)
{
	bool is_item, taken = false;
	int rc = 0;

	while (rc == 0) {
		auto_str struct str to = {0};
		const struct json *root, *own;

		rc = setup_read(setup, file, &root);
		own = rc < 0 ? NULL : find_own(file->after, root, item, &is_item);
		/* containers that were empty before stay */
		if (own == NULL || (!is_item && !taken))
			break;
		json_edit_delete(file->after, own, &to);
		taken = true;
		rc = setup_change(setup, file, &to);
	}
	return rc;
}

/* Makes the first container that is missing, or puts the item in. Returns 1 if more is to be done. */
static int
put_step(struct setup *setup, struct setup_file *file, const struct setup_item *item)
{
	size_t depth, last = count_keys(item);
	auto_str struct str to = {0};
	const struct json *root, *at;
	enum json_type wanted;
	int rc = setup_read(setup, file, &root);

	if (rc < 0)
		return rc;
	depth = walk(root, item, &at);
	wanted = depth == last && item->name == NULL ? JSON_ARRAY : JSON_OBJECT;
	if (at->type != wanted)
		return cordon_fail_at(setup->err, CORDON_E_SYNTAX, file->path, at->line, at->column,
				      "%s is expected here, not %s",
				      wanted == JSON_ARRAY ? "a list" : "an object",
				      json_type_name(at));
	if (depth == last && item->name != NULL && json_member(at, item->name) != NULL)
		return cordon_fail_at(setup->err, CORDON_E_USAGE, file->path,
				      json_member(at, item->name)->key_line, at->column,
				      "\"%s\" is set already; remove it first", item->name);
	json_edit_insert(file->after, at, depth == last ? item->name : item->keys[depth],
			 depth == last				   ? item->value
			 : depth + 1 == last && item->name == NULL ? "[]"
								   : "{}",
			 &to);
	rc = setup_change(setup, file, &to);
	return rc < 0 ? rc : depth < last;
}

int
setup_put_item(struct setup *setup, struct setup_file *file, const struct setup_item *item)
{
	int rc = take_out(setup, file, item);

	if (rc < 0 || setup->remove)
		return rc;
	do
		rc = put_step(setup, file, item);
	while (rc == 1);
	return rc;
}

/* ---- servers ---- */

/* The profile that a program needs which fetches and runs other programs. */
static const char *
profile_of(const char *command)
{
	static const struct {
		const char *program, *profile;
	} rows[] = {{"npx", "node"},	  {"node", "node"},	 {"npm", "node"},
		    {"pnpm", "node"},	  {"bun", "node"},	 {"bunx", "node"},
		    {"deno", "node"},	  {"uvx", "python"},	 {"uv", "python"},
		    {"python", "python"}, {"python3", "python"}, {"pipx", "python"}};

	for (size_t i = 0; i < COUNT(rows); i++)
		if (strcmp(rows[i].program, path_last(command)) == 0)
			return rows[i].profile;
	return NULL;
}

/* Number of the first element behind "run", options and "--" in the arguments of a wrapped server; 0: not wrapped. */
static size_t
wrapped_at(const struct json *command, const struct json *args)
{
	size_t at = 0;

	if (strcmp(path_last(command->string), "cordon") != 0 || args == NULL ||
	    args->type != JSON_ARRAY || args->first == NULL || args->first->type != JSON_STRING ||
	    strcmp(args->first->string, "run") != 0)
		return 0;
	for (const struct json *one = args->first; one != NULL; one = one->next, at++)
		if (one->type == JSON_STRING && strcmp(one->string, "--") == 0)
			return one->next == NULL ? 0 : at + 1;
	return 0;
}

static void
print_head(const struct setup *setup, const char *command, struct str *to)
{
	const char *profile = profile_of(command);

	str_add(to, "\"run\"");
	if (profile != NULL)
		str_printf(to, ", \"-p\", \"%s\"", profile);
	for (size_t i = 0; setup->options[i] != NULL; i++) {
		str_add(to, ", ");
		str_json(to, setup->options[i]);
	}
	str_add(to, ", \"--\", ");
	str_json(to, command);
}

/* Both in one pass from the end, so that offsets stay valid. */
static void
wrap(const struct setup *setup, const char *text, const struct json *command,
     const struct json *args, struct str *to)
{
	const struct json *first = args == NULL || command->start < args->start ? command : args;
	size_t at = 0;

	for (int i = 0; i < 2; i++) {
		const struct json *value = (i == 0) == (first == command) ? command : args;

		if (value == NULL)
			continue;
		str_add_n(to, text + at, value->start - at);
		if (value == command) {
			str_json(to, setup->self);
			at = command->end;
			if (args == NULL) {
				str_add(to, ", \"args\": [");
				print_head(setup, command->string, to);
				str_add(to, "]");
			}
		} else {
			str_add(to, "[");
			print_head(setup, command->string, to);
			str_add(to, args->count > 0 ? ", " : "");
			at = args->start + 1;
		}
	}
	str_add(to, text + at);
}

/* Takes out the first elements of the arguments; the last of them is the command. */
static void
unwrap(const char *text, const struct json *command, const struct json *args, size_t count,
       struct str *to)
{
	const struct json *original = args->first;
	auto_str struct str shorter = {0};

	while (count-- > 0)
		original = original->next;
	str_add(&shorter, "[");
	if (original->next != NULL)
		str_add_n(&shorter, text + original->next->start,
			  args->end - original->next->start);
	else
		str_add(&shorter, "]");
	to->failed = to->failed || shorter.failed;
	if (to->failed)
		return;
	if (command->start < args->start) {
		str_add_n(to, text, command->start);
		str_json(to, original->string);
		str_add_n(to, text + command->end, args->start - command->end);
		str_add(to, shorter.text);
		str_add(to, text + args->end);
	} else {
		str_add_n(to, text, args->start);
		str_add(to, shorter.text);
		str_add_n(to, text + args->end, command->start - args->end);
		str_json(to, original->string);
		str_add(to, text + command->end);
	}
}

/* Changes one server; returns 1 if it did, 0 if it is as it shall be. */
static int
change_server(struct setup *setup, struct setup_file *file, const struct json *server)
{
	const struct json *command = NULL, *args = NULL;
	auto_str struct str to = {0};
	size_t count;
	int rc;

	if (server->type == JSON_OBJECT) {
		command = json_member(server, "command");
		args = json_member(server, "args");
	}
	/* a server elsewhere has no command */
	if (command == NULL || command->type != JSON_STRING ||
	    (args != NULL && args->type != JSON_ARRAY))
		return 0;
	count = wrapped_at(command, args);
	if ((count > 0) != setup->remove)
		return 0;
	if (setup->remove)
		unwrap(file->after, command, args, count, &to);
	else
		wrap(setup, file->after, command, args, &to);
	if (!setup->remove && setup->options[0] == NULL)
		setup_note(
			setup,
			"%s: the server \"%s\" has no network; put --domain NAME before -- if it needs one",
			file->path, server->key);
	rc = setup_change(setup, file, &to);
	return rc < 0 ? rc : 1;
}

int
setup_servers(struct setup *setup, struct setup_file *file)
{
	const struct json *root, *servers, *server;
	int rc;

	do {
		rc = setup_read(setup, file, &root);
		servers = rc < 0 ? NULL : json_member(root, "mcpServers");
		server = servers == NULL || servers->type != JSON_OBJECT ? NULL : servers->first;
		for (; rc == 0 && server != NULL; server = server->next)
			rc = change_server(setup, file, server);
	} while (rc == 1);
	return rc;
}
