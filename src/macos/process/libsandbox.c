// SPDX-License-Identifier: MIT
/* Loads libsandbox and compiles with it. Loaded by name, because the stubs for linking do not have it. */
#include "macos/process/libsandbox.h"

#include <dlfcn.h>
#include <string.h>

#include "base/array.h"
#include "macos/process/libsystem.h"

bool
libsandbox_open(struct libsandbox *ret_library)
{
	struct libsandbox library;
	const struct {
		const char *name;
		void *to;
	} functions[] = {
		{"sandbox_create_params", &library.create_params},
		{"sandbox_set_param", &library.set_param},
		{"sandbox_free_params", &library.free_params},
		{"sandbox_compile_string", &library.compile},
		{"sandbox_apply", &library.apply},
		{"sandbox_free_profile", &library.free_profile},
	};
	void *handle = dlopen("/usr/lib/libsandbox.1.dylib", RTLD_NOW | RTLD_LOCAL);

	for (size_t i = 0; handle != NULL && i < COUNT(functions); i++) {
		void *found = dlsym(handle, functions[i].name);

		if (found == NULL)
			return false;
		memcpy(functions[i].to, &found, sizeof found);
	}
	if (handle != NULL)
		*ret_library = library;
	return handle != NULL;
}

static int
set_params(const struct libsandbox *library, const struct sbpl *sbpl, void *params,
	   struct cordon_error *err)
{
	for (size_t i = 0; i < sbpl->parameter_count; i++)
		if (library->set_param(params, sbpl->parameters[i].name,
				       sbpl->parameters[i].value) != 0)
			return cordon_fail(err, CORDON_E_SYSTEM, 0,
					   "Seatbelt refused a parameter of the profile");
	return 0;
}

int
libsandbox_compile(const struct libsandbox *library, const struct sbpl *sbpl, const char *text,
		   struct libsandbox_profile **ret_profile, struct cordon_error *err)
{
	void *params = library->create_params();
	struct libsandbox_profile *profile = NULL;
	char *message = NULL;
	int rc;

	if (params == NULL)
		return cordon_no_memory(err);
	rc = set_params(library, sbpl, params, err);
	if (rc == 0)
		profile = library->compile(text, params, &message);
	if (rc == 0 && profile == NULL)
		rc = cordon_fail(err, CORDON_E_SYSTEM, 0, "Seatbelt refused the profile%s%.180s",
				 message == NULL ? "" : ": ", message == NULL ? "" : message);
	if (message != NULL)
		sandbox_free_error(message);
	library->free_params(params);
	if (rc == 0)
		*ret_profile = profile;
	return rc;
}
