// SPDX-License-Identifier: MIT
/* Compiles a profile, applies it, then tests that it is in force: by query and by opening files. */
#include "macos/seatbelt.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "macos/process/libsystem.h"
#include "macos/sbpl/rows.h"

static int
make_pairs(struct sbpl *sbpl, const char *const **ret_pairs, struct cordon_error *err)
{
	size_t count = sbpl->parameter_count;
	const char **pairs = arena_alloc(&sbpl->arena, (2 * count + 1) * sizeof *pairs, err);

	if (pairs == NULL)
		return -CORDON_E_MEMORY;
	for (size_t i = 0; i < count; i++) {
		pairs[2 * i] = sbpl->parameters[i].name;
		pairs[2 * i + 1] = sbpl->parameters[i].value;
	}
	*ret_pairs = pairs;
	return 0;
}

/* ---- compiling ---- */

struct compiling {
	const struct libsandbox *library;
	const struct sbpl *sbpl;
};

static bool
compiles(const void *context, const char *text)
{
	const struct compiling *with = context;
	struct libsandbox_profile *profile;
	struct cordon_error ignored = {0};

	if (libsandbox_compile(with->library, with->sbpl, text, &profile, &ignored) < 0)
		return false;
	with->library->free_profile(profile);
	return true;
}

static int
compile(struct seatbelt *seatbelt, struct sbpl *sbpl, const bool *accept, struct cordon_error *err)
{
	const struct libsandbox *library = &seatbelt->library;
	const struct compiling with = {library, sbpl};
	const struct sbpl_compiler compiler = {compiles, &with};
	struct cordon_error why = {0};
	int rc;

	if (libsandbox_compile(library, sbpl, sbpl->text, &seatbelt->compiled, &why) == 0)
		return 0;
	rc = sbpl_drop_unknown(sbpl, &compiler, accept, err);
	/* each line compiles alone, but not all together: the words are those about all */
	if (rc == 0 && sbpl->dropped == NULL) {
		*err = why;
		return -why.code;
	}
	return rc < 0 ? rc
		      : libsandbox_compile(library, sbpl, sbpl->text, &seatbelt->compiled, err);
}

int
seatbelt_prepare(struct sbpl *sbpl, const struct fingerprint *fingerprint, const bool *accept,
		 struct seatbelt *ret_seatbelt, struct cordon_error *err)
{
	struct seatbelt seatbelt = {.fingerprint = fingerprint};
	int rc = make_pairs(sbpl, &seatbelt.pairs, err);

	if (rc == 0 && libsandbox_open(&seatbelt.library))
		rc = compile(&seatbelt, sbpl, accept, err);
	if (rc < 0)
		return rc;
	seatbelt.text = sbpl->text;
	*ret_seatbelt = seatbelt;
	return 0;
}

void
seatbelt_release(struct seatbelt *seatbelt)
{
	if (seatbelt->compiled != NULL)
		seatbelt->library.free_profile(seatbelt->compiled);
	seatbelt->compiled = NULL;
}

/* ---- applying ---- */

static int
hand_over_text(const struct seatbelt *seatbelt, struct cordon_error *err)
{
	char *message = NULL;
	int rc = 0;

	errno = 0;
	if (sandbox_init_with_parameters(seatbelt->text, 0, seatbelt->pairs, &message) != 0) {
		int sys = errno;

		/* EPERM without a message: the process is in a sandbox already, and they do not nest */
		rc = cordon_fail(err, CORDON_E_SYSTEM, message == NULL ? sys : 0,
				 "Seatbelt refused the profile%s%.180s",
				 message == NULL ? "" : ": ", message == NULL ? "" : message);
	}
	if (message != NULL)
		sandbox_free_error(message);
	return rc;
}

static int
hand_over(const struct seatbelt *seatbelt, struct cordon_error *err)
{
	/* without a name of its own, so that only the bytes are used */
	struct libsandbox_profile profile;

	if (seatbelt->compiled == NULL)
		return hand_over_text(seatbelt, err);
	profile = (struct libsandbox_profile){NULL, seatbelt->compiled->data,
					      seatbelt->compiled->size};
	if (seatbelt->library.apply(&profile) != 0)
		return cordon_fail(err, CORDON_E_SYSTEM, errno, "Seatbelt refused the profile");
	return 0;
}

/* Returns 1 if opened, 0 if denied, -1 for another error. */
static int
try_open(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);

	if (fd >= 0)
		close(fd);
	if (fd >= 0)
		return 1;
	return errno == EPERM || errno == EACCES ? 0 : -1;
}

/* A profile that was accepted but is not in force must stop the session. */
static int
try_it(const struct fingerprint *fingerprint, struct cordon_error *err)
{
	if (!fingerprint_matches(fingerprint, getpid()))
		return cordon_fail(err, CORDON_E_SYSTEM, 0,
				   "Seatbelt accepted the profile and does not enforce it");
	if (try_open(fingerprint->denied) != 0)
		return cordon_fail(err, CORDON_E_SYSTEM, errno,
				   "Seatbelt let a path be opened that the profile denies");
	if (try_open(fingerprint->allowed) != 1)
		return cordon_fail(err, CORDON_E_SYSTEM, errno,
				   "Seatbelt refuses a path that the profile allows");
	return 0;
}

int
seatbelt_apply(const struct seatbelt *seatbelt, struct cordon_error *err)
{
	int rc = hand_over(seatbelt, err);

	return rc < 0 ? rc : try_it(seatbelt->fingerprint, err);
}
