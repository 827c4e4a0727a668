// SPDX-License-Identifier: MIT
/*
 * git config files. Any input; an accepted file has complete names, and is accepted as a change of itself.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "git/config/git_config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
must(int condition)
{
	if (!condition)
		abort();
}

static enum cause
refuse_some(void *context, enum gitconfig_use use, const char *path)
{
	(void)context, (void)use;
	return *path != 'x' ? CAUSE_NONE : CAUSE_NOT_GRANTED;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct gitconfig_path_check asker = {refuse_some, NULL};
	auto_arena struct arena arena = {0};
	struct gitconfig_text text = {(const char *)data, size};
	struct gitconfig_refusal refusal = {.why = CAUSE_NONE};
	struct gitconfig config;
	int rc = git_config_parse(&arena, text.text, size, &config, NULL), vetted;

	must((rc == 1) == (config.bad == CAUSE_NONE));
	for (size_t i = 0; i < config.count; i++)
		must(strchr(config.items[i].name, '.') != NULL);
	vetted = git_keys_check(&arena, GITCONFIG_REPOSITORY, &text, NULL, &asker, &refusal, NULL);
	must(vetted == 1 || (vetted == 0 && refusal.why != CAUSE_NONE && *refusal.what != '\0'));
	must(rc == 1 || vetted == 0);
	/* a setting already present may stay */
	must(git_keys_check(&arena, GITCONFIG_REPOSITORY, &text, &text, &asker, &refusal, NULL) ==
	     rc);
	git_keys_check(&arena, GITCONFIG_MODULES, &text, NULL, &asker, &refusal, NULL);
	git_config_pointer(&arena, "gitdir: ", &text, NULL);
	return 0;
}
