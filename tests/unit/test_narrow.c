// SPDX-License-Identifier: MIT
/*
 * A project's own policy: unapproved it only ever narrows, and what it asks for is listed; approved,
 * its grants hold as long as they lead where they led. The last case tries to widen by chance.
 */
#include <string.h>

#include "world.h"

static struct plan *
asking(struct world *world, const char *user, const char *project)
{
	return world_plan(world, (struct said){.user = user, .project = project});
}

/* ---- files ---- */

static void
requests_change_nothing_and_are_listed(void)
{
	auto_world struct world w;

	world_make(&w);
	auto_plan struct plan *plan = asking(
		&w, NULL,
		"{\"files\": {\"read\": [\"~/.ssh\"], \"write\": [\"$PROJECT/out\", \"/etc/x\"],\n"
		" \"default\": \"rw\"}, \"network\": \"all\"}");
	check_str(rights_at(plan, "$HOME/.ssh/id"), "");
	check_str(rights_at(plan, "/etc/x"), "r");
	check_str(rights_at(plan, "$HOME/other"), "");
	check_int(plan->settings.network.mode, NET_NONE);
	check_str(requests_of(plan), "read ~/.ssh; read + write + create + delete /etc/x; "
				     "read + write everywhere; the whole network");
	check_str(plan->requests[0].path, world_path(&w, "home/.ssh"));
	check_str(plan->requests[1].path, "/etc/x");
	check(plan->requests[2].path == NULL);
	check_int(plan->requests[0].srcpos.line, 1);
	check_int(plan->requests[2].srcpos.line, 2);
}

static void
one_notice_says_what_was_not_granted_and_how_to_grant_it(void)
{
	auto_world struct world w;

	world_make(&w);
	auto_plan struct plan *quiet =
		asking(&w, NULL, "{\"files\": {\"deny\": [\"$PROJECT/x\"]}}");
	check_int(quiet->notice_count, 0);
	auto_plan struct plan *some =
		asking(&w, NULL, "{\"files\": {\"read\": [\"/a\"]}, \"tmp\": \"shared\"}");
	check_int(some->notice_count, 1);
	check(strstr(some->notices[0],
		     "requests permissions that were not approved: read /a, the shared tmp "
		     "folder; `cordon "
		     "trust`") != NULL);
	auto_plan struct plan *many = asking(
		&w, NULL, "{\"files\": {\"read\": [\"/a\", \"/b\", \"/c\", \"/d\", \"/e\"]}}");
	check_int(many->notice_count, 1);
	check(strstr(many->notices[0], "read /a, read /b, read /c and 2 more") != NULL);
}

static void
a_deny_of_a_project_needs_no_approval(void)
{
	auto_world struct world w;

	world_make(&w);
	auto_plan struct plan *plan =
		asking(&w, NULL,
		       "{\"files\": {\"deny\": [\"$PROJECT/secret\", \"**/*.key\"], \"protect\": "
		       "[\"$PROJECT/ci\"],"
		       " \"rules\": [{\"effect\": \"deny\", \"rights\": \"x\", \"path\": "
		       "\"/usr/(s?bin)/.*\","
		       " \"match\": \"regex\"}]}}");
	check_str(rights_at(plan, "$PROJECT/secret/a"), "");
	check_str(rights_at(plan, "$PROJECT/a.key"), "");
	check_str(rights_at(plan, "$PROJECT/ci/a"), "rx");
	check_str(rights_at(plan, "$PROJECT/a"), "rwcdx");
	check_str(rights_at(plan, "/usr/bin/x-y"), "r");
	check_str(requests_of(plan), "");
}

