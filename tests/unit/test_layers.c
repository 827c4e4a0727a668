// SPDX-License-Identifier: MIT
/*
 * Which texts speak about a run, in which order, and what they add up to: bases and add-ons, files
 * that extend files, files that cannot be trusted, and how single values and lists are merged.
 */
#include <string.h>

#include "world.h"

/* The profiles in force, in order. Valid until the next call. */
static const char *
profiles_of(const struct plan *plan)
{
	static char text[400];

	*text = '\0';
	for (size_t i = 0; i < plan->stack->count; i++)
		if (plan->stack->entries[i].name != NULL)
			list_add(text, sizeof text, " ", plan->stack->entries[i].name);
	return text;
}

static void
check_profiles(struct world *world, struct said said, const char *expected)
{
	auto_plan struct plan *plan = world_plan(world, said);

	check_str(profiles_of(plan), expected);
}

/* ---- bases and add-ons ---- */

static void
each_command_has_its_default(void)
{
	auto_world struct world w;

	world_make(&w);
	check_profiles(&w, (struct said){0}, "system agent");
	w.host.command = COMMAND_SHELL;
	check_profiles(&w, (struct said){0}, "system agent terminal");
}

static void
an_add_on_keeps_the_default_base(void)
{
	auto_world struct world w;

	world_make(&w);
	check_profiles(&w, (struct said){.args = {"node"}}, "system agent node");
	check_profiles(&w, (struct said){.args = {"node", "git"}}, "system agent node git");
	check_profiles(&w, (struct said){.user = "{\"extends\": [\"node\"]}"},
		       "system agent "
		       "node");
	check_profiles(&w, (struct said){.user = "{\"tmp\": \"private\"}"}, "system agent");
	check_profiles(&w, (struct said){.inline_text = "{\"extends\": [\"rust\"]}"},
		       "system agent rust");
	w.host.command = COMMAND_SHELL;
	check_profiles(&w, (struct said){.args = {"node"}}, "system agent terminal node");
}

static void
the_innermost_source_that_names_a_base_decides(void)
{
	auto_world struct world w;
	static const char agent[] = "{\"extends\": [\"agent\"]}",
			  strict[] = "{\"extends\": [\"strict\"]}";

	world_make(&w);
	check_profiles(&w, (struct said){.user = agent, .args = {"strict"}}, "system strict");
	check_profiles(&w, (struct said){.user = strict, .args = {"agent"}}, "system agent");
	check_profiles(&w, (struct said){.user = strict, .args = {"node"}}, "system strict node");
	check_profiles(&w, (struct said){.system = strict, .user = agent}, "system agent");
	check_profiles(&w, (struct said){.system = strict}, "system strict");
	check_profiles(&w, (struct said){.user = agent, .inline_text = strict}, "system strict");
	check_profiles(&w, (struct said){.user = agent, .project = strict, .trusted = true},
		       "system strict");
	w.host.command = COMMAND_SHELL;
	check_profiles(&w, (struct said){.args = {"strict"}}, "system strict");
}

static void
add_ons_of_all_sources_add_up(void)
{
	auto_world struct world w;

	world_make(&w);
	check_profiles(&w,
		       (struct said){.system = "{\"extends\": [\"git\"]}",
				     .user = "{\"extends\": [\"agent\", \"node\"]}",
				     .args = {"strict", "rust"}},
		       "system strict git node rust");
	check_profiles(&w, (struct said){.user = "{\"extends\": [\"node\"]}", .args = {"node"}},
		       "system agent node");
}

static void
an_empty_extends_starts_from_nothing(void)
{
	auto_world struct world w;
	static const char nothing[] = "{\"extends\": []}";

	world_make(&w);
	check_profiles(&w, (struct said){.user = nothing}, "");
	check_profiles(&w, (struct said){.inline_text = nothing}, "");
	check_profiles(&w, (struct said){.user = nothing, .args = {"node"}}, "node");
	check_profiles(&w, (struct said){.user = nothing, .args = {"strict"}}, "system strict");
	check_profiles(&w,
		       (struct said){.user = "{\"extends\": "
					     "[\"strict\"]}",
				     .inline_text = nothing},
		       "");
	auto_plan struct plan *plan = world_plan(&w, (struct said){.inline_text = nothing});
	check_str(rights_at(plan, "/usr/bin"), "");
	check_str(rights_at(plan, "$PROJECT/a"), "");
	check_int(plan->settings.network.mode, NET_NONE);
	check_int(plan->settings.env.mode, ENV_SCRUB);
	check_int(plan->settings.tmp, TMP_PRIVATE);
}

