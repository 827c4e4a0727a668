// SPDX-License-Identifier: MIT
/*
 * The sandbox of the proxy on macOS: its profile, applied and tested before the proxy reads any input. If
 * the test fails there is no session.
 */
#include "base/os_process.h"

#include "ipc/proxy_task.h"

#include "macos/seatbelt.h"

int
proxy_sandbox_enter(const struct role *role, struct cordon_error *err)
{
	static const struct fingerprint pair = {"/", SBPL_PROXY_ALLOWED, SBPL_PROXY_DENIED};
	auto_sbpl struct sbpl *sbpl = NULL;
	struct seatbelt seatbelt = {0};
	int rc = sbpl_proxy(role, &sbpl, err);

	if (rc == 0 && os_set_undumpable() < 0)
		rc = cordon_fail(err, CORDON_E_SYSTEM, errno, "cannot hide the proxy's memory");
	if (rc == 0)
		rc = seatbelt_prepare(sbpl, &pair, NULL, &seatbelt, err);
	return rc < 0 ? rc : seatbelt_apply(&seatbelt, err);
}