static void
a_project_makes_exceptions_from_its_own_denies(void)
{
	auto_world struct world w;

	world_make(&w);
	auto_plan struct plan *plan = asking(
		&w, "{\"files\": {\"deny\": [\"$PROJECT/closed\"]}}",
		"{\"files\": {\"deny\": [\"$PROJECT/gen\"], \"write\": [\"$PROJECT/gen/out\", "
		"\"$PROJECT/closed/out\"]}}");
	check_str(rights_at(plan, "$PROJECT/gen/a"), "");
	check_str(rights_at(plan, "$PROJECT/gen/out/a"), "rwcd");
	check_str(rights_at(plan, "$PROJECT/closed/out"), "");
	check_str(requests_of(plan), "read + write + create + delete $PROJECT/closed/out");
}

static void
a_grant_of_one_path_is_not_widened_to_a_tree(void)
{
	auto_world struct world w;
	static const char user[] =
		"{\"files\": {\"rules\": ["
		"{\"effect\": \"allow\", \"rights\": \"r\", \"path\": \"/l\", \"match\": "
		"\"literal\"},"
		"{\"effect\": \"allow\", \"rights\": \"r\", \"path\": \"/c\", \"match\": "
		"\"child\"},"
		"{\"effect\": \"allow\", \"rights\": \"r\", \"path\": \"/g*\", \"match\": "
		"\"glob\"}]}}";

	world_make(&w);
	auto_plan struct plan *plan =
		asking(&w, user, "{\"files\": {\"read\": [\"/l\", \"/c/a\", \"/g1\"]}}");
	check_str(rights_at(plan, "/l"), "r");
	check_str(rights_at(plan, "/l/x"), "");
	check_str(rights_at(plan, "/c/a"), "r");
	check_str(rights_at(plan, "/c/a/x"), "");
	check_str(requests_of(plan), "read /l; read /c/a; read /g1");
}

static void
patterns_that_allow_are_always_requests(void)
{
	auto_world struct world w;

	world_make(&w);
	auto_plan struct plan *plan = asking(
		&w, NULL,
		"{\"files\": {\"read\": [\"$PROJECT/*.c\"], \"rules\": [{\"effect\": \"allow\", "
		"\"rights\": \"r\", \"path\": \".*\", \"match\": \"regex\"}]}}");
	check_str(rights_at(plan, "$HOME/a"), "");
	check_str(requests_of(plan), "read $PROJECT/*.c (glob); read .* (regex)");
}

static void
a_protected_name_is_never_granted_to_a_project(void)
{
	auto_world struct world w;
	static const char text[] =
		"{\"files\": {\"write\": [\"$PROJECT/.vscode\", \"$PROJECT/.cordon.json\"]}}";

	world_make(&w);
	auto_plan struct plan *plan = asking(&w, NULL, text);
	check_str(
		requests_of(plan),
		"read + write + create + delete $PROJECT/.vscode (protected: no project can be "
		"granted it); read + write + create + delete $PROJECT/.cordon.json (protected: no "
		"project can be granted it)");
	auto_plan struct plan *granted =
		world_plan(&w, (struct said){.project = text, .trusted = true});
	check_str(rights_at(granted, "$PROJECT/.vscode/a"), "rx");
	check_str(rights_at(granted, "$PROJECT/.cordon.json"), "rx");
	/* the user's own word, by that very name, is another matter */
	auto_plan struct plan *named = world_plan(
		&w, (struct said){.user = "{\"files\": {\"write\": [\"$PROJECT/.vscode\"]}}"});
	check_str(rights_at(named, "$PROJECT/.vscode/a"), "rwcdx");
}

static void
the_policy_files_of_a_run_are_never_writable(void)
{
	auto_world struct world w;
	const char *file;

	world_make(&w);
	file = world_path(&w, "home/p/mine.json");
	write_file(file, "{\"files\": {\"write\": [\"$PROJECT/mine.json\", \"~/../config\", "
			 "\"~/../state\"]}}");
	auto_plan struct plan *plan = world_plan(&w, (struct said){.user = "{}", .args = {file}});
	check_str(rights_at(plan, file), "rx");
	check_str(rights_at(plan, "$PROJECT/other.json"), "rwcdx");
	check_str(rights_at(plan, "~/../config/config.json"), "r");
	check_str(rights_at(plan, "~/../config/new"), "r");
	check_str(rights_at(plan, "~/../state/cordon/trust"), "");
}

