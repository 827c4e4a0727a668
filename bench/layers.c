// SPDX-License-Identifier: MIT
/* Reads and loads layers, without checks beyond the kernel's: for measurements only. */
#include "layers.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CREATE_RULESET 444
#define ADD_RULE 445
#define RESTRICT_SELF 446
#define PATH_BENEATH 1

struct beneath {
	uint64_t access;
	int32_t fd;
} __attribute__((packed));

int
layer_grant(const struct layer *layer, const char *path, uint64_t rights)
{
	struct beneath rule = {.access = rights & layer->handled[0]};

	if (rule.access == 0)
		return 0;
	rule.fd = open(path, O_PATH | O_CLOEXEC);
	if (rule.fd < 0 || syscall(ADD_RULE, layer->fd, PATH_BENEATH, &rule, 0) < 0)
		return -1;
	return close(rule.fd);
}

/* "rule LAYER RIGHTS PATH"; the rights are masked by what the layer handles. */
static int
add_rule(const struct layer *layers, char *line)
{
	const struct layer *layer = &layers[strtoul(line, &line, 16) % LAYERS_MAX];
	uint64_t rights = strtoull(line, &line, 16);

	return layer_grant(layer, line + 1, rights);
}

/* "ruleset FILES NET SCOPES": the handled rights. */
static void
create(struct layer *layer, char *line)
{
	for (int i = 0; i < 3; i++)
		layer->handled[i] = strtoull(line, &line, 16);
	layer->fd = (int)syscall(CREATE_RULESET, layer->handled, sizeof layer->handled, 0);
}

int
layers_read(const char *rules, struct layer layers[LAYERS_MAX])
{
	static char text[4 << 20];
	int file = open(rules, O_RDONLY | O_CLOEXEC), count = 0;
	ssize_t length = file < 0 ? -1 : read(file, text, sizeof text - 1);

	if (length <= 0)
		return -1;
	close(file);
	for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
		if (strncmp(line, "ruleset ", 8) == 0 && count < LAYERS_MAX)
			create(&layers[count++], line + 8);
		else if (add_rule(layers, line + 5) < 0)
			return -1;
	}
	return count > 0 ? count : -1;
}

int
layer_enter(const struct layer *layer)
{
	return (int)syscall(RESTRICT_SELF, layer->fd, 0);
}