static void
the_default_grants_the_project_and_the_system(void)
{
	auto_world struct world w;

	world_make(&w);
	auto_plan struct plan *agent = world_plan(&w, (struct said){0});
	check_str(rights_at(agent, "/usr/bin/env"), "rx");
	check_str(rights_at(agent, "$PROJECT/src/new.c"), "rwcdx");
	check_str(rights_at(agent, "$PROJECT/.vscode/tasks.json"), "rx");
	check_str(rights_at(agent, "$HOME/.ssh/id_rsa"), "");
	check_str(rights_at(agent, "$HOME"), "");
	auto_plan struct plan *strict = world_plan(&w, (struct said){.args = {"strict"}});
	check_str(rights_at(strict, "$PROJECT/src/new.c"), "rx");
	auto_plan struct plan *open = world_plan(&w, (struct said){.args = {"open-reads"}});
	check_str(rights_at(open, "$HOME/notes"), "rx");
	check_str(rights_at(open, "$HOME/.ssh/id_rsa"), "");
	check_str(rights_at(open, "$PROJECT/.env"), "");
}

static void
an_unknown_profile_is_refused_where_it_is_named(void)
{
	auto_world struct world w;

	world_make(&w);
	check_str(world_error(&w, (struct said){.args = {"agnet"}}),
		  "there is no profile and no file \"agnet\"; did you mean \"agent\"?");
	check(strstr(world_error(&w, (struct said){.args = {"quite-another"}}),
		     "there is no profile and no file \"quite-another\"") != NULL);
	check(strstr(world_error(&w, (struct said){.user = "{\n\"extends\": [\"nod\"]}"}),
		     "config.json:2:13: \"nod\" is not a profile") != NULL);
	check_int(w.err.code, CORDON_E_POLICY);
	check_int(w.err.line, 2);
}

/* ---- files ---- */

static void
an_extended_file_has_the_rank_of_its_source(void)
{
	auto_world struct world w;

	world_make(&w);
	write_file(world_path(&w, "config/more.json"),
		   "{\"extends\": [\"node\"], \"files\": {\"deny\": [\"~/closed\"]}, \"limits\": "
		   "{\"time\": 5}}");
	auto_plan struct plan *plan = world_plan(
		&w, (struct said){.user = "{\"extends\": [\"./more.json\", \"agent\"]}",
				  .inline_text = "{\"files\": {\"read\": [\"~/closed/a\", "
						 "\"~/open\"]}}"});
	check_str(profiles_of(plan), "system agent node");
	/* the user's deny is final for the command line, also out of an extended file */
	check_str(rights_at(plan, "$HOME/closed/a"), "");
	check_str(rights_at(plan, "$HOME/open"), "r");
	check_int(plan->settings.limits[LIMIT_TIME].value, 5);
}

static void
a_file_is_applied_after_the_one_it_extends(void)
{
	auto_world struct world w;

	world_make(&w);
	write_file(world_path(&w, "config/more.json"),
		   "{\"limits\": {\"time\": 5, \"processes\": 7}}");
	auto_plan struct plan *plan =
		world_plan(&w, (struct said){.user = "{\"limits\": {\"time\": 9}, \"extends\": "
						     "[\"./more.json\"]}"});
	check_int(plan->settings.limits[LIMIT_TIME].value, 9);
	check_int(plan->settings.limits[LIMIT_PROCESSES].value, 7);
}

static void
files_that_extend_each_other_in_a_circle_are_refused(void)
{
	auto_world struct world w;

	world_make(&w);
	write_file(world_path(&w, "config/b.json"), "{\"extends\": [\"./config.json\"]}");
	check(strstr(world_error(&w, (struct said){.user = "{\"extends\": [\"./b.json\"]}"}),
		     "is extended in a circle") != NULL);
	check_int(w.err.code, CORDON_E_POLICY);
	check(strstr(world_error(&w, (struct said){.user = "{\"extends\": [\"./config.json\"]}"}),
		     "is extended in a circle") != NULL);
}

static void
a_project_can_extend_profiles_but_no_files(void)
{
	auto_world struct world w;

	world_make(&w);
	write_file(world_path(&w, "home/p/more.json"), "{\"files\": {\"read\": [\"/\"]}}");
	for (int trusted = 0; trusted < 2; trusted++) {
		struct said file = {.project = "{\"extends\": [\"./more.json\"]}",
				    .trusted = trusted};
		struct said profile = {.project = "{\"extends\": [\"node\"]}", .trusted = trusted};

		check(strstr(world_error(&w, file),
			     "1:14: \"./more.json\" is a file; a project's policy can extend profiles "
			     "only") != NULL);
		check_str(world_error(&w, profile), "");
	}
}