static void
the_default_is_narrowed_and_more_is_a_request(void)
{
	auto_world struct world w;

	world_make(&w);
	auto_plan struct plan *less = asking(&w, "{\"files\": {\"default\": \"rx\"}}",
					     "{\"files\": {\"default\": \"r\"}}");
	check_str(rights_at(less, "/nowhere"), "r");
	check_str(requests_of(less), "");
	auto_plan struct plan *other = asking(&w, "{\"files\": {\"default\": \"rx\"}}",
					      "{\"files\": {\"default\": \"wx\"}}");
	check_str(rights_at(other, "/nowhere"), "x");
	check_str(requests_of(other), "write everywhere");
}

/* ---- network ---- */

#define BOTH "{\"domains\": [\"a.example\"], \"localhost\": [80]}"
#define DOMAINS "{\"domains\": [\"a.example\", \"*.b.example\"]}"

static const char *
network_of(const struct plan *plan)
{
	static char text[400];
	const struct network *network = &plan->settings.network;

	snprintf(text, sizeof text, "%s", net_names[network->mode]);
	for (size_t i = 0; network->mode == NET_DOMAINS && i < network->domains.count; i++)
		list_add(text, sizeof text, " ", network->domains.items[i].text);
	for (size_t i = 0; network->mode != NET_NONE && i < network->localhost.count; i++) {
		char number[20];

		snprintf(number, sizeof number, "%u", network->localhost.items[i].number);
		list_add(text, sizeof text, " ", number);
	}
	return text;
}

static void
check_narrowed(struct world *world, const char *have, const char *wanted, const char *result,
	       const char *requests)
{
	char user[200], project[200];

	snprintf(user, sizeof user, "{\"network\": %s}", have);
	snprintf(project, sizeof project, "{\"network\": %s}", wanted);
	auto_plan struct plan *plan = asking(world, user, project);
	if (strcmp(network_of(plan), result) != 0 || strcmp(requests_of(plan), requests) != 0)
		printf("# for %s and %s\n", have, wanted);
	check_str(network_of(plan), result);
	check_str(requests_of(plan), requests);
}

