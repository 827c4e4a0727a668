// SPDX-License-Identifier: MIT
/* Applies a profile, then tests that it is in force: by query and by opening files. */
#include "macos/seatbelt.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "macos/process/libsystem.h"

int
seatbelt_prepare(struct sbpl *sbpl, const struct fingerprint *fingerprint,
		 struct seatbelt *ret_seatbelt, struct cordon_error *err)
{
	size_t count = sbpl->parameter_count;
	const char **pairs = arena_alloc(&sbpl->arena, (2 * count + 1) * sizeof *pairs, err);

	if (pairs == NULL)
		return -CORDON_E_MEMORY;
	for (size_t i = 0; i < count; i++) {
		pairs[2 * i] = sbpl->parameters[i].name;
		pairs[2 * i + 1] = sbpl->parameters[i].value;
	}
	*ret_seatbelt = (struct seatbelt){sbpl->text, pairs, fingerprint};
	return 0;
}

static int
hand_over(const struct seatbelt *seatbelt, struct cordon_error *err)
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
				   "Seatbelt took the profile and does not hold it");
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