static void
missing_files_are_skipped(void)
{
	auto_world struct world w;
	struct stack *stack = NULL;
	const struct stack_input input = {.system_file = "/nonexistent/a",
					  .user_file = "/nonexistent/b"};

	world_make(&w);
	check_str(world_error(&w, (struct said){0}), "");
	check_int(layers_load(&input, &stack, NULL), 0);
	layers_free(stack);
}

static void
a_success_leaves_the_error_value_alone(void)
{
	struct cordon_error err = {.code = 77, .text = "before"};
	const struct stack_input input = {.user_file = "/nonexistent/a"};
	struct stack *stack = NULL;

	check_int(layers_load(&input, &stack, &err), 0);
	check_int(err.code, 77);
	check_str(err.text, "before");
	layers_free(stack);
}

static void
files_that_others_could_have_written_are_refused(void)
{
	auto_world struct world w;
	struct stack *stack = NULL;
	struct stack_input input = {0};

	world_make(&w);
	input.user_file = w.user_file;
	write_file(w.user_file, "{}");
	chmod(w.user_file, 0646);
	check_int(layers_load(&input, &stack, &w.err), -CORDON_E_TRUST);
	check(strstr(w.err.text, "is writable by everyone") != NULL);
	chmod(w.user_file, 0644);
	check_int(layers_load(&input, &stack, &w.err), 0);
	layers_free(stack);
}

static void
a_policy_that_is_no_regular_file_is_refused(void)
{
	auto_world struct world w;
	struct stack *stack = NULL;
	struct stack_input input = {0};

	world_make(&w);
	input.user_file = w.home;
	check_int(layers_load(&input, &stack, &w.err), -CORDON_E_PATH);
	check(strstr(w.err.text, "not a regular file") != NULL);
	check_int(mkfifo(world_path(&w, "pipe"), 0600), 0);
	input.user_file = world_path(&w, "pipe");
	check_int(layers_load(&input, &stack, &w.err), -CORDON_E_PATH);
}

static void
an_invalid_file_is_an_error_with_its_position(void)
{
	auto_world struct world w;

	world_make(&w);
	check(strstr(world_error(&w, (struct said){.user = "{\n  \"tmp\": \"shard\"}"}),
		     "config/config.json:2:10: \"shard\" is not one of") != NULL);
	check(strstr(world_error(&w, (struct said){.project = "{"}), "/.cordon.json:1:2: ") !=
	      NULL);
	check_str(world_error(&w, (struct said){.inline_text = "{\"tmp\": 1}"}),
		  "--policy-json:1:9: \"tmp\" must be a string, not a number");
}

static void
without_project_policy_it_is_not_read(void)
{
	auto_world struct world w;
	struct stack *stack = NULL;
	struct stack_input input = {.no_project_policy = true};

	world_make(&w);
	input.project = w.project;
	write_file(w.project_file, "{ broken");
	check_int(layers_load(&input, &stack, &w.err), 0);
	check(stack->project == NULL);
	layers_free(stack);
	input.no_project_policy = false;
	check_int(layers_load(&input, &stack, &w.err), -CORDON_E_SYNTAX);
}

static void
a_dangling_project_policy_is_an_error(void)
{
	auto_world struct world w;
	struct stack *stack = NULL;
	struct stack_input input = {0};

	world_make(&w);
	input.project = w.project;
	check_int(layers_load(&input, &stack, &w.err), 0);
	layers_free(stack);
	check_int(symlink("nothing", w.project_file), 0);
	check_int(layers_load(&input, &stack, &w.err), -CORDON_E_PATH);
}

/* ---- merging ---- */

#define NETWORK(text) "{\"network\": " text "}"

/* "domains a.example *.b.example ports 80 443": what the network came to. */
static const char *
network_of(const struct plan *plan)
{
	static char text[400];
	const struct network *network = &plan->settings.network;
	char number[20];

	snprintf(text, sizeof text, "%s", net_names[network->mode]);
	for (size_t i = 0; i < network->domains.count; i++)
		list_add(text, sizeof text, " ", network->domains.items[i].text);
	for (size_t i = 0; i < network->localhost.count; i++) {
		snprintf(number, sizeof number, "%u", network->localhost.items[i].number);
		list_add(text, sizeof text, " ", number);
	}
	list_add(text, sizeof text, " ", "ports");
	for (size_t i = 0; i < network->ports.count; i++) {
		snprintf(number, sizeof number, "%u", network->ports.items[i].number);
		list_add(text, sizeof text, " ", number);
	}
	return text;
}