static void
the_network_is_narrowed_in_every_pair_of_modes(void)
{
	static const struct {
		const char *have, *wanted, *result, *requests;
	} rows[] = {
		{"\"none\"", "\"none\"", "none", ""},
		{"\"none\"", "\"localhost\"", "none", "network to this machine"},
		{"\"none\"", "{\"localhost\": [80]}", "none", "network to this machine"},
		{"\"none\"", DOMAINS, "none", "network to a.example; network to *.b.example"},
		{"\"none\"", "\"all\"", "none", "the whole network"},
		{"\"localhost\"", "\"none\"", "none", ""},
		{"\"localhost\"", "\"localhost\"", "localhost", ""},
		{"\"localhost\"", "{\"localhost\": [80]}", "localhost 80", ""},
		{"{\"localhost\": [80, 81]}", "{\"localhost\": [81, 82]}", "localhost 81",
		 "network port 82 of this machine"},
		{"{\"localhost\": [80]}", "{\"localhost\": [81]}", "none",
		 "network port 81 of this machine"},
		{"{\"localhost\": [80]}", "\"localhost\"", "localhost 80",
		 "network to every port of this machine"},
		{"\"localhost\"", DOMAINS, "none", "network to a.example; network to *.b.example"},
		{"\"localhost\"", "\"all\"", "localhost", "the whole network"},
		{DOMAINS, "\"none\"", "none", ""},
		{DOMAINS, "\"localhost\"", "none", "network to this machine"},
		{DOMAINS, "{\"domains\": [\"a.example\"]}", "domains a.example", ""},
		{DOMAINS, "{\"domains\": [\"c.b.example\", \"*.d.b.example\"]}",
		 "domains c.b.example *.d.b.example", ""},
		{DOMAINS, "{\"domains\": [\"b.example\", \"a.example\", \"*.example\"]}",
		 "domains a.example", "network to b.example; network to *.example"},
		{DOMAINS, "{\"domains\": []}", "domains", ""},
		{DOMAINS, "\"all\"", "domains a.example *.b.example", "the whole network"},
		{DOMAINS, "{}", "domains a.example *.b.example", ""},
		{"\"all\"", "\"none\"", "none", ""},
		{"\"all\"", "\"localhost\"", "localhost", ""},
		{"\"all\"", "{\"localhost\": [80]}", "localhost 80", ""},
		{"\"all\"", DOMAINS, "domains a.example *.b.example", ""},
		{"\"all\"", "\"all\"", "all", ""},
		{"\"all\"", BOTH, "domains a.example 80", ""},
		{DOMAINS, BOTH, "domains a.example", "network port 80 of this machine"},
		{"{\"localhost\": [80, 81]}", BOTH, "localhost 80", "network to a.example"},
		{"{\"localhost\": [81]}", BOTH, "none",
		 "network port 80 of this machine; network to a.example"},
		{"\"localhost\"", BOTH, "localhost 80", "network to a.example"},
		{BOTH, BOTH, "domains a.example 80", ""},
		{BOTH, "{\"domains\": [\"a.example\"]}", "domains a.example", ""},
		{BOTH, "{\"localhost\": [80, 81]}", "localhost 80",
		 "network port 81 of this machine"},
		{BOTH, "{\"localhost\": [81]}", "none", "network port 81 of this machine"},
		{BOTH, "\"localhost\"", "localhost 80", "network to every port of this machine"},
	};
	auto_world struct world w;

	world_make(&w);
	for (size_t i = 0; i < COUNT(rows); i++)
		check_narrowed(&w, rows[i].have, rows[i].wanted, rows[i].result, rows[i].requests);
}

static const char *
ports_of(const struct plan *plan)
{
	static char text[100];

	*text = '\0';
	for (size_t i = 0; i < plan->settings.network.ports.count; i++) {
		char number[20];

		snprintf(number, sizeof number, "%u", plan->settings.network.ports.items[i].number);
		list_add(text, sizeof text, " ", number);
	}
	return text;
}

static void
ports_of_domains_are_narrowed(void)
{
	static const struct {
		const char *have, *wanted, *ports, *requests;
	} rows[] = {
		{"{\"domains\": [\"a.example\"]}", "{\"ports\": [443]}", "443", ""},
		{"{\"domains\": [\"a.example\"]}", "{\"ports\": [443, 22]}", "443",
		 "network port 22"},
		{"{\"domains\": [\"a.example\"], \"ports\": [22]}", "{\"ports\": [443]}", "",
		 "network port 443"},
		/* from the whole network every port is a narrowing */
		{"\"all\"", "{\"domains\": [\"a.example\"], \"ports\": [22]}", "22", ""},
		{"\"all\"", "{\"domains\": [\"a.example\"]}", "80 443", ""},
	};
	auto_world struct world w;

	world_make(&w);
	for (size_t i = 0; i < COUNT(rows); i++) {
		char user[200], project[200];

		snprintf(user, sizeof user, "{\"network\": %s}", rows[i].have);
		snprintf(project, sizeof project, "{\"network\": %s}", rows[i].wanted);
		auto_plan struct plan *plan = asking(&w, user, project);
		check_str(ports_of(plan), rows[i].ports);
		check_str(requests_of(plan), rows[i].requests);
	}
}

static void
private_ranges_and_resolvers_are_requests(void)
{
	auto_world struct world w;
	static const char wanted[] =
		"{\"network\": {\"private\": [\"10.0.0.0/8\"], \"resolver\": \"127.0.0.1:53\"}}";

	world_make(&w);
	auto_plan struct plan *plan = asking(&w, NULL, wanted);
	check_str(requests_of(plan),
		  "domains that resolve to private addresses (10.0.0.0/8); names looked "
		  "up at 127.0.0.1:53");
	check_int(plan->settings.network.private_ranges.count, 0);
	check(plan->settings.network.resolver.text == NULL);
	/* what the user says already is nothing to ask for */
	auto_plan struct plan *there = asking(&w, wanted, wanted);
	check_str(requests_of(there), "");
}

