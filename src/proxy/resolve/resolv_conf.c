// SPDX-License-Identifier: MIT
/* Reads resolv.conf and hosts before the proxy is confined. The proxy reads no other file. */
#include "proxy/resolve/resolv_conf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fd.h"
#include "plan/hosts.h"

#define HOSTS_MAX 4096

void
resolv_conf_read_servers(struct resolver *resolver, const char *text)
{
	char word[HOSTS_WORD_MAX];

	for (; *text != '\0'; text = hosts_next_line(text)) {
		const char *line = text;
		struct ip_address *slot = &resolver->servers[resolver->count];

		if (resolver->count == RESOLVER_SERVERS)
			return;
		if (*line == ';' || !hosts_word(&line, word) || strcmp(word, "nameserver") != 0 ||
		    !hosts_word(&line, word) || !ip_parse(word, slot))
			continue;
		resolver->ports[resolver->count++] = 53;
	}
}

bool
resolv_conf_allows(const struct network *network, const char *name)
{
	return network_decide(network, name, 1).domain != NULL;
}

static void
add_host(struct resolver *resolver, const struct ip_address *address, const char *name)
{
	struct host_line *lines = resolver->hosts;
	char *copy = resolver->host_count >= HOSTS_MAX ? NULL : strdup(name);

	if (copy != NULL && resolver->host_count % 16 == 0)
		lines = realloc(lines, (resolver->host_count + 16) * sizeof *lines);
	if (copy == NULL || lines == NULL) {
		free(copy);
		return;
	}
	resolver->hosts = lines;
	lines[resolver->host_count++] = (struct host_line){*address, copy};
}

void
resolv_conf_read_hosts(struct resolver *resolver, const char *text, const struct network *network)
{
	char word[HOSTS_WORD_MAX], name[NAME_SIZE];

	for (; *text != '\0'; text = hosts_next_line(text)) {
		const char *line = text;
		struct ip_address address;

		if (!hosts_word(&line, word) || !ip_parse(word, &address))
			continue;
		while (hosts_word(&line, word))
			if (hostname_normalise(word, strlen(word), name) &&
			    resolv_conf_allows(network, name))
				add_host(resolver, &address, name);
	}
}

/* A missing file counts as empty; an unreadable one is an error. */
static int
read_file(struct arena *arena, const char *path, const char **ret_text, struct cordon_error *err)
{
	struct cordon_error why = {0};
	size_t length;
	char *text;
	int rc = fd_read_file(arena, path, HOSTS_FILE_MAX, &text, &length, NULL, &why);

	*ret_text = rc < 0 ? "" : text;
	if (rc == 0 || why.sys == ENOENT)
		return 0;
	if (err != NULL)
		*err = why;
	return rc;
}

int
resolv_conf_load(struct resolver *ret_resolver, const struct network *network,
		 struct cordon_error *err)
{
	auto_arena struct arena arena = {0};
	struct resolver resolver = {0};
	const char *text;
	int rc = read_file(&arena, "/etc/hosts", &text, err);

	if (rc < 0)
		return rc;
	resolv_conf_read_hosts(&resolver, text, network);
	if (network->resolver.text != NULL) {
		if (!ip_parse_endpoint(network->resolver.text, &resolver.servers[0],
				       &resolver.ports[0]))
			rc = cordon_fail(err, CORDON_E_POLICY, 0,
					 "\"%.80s\" is not the address of a resolver",
					 network->resolver.text);
		resolver.count = 1;
	} else {
		rc = read_file(&arena, "/etc/resolv.conf", &text, err);
		resolv_conf_read_servers(&resolver, text);
	}
	/* the default of libc */
	if (resolver.count == 0) {
		ip_parse("127.0.0.1", &resolver.servers[0]);
		resolver.ports[resolver.count++] = 53;
	}
	if (rc < 0) {
		resolv_conf_free(&resolver);
		return rc;
	}
	*ret_resolver = resolver;
	return 0;
}

void
resolv_conf_free(struct resolver *resolver)
{
	for (size_t i = 0; i < resolver->host_count; i++)
		free(resolver->hosts[i].name);
	free(resolver->hosts);
	*resolver = (struct resolver){0};
}