static void
check_network(struct world *world, struct said said, const char *expected)
{
	auto_plan struct plan *plan = world_plan(world, said);

	check_str(network_of(plan), expected);
}

static void
the_innermost_network_mode_wins_and_domains_add_up(void)
{
	auto_world struct world w;
	static const char a[] = NETWORK("{\"domains\": [\"a.example\"]}");
	static const char b[] = NETWORK("{\"domains\": [\"b.example\", \"a.example\"]}");
	static const char both[] = NETWORK("{\"domains\": [\"a.example\"], \"localhost\": [1]}");

	world_make(&w);
	check_network(&w, (struct said){0}, "none ports 80 443");
	check_network(&w, (struct said){.user = a, .inline_text = b},
		      "domains a.example b.example ports 80 443");
	check_network(&w, (struct said){.user = a, .inline_text = NETWORK("\"all\"")},
		      "all ports 80 443");
	check_network(&w, (struct said){.user = NETWORK("\"all\""), .inline_text = a},
		      "domains a.example ports 80 443");
	check_network(&w, (struct said){.user = a, .inline_text = NETWORK("\"none\"")},
		      "none ports 80 443");
	check_network(&w,
		      (struct said){.user = NETWORK("{\"localhost\": [1]}"),
				    .inline_text = NETWORK("{\"localhost\": [2]}")},
		      "localhost 2 ports 80 443");
	check_network(&w,
		      (struct said){.user = NETWORK("{\"localhost\": [1]}"),
				    .inline_text = NETWORK("\"localhost\"")},
		      "localhost ports 80 443");
	check_network(&w,
		      (struct said){.user = a, .inline_text = NETWORK("{\"private\": [\"::1\"]}")},
		      "domains a.example ports 80 443");
	/* ports of this machine beside domains add up like them, and go with them */
	check_network(&w, (struct said){.user = both, .inline_text = a},
		      "domains a.example 1 ports 80 443");
	check_network(&w, (struct said){.user = a, .inline_text = both},
		      "domains a.example 1 ports 80 443");
	check_network(&w,
		      (struct said){.system = both, .user = NETWORK("\"none\""), .inline_text = a},
		      "domains a.example ports 80 443");
	check_network(&w,
		      (struct said){.user = both, .inline_text = NETWORK("{\"localhost\": [2]}")},
		      "localhost 2 ports 80 443");
	/* between two lists of domains another mode clears them */
	check_network(&w, (struct said){.system = a, .user = NETWORK("\"none\""), .inline_text = b},
		      "domains b.example a.example ports 80 443");
}

static void
a_list_of_ports_replaces_and_profiles_and_options_add(void)
{
	auto_world struct world w;
	auto_policy struct policy *options = policy_new("command line", NULL);
	struct port extra = {8080, {"--port", 0, 0}};

	world_make(&w);
	options->network.ports = (struct ports){&extra, 1};
	check_network(&w, (struct said){.user = NETWORK("{\"ports\": [22]}")}, "none ports 22");
	check_network(&w,
		      (struct said){.user = NETWORK("{\"ports\": [22]}"),
				    .inline_text = NETWORK("{\"ports\": [443, 22]}")},
		      "none ports 443 22");
	check_network(&w, (struct said){.args = {"git"}}, "none ports 80 443 22");
	check_network(&w,
		      (struct said){.args = {"git", "ssh"}, .user = NETWORK("{\"ports\": [1]}")},
		      "none ports 1 22");
	check_network(&w, (struct said){.options = options}, "none ports 80 443 8080");
	check_network(&w, (struct said){.options = options, .user = NETWORK("{\"ports\": [22]}")},
		      "none ports 22 8080");
}

static void
environments_merge_by_name(void)
{
	auto_world struct world w;

	world_make(&w);
	auto_plan struct plan *plan = world_plan(
		&w,
		(struct said){
			.user = "{\"env\": {\"mode\": \"inherit\", \"allow\": [\"A\"], \"set\": "
				"{\"X\": "
				"\"1\", \"Y\": \"2\"}}}",
			.inline_text =
				"{\"env\": {\"mode\": \"explicit\", \"allow\": [\"B\", \"A\"],"
				" \"set\": {\"X\": \"3\"}}}"});
	const struct environment *env = &plan->settings.env;
	check_int(env->mode, ENV_EXPLICIT);
	check_int(env->allow.count, 2);
	check_int(env->set_count, 2);
	check_str(env->set[0].name, "X");
	check_str(env->set[0].value, "3");
	check_str(env->set[1].value, "2");
}