static void
hidden_names_are_a_request_and_refusing_them_is_not(void)
{
	static const char allow[] = "{\"network\": {\"ech\": \"allow\"}}";
	static const char refuse[] = "{\"network\": {\"ech\": \"refuse\"}}";
	auto_world struct world w;

	world_make(&w);
	auto_plan struct plan *asks = asking(&w, NULL, allow);
	check_str(requests_of(asks), "TLS with a hidden server name (ECH)");
	check_int(asks->settings.network.ech, ECH_UNSET);
	auto_plan struct plan *there = asking(&w, allow, allow);
	check_str(requests_of(there), "");
	check_int(there->settings.network.ech, ECH_ALLOW);
	auto_plan struct plan *narrower = asking(&w, allow, refuse);
	check_str(requests_of(narrower), "");
	check_int(narrower->settings.network.ech, ECH_REFUSE);
}

static void
opaque_ports_are_a_request(void)
{
	static const char wanted[] =
		"{\"network\": {\"domains\": [\"a.example\"], \"opaque\": [80, 443]}}";
	static const char one[] =
		"{\"network\": {\"domains\": [\"a.example\"], \"opaque\": [443]}}";
	auto_world struct world w;

	world_make(&w);
	auto_plan struct plan *asks = asking(&w, one, wanted);
	check_str(requests_of(asks), "anything on network port 80, not only TLS, HTTP and SSH");
	check_int(asks->settings.network.opaque.count, 1);
	check_int(asks->settings.network.opaque.items[0].number, 443);
	auto_plan struct plan *there = asking(&w, wanted, one);
	check_str(requests_of(there), "");
	/* of the whole network it is a part */
	auto_plan struct plan *narrower = asking(&w, "{\"network\": \"all\"}", one);
	check_str(requests_of(narrower), "");
	check_int(narrower->settings.network.opaque.count, 1);
	auto_plan struct plan *none = asking(&w, NULL, wanted);
	check_int(none->settings.network.opaque.count, 0);
}

/* ---- the rest ---- */

static void
the_environment_is_narrowed(void)
{
	auto_world struct world w;

	world_make(&w);
	auto_plan struct plan *less = asking(&w, "{\"env\": {\"mode\": \"inherit\"}}",
					     "{\"env\": {\"mode\": \"explicit\"}}");
	check_int(less->settings.env.mode, ENV_EXPLICIT);
	check_str(requests_of(less), "");
	auto_plan struct plan *more = asking(&w, "{\"env\": {\"mode\": \"explicit\"}}",
					     "{\"env\": {\"mode\": \"scrub\"}}");
	check_int(more->settings.env.mode, ENV_EXPLICIT);
	check_str(requests_of(more), "the environment in mode scrub");
	auto_plan struct plan *names =
		asking(&w, "{\"env\": {\"allow\": [\"A\", \"B_*\"]}}",
		       "{\"env\": {\"allow\": [\"A\", \"PATH\", \"B_X\", \"B_*\", \"C\", \"D_*\", "
		       "\"LD_PRELOAD\"],"
		       " \"set\": {\"E\": \"f\"}}}");
	check_str(requests_of(names),
		  "the environment variable C; the environment variable D_*; the environment "
		  "variable "
		  "LD_PRELOAD; E set to \"f\"");
	check_int(names->settings.env.allow.count, 2);
	check_int(names->settings.env.set_count, 0);
}

/* A number is shown only where no text has a name for it. */
static void
optional_grants_are_requests_by_name(void)
{
	auto_world struct world w;
	struct plan *plan;

	world_make(&w);
	plan = asking(&w, "{}",
		      "{\"files\": {\"rules\": [{\"effect\": \"allow\", \"rights\": \"r\", "
		      "\"path\": \"~/.ssh\", \"optional\": true}]}}");
	check_str(requests_of(plan), "read ~/.ssh");
	plan_free(plan);
	/* the record that Zed's wrapper is given, in a file of the project */
	plan = asking(&w, "{}",
		      "{\"project_dir\": \"/none\", \"executable_paths\": [], "
		      "\"read_only_paths\": [\"/secret\"], \"read_write_paths\": [], "
		      "\"additional_executable_paths\": [], \"additional_read_only_paths\": [], "
		      "\"additional_read_write_paths\": [], \"allow_network\": false, "
		      "\"allowed_env_vars\": []}");
	check(strstr(requests_of(plan), "read /secret") != NULL);
	check(strstr(requests_of(plan), "what the zed form grants by itself") != NULL);
	plan_free(plan);
}

/* What is shown is what is approved: a truncated end must not be approved with it. */
static void
a_request_is_listed_in_full(void)
{
	auto_world struct world w;
	char value[900], project[1100];
	struct plan *plan;

	world_make(&w);
	memset(value, 'v', sizeof value);
	snprintf(value + sizeof value - 8, 8, ":/evil");
	snprintf(project, sizeof project, "{\"env\": {\"set\": {\"PATH\": \"%s\"}}}", value);
	plan = asking(&w, "{}", project);
	check_int(plan->request_count, 1);
	check(strstr(plan->requests[0].text, value) != NULL);
	plan_free(plan);
	snprintf(project, sizeof project, "{\"files\": {\"write\": [\"/%s\"]}}", value);
	plan = asking(&w, "{}", project);
	check_int(plan->request_count, 1);
	check(strstr(plan->requests[0].text, value) != NULL);
	plan_free(plan);
}

static void
limits_only_get_tighter(void)
{
	auto_world struct world w;

	world_make(&w);
	auto_plan struct plan *plan = asking(
		&w, "{\"limits\": {\"time\": \"10m\", \"processes\": 100, \"memory\": \"1G\"}}",
		"{\"limits\": {\"time\": \"5m\", \"processes\": 200, \"memory\": \"2G\", "
		"\"output\": \"1M\"}}");
	check_int(plan->settings.limits[LIMIT_TIME].value, 300);
	check_int(plan->settings.limits[LIMIT_PROCESSES].value, 100);
	check_int(plan->settings.limits[LIMIT_MEMORY].value, 1 << 30);
	check_int(plan->settings.limits[LIMIT_OUTPUT].value, 1 << 20);
	check_str(requests_of(plan),
		  "the limit processes raised to 200; the limit memory raised to \"2G\"");
}

static void
sockets_tmp_accept_and_profiles_are_requests(void)
{
	auto_world struct world w;

	world_make(&w);
	auto_plan struct plan *plan =
		asking(&w, "{\"sockets\": [\"x11\"], \"extends\": [\"git\"]}",
		       "{\"sockets\": [\"docker\", \"x11\"], \"tmp\": \"shared\", \"accept\": "
		       "[\"net.udp\", "
		       "\"process.listing\"], \"extends\": [\"agent\", \"git\", \"node\"]}");
	check_str(requests_of(plan), "the profile node; to run without the guarantee net.udp; "
				     "the socket docker; the shared tmp folder");
	check_int(plan->settings.sockets.count, 1);
	check_int(plan->settings.tmp, TMP_PRIVATE);
	check(!plan->settings.accept[G_NET_UDP]);
	check_str(rights_at(plan, "$HOME/.nvm"), "");
	auto_plan struct plan *private =
		asking(&w, "{\"tmp\": \"shared\"}", "{\"tmp\": \"private\"}");
	check_int(private->settings.tmp, TMP_PRIVATE);
	check_str(requests_of(private), "");
}

static void
an_empty_extends_of_a_project_is_a_request(void)
{
	auto_world struct world w;

	world_make(&w);
	auto_plan struct plan *plan = asking(&w, NULL, "{\"extends\": []}");
	check_str(rights_at(plan, "/usr/bin"), "rx");
	check_str(requests_of(plan), "to have no base profile, instead of the one in force");
}