static void
single_values_are_the_innermost_and_lists_add_up(void)
{
	auto_world struct world w;

	world_make(&w);
	auto_plan struct plan *plan = world_plan(
		&w,
		(struct said){
			.system = "{\"limits\": {\"time\": 5, \"memory\": \"1G\"}, \"tmp\": "
				  "\"shared\","
				  " \"sockets\": [\"docker\"], \"accept\": [\"net.udp\"],"
				  " \"files\": {\"default\": \"rx\"}}",
			.user = "{\"limits\": {\"time\": 9}, \"sockets\": [\"x11\", \"docker\"],"
				" \"accept\": [\"net.dns\"], \"files\": {\"default\": \"r\"}}"});
	const struct settings *settings = &plan->settings;
	check_int(settings->limits[LIMIT_TIME].value, 9);
	check_int(settings->limits[LIMIT_MEMORY].value, 1 << 30);
	check_int(settings->tmp, TMP_SHARED);
	check_int(settings->sockets.count, 2);
	check(settings->accept[G_NET_UDP] && settings->accept[G_NET_DNS]);
	check(!settings->accept[G_NET_TCP]);
	check_int(plan->index.default_rights, RIGHT_READ);
}

static void
an_approved_project_is_one_more_source(void)
{
	auto_world struct world w;
	static const char text[] = "{\"files\": {\"read\": [\"~/data\"]}, \"network\": \"all\"}";

	world_make(&w);
	/* what an approved project names and what is missing is skipped */
	world_dir(&w, "home/data");
	auto_plan struct plan *asking = world_plan(&w, (struct said){.project = text});
	check_str(rights_at(asking, "$HOME/data"), "");
	check_int(asking->settings.network.mode, NET_NONE);
	auto_plan struct plan *granted =
		world_plan(&w, (struct said){.project = text, .trusted = true});
	check_str(rights_at(granted, "$HOME/data"), "r");
	check_int(granted->settings.network.mode, NET_ALL);
	check_int(granted->request_count, 0);
}

static void
exact_names_and_wildcards_cover_each_other(void)
{
	check(merge_domain_covers("a.example", "a.example"));
	check(!merge_domain_covers("a.example", "b.a.example"));
	check(merge_domain_covers("*.a.example", "b.a.example"));
	check(merge_domain_covers("*.a.example", "c.b.a.example"));
	check(merge_domain_covers("*.a.example", "*.a.example"));
	check(merge_domain_covers("*.a.example", "*.b.a.example"));
	check(!merge_domain_covers("*.a.example", "a.example"));
	check(!merge_domain_covers("*.a.example", "ba.example"));
	check(!merge_domain_covers("*.a.example", "xa.example"));
	check(!merge_domain_covers("*.b.a.example", "*.a.example"));
	check(!merge_domain_covers("a.example", "*.a.example"));
	check(merge_env_name_matches("LC_*", "LC_ALL") && merge_env_name_matches("LC_*", "LC_"));
	check(!merge_env_name_matches("LC_*", "LC") && !merge_env_name_matches("LC", "LC_ALL"));
	check(merge_env_name_matches("PATH", "PATH") && !merge_env_name_matches("PATH", "path"));
	check_int(merge_guarantee_by_name("files.read"), G_FILES_READ);
	check_int(merge_guarantee_by_name("files.reed"), -1);
}

int
main(void)
{
	run(each_command_has_its_default);
	run(an_add_on_keeps_the_default_base);
	run(the_innermost_source_that_names_a_base_decides);
	run(add_ons_of_all_sources_add_up);
	run(an_empty_extends_starts_from_nothing);
	run(the_default_grants_the_project_and_the_system);
	run(an_unknown_profile_is_refused_where_it_is_named);
	run(an_extended_file_has_the_rank_of_its_source);
	run(a_file_is_applied_after_the_one_it_extends);
	run(files_that_extend_each_other_in_a_circle_are_refused);
	run(a_project_can_extend_profiles_but_no_files);
	run(missing_files_are_skipped);
	run(a_success_leaves_the_error_value_alone);
	run(files_that_others_could_have_written_are_refused);
	run(a_policy_that_is_no_regular_file_is_refused);
	run(an_invalid_file_is_an_error_with_its_position);
	run(without_project_policy_it_is_not_read);
	run(a_dangling_project_policy_is_an_error);
	run(the_innermost_network_mode_wins_and_domains_add_up);
	run(a_list_of_ports_replaces_and_profiles_and_options_add);
	run(environments_merge_by_name);
	run(single_values_are_the_innermost_and_lists_add_up);
	run(an_approved_project_is_one_more_source);
	run(exact_names_and_wildcards_cover_each_other);
	return tap_end();
}