static void
confusable_words_are_marked(void)
{
	auto_world struct world w;

	world_make(&w);
	auto_plan struct plan *plan = asking(&w, NULL,
					     "{\"files\": {\"read\": [\"/plain\", \"/\xe2\x80\xae"
					     "evil\", \"/p\xd0\xb0ypal\"]},"
					     " \"network\": {\"domains\": [\"b\xc3\xbc"
					     "cher.example\"]}}");
	check_int(plan->request_count, 4);
	check(plan->requests[0].twice == NULL);
	for (size_t i = 1; i < plan->request_count; i++)
		check(plan->requests[i].twice != NULL);
}

/* ---- pins ---- */

#define DATA "{\"files\": {\"read\": [\"~/data\"]}}"

static struct plan *
approved(struct world *world, const struct trust *trust)
{
	return world_plan(world, (struct said){.project = DATA, .trusted = true, .trust = trust});
}

static void
an_approved_grant_applies_while_its_target_is_the_same(void)
{
	auto_world struct world w;
	struct pin pin;
	struct trust trust = {.pins = &pin, .pin_count = 1};

	world_make(&w);
	pin = trust_store_pin(world_dir(&w, "home/data"));
	check(pin.inode != 0);
	auto_plan struct plan *plan = approved(&w, &trust);
	check_str(rights_at(plan, "~/data/x"), "r");
	check_str(requests_of(plan), "");
}

static void
another_folder_at_the_same_path_needs_a_new_approval(void)
{
	auto_world struct world w;
	struct pin pin;
	struct trust trust = {.pins = &pin, .pin_count = 1};

	world_make(&w);
	pin = trust_store_pin(world_dir(&w, "home/data"));
	check_int(rename(world_path(&w, "home/data"), world_path(&w, "home/old")), 0);
	world_dir(&w, "home/data");
	auto_plan struct plan *plan = approved(&w, &trust);
	check_str(rights_at(plan, "~/data/x"), "");
	check_str(requests_of(plan), "read ~/data (approved once, but it leads elsewhere now)");
	check_int(plan->notice_count, 1);
}

static void
a_link_changed_after_approval_needs_a_new_approval(void)
{
	auto_world struct world w;
	struct pin pin;
	struct trust trust = {.pins = &pin, .pin_count = 1};

	world_make(&w);
	pin = trust_store_pin(world_dir(&w, "home/real"));
	world_dir(&w, "home/secret");
	check_int(symlink("real", world_path(&w, "home/data")), 0);
	auto_plan struct plan *before = approved(&w, &trust);
	check_str(rights_at(before, "~/real/x"), "r");
	unlink(world_path(&w, "home/data"));
	check_int(symlink("secret", world_path(&w, "home/data")), 0);
	auto_plan struct plan *after = approved(&w, &trust);
	check_str(rights_at(after, "~/secret/x"), "");
	check_str(rights_at(after, "~/real/x"), "");
	check_int(after->request_count, 1);
}

static void
an_approved_missing_path_may_be_created(void)
{
	auto_world struct world w;
	struct pin pin;
	struct trust trust = {.pins = &pin, .pin_count = 1};

	world_make(&w);
	pin = trust_store_pin(world_path(&w, "home/data"));
	check_int(pin.inode, 0);
	world_dir(&w, "home/data");
	auto_plan struct plan *plan = approved(&w, &trust);
	check_str(rights_at(plan, "~/data/x"), "r");
}

static void
a_grant_without_a_pin_is_dropped(void)
{
	auto_world struct world w;
	struct trust trust = {0};

	world_make(&w);
	world_dir(&w, "home/data");
	auto_plan struct plan *plan = approved(&w, &trust);
	check_str(rights_at(plan, "~/data/x"), "");
	check_int(plan->request_count, 1);
}

/* ---- by chance ---- */

static unsigned
pick(unsigned below)
{
	static unsigned long long seed = 4711;

	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (unsigned)((seed >> 33) % below);
}

static void
draw_path(char *to)
{
	static const char *const names[] = {"a", "b", "c", ".vscode"};

	strcpy(to, "/z");
	for (unsigned i = pick(4); i > 0; i--) {
		strcat(to, "/");
		strcat(to, names[pick(12) == 0 ? 3 : pick(3)]);
	}
}

static void
draw_rules(struct str *to)
{
	static const char *const matches[] = {"subpath", "literal", "child", "glob"};

	str_printf(to, "{\"files\": {\"default\": \"%s\", \"rules\": [", pick(2) ? "" : "rw");
	for (unsigned i = pick(6); i > 0; i--) {
		char path[40], letters[RIGHT_KINDS + 1];

		draw_path(path);
		policy_rights_to_letters(1 + pick(RIGHTS_ALL), letters);
		str_printf(to,
			   "{\"effect\": \"%s\", \"rights\": \"%s\", \"path\": \"%s\", \"match\": "
			   "\"%s\"},",
			   pick(2) ? "allow" : "deny", letters, path,
			   matches[pick(5) == 0 ? pick(4) : pick(3)]);
	}
	str_add(to, "]}, \"extends\": []}");
}

static unsigned
rights_now(const struct plan *plan, const char *path)
{
	return index_decide(&plan->index, path).rights;
}

static void
an_unapproved_project_never_widens_whatever_it_says(void)
{
	auto_world struct world w;
	size_t wider = 0;

	world_make(&w);
	for (int i = 0; i < 1500; i++) {
		auto_str struct str user = {0}, inner = {0}, project = {0};

		draw_rules(&user);
		draw_rules(&inner);
		draw_rules(&project);
		auto_plan struct plan *without =
			world_plan(&w, (struct said){.user = user.text, .inline_text = inner.text});
		auto_plan struct plan *with =
			world_plan(&w, (struct said){.user = user.text,
						     .inline_text = inner.text,
						     .project = project.text});
		for (int k = 0; k < 40; k++) {
			char path[60];

			draw_path(path);
			if (!(rights_now(with, path) & ~rights_now(without, path)))
				continue;
			if (wider++ < 2)
				printf("# %s\n# user %s\n# command %s\n# project %s\n", path,
				       user.text, inner.text, project.text);
		}
	}
	check_int(wider, 0);
}

int
main(void)
{
	run(requests_change_nothing_and_are_listed);
	run(one_notice_says_what_was_not_granted_and_how_to_grant_it);
	run(a_deny_of_a_project_needs_no_approval);
	run(a_project_makes_exceptions_from_its_own_denies);
	run(a_grant_of_one_path_is_not_widened_to_a_tree);
	run(patterns_that_allow_are_always_requests);
	run(a_protected_name_is_never_granted_to_a_project);
	run(the_policy_files_of_a_run_are_never_writable);
	run(the_default_is_narrowed_and_more_is_a_request);
	run(the_network_is_narrowed_in_every_pair_of_modes);
	run(ports_of_domains_are_narrowed);
	run(private_ranges_and_resolvers_are_requests);
	run(hidden_names_are_a_request_and_refusing_them_is_not);
	run(opaque_ports_are_a_request);
	run(the_environment_is_narrowed);
	run(optional_grants_are_requests_by_name);
	run(a_request_is_listed_in_full);
	run(limits_only_get_tighter);
	run(sockets_tmp_accept_and_profiles_are_requests);
	run(an_empty_extends_of_a_project_is_a_request);
	run(confusable_words_are_marked);
	run(an_approved_grant_applies_while_its_target_is_the_same);
	run(another_folder_at_the_same_path_needs_a_new_approval);
	run(a_link_changed_after_approval_needs_a_new_approval);
	run(an_approved_missing_path_may_be_created);
	run(a_grant_without_a_pin_is_dropped);
	run(an_unapproved_project_never_widens_whatever_it_says);
	return tap_end();
}
