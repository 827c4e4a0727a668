// SPDX-License-Identifier: MIT
/* Audit records of Landlock as kernel 6.18 wrote them, and as no kernel writes them. */
#include "linux/landlock/audit_record.h"

#include <string.h>

#include "policy/model/model.h"
#include "tap.h"

#define STAMP "audit(1795133426.877:873): "

static bool
accesses(const char *text, uint64_t domain, unsigned rights, const char *path)
{
	struct audit_access access;

	return audit_record_access(text, &access) && access.domain == domain &&
	       access.rights == rights && strcmp(access.path, path) == 0;
}

static bool
is_refused(const char *text)
{
	struct audit_access access;

	return !audit_record_access(text, &access);
}

static void
an_access_names_domain_rights_and_path(void)
{
	check(accesses(
		STAMP
		"domain=1b6b24ffa blockers=fs.read_file path=\"/out/file\" dev=\"vda\" ino=11398385",
		0x1b6b24ffa, RIGHT_READ, "/out/file"));
	check(accesses(
		STAMP
		"domain=1b6b2506a blockers=fs.execute,fs.read_file path=\"/p\" dev=\"vda\" ino=1",
		0x1b6b2506a, RIGHT_EXECUTE | RIGHT_READ, "/p"));
	check(accesses(STAMP "domain=2 blockers=fs.read_file path=2F612062 dev=\"vda\" ino=1", 2,
		       RIGHT_READ, "/a b"));
	check(accesses(STAMP "domain=2 blockers=scope.signal opid=27839 ocomm=\"x\"", 2, 0, ""));
	check(accesses(STAMP
		       "domain=2 blockers=fs.read_file path=\"/blockers=fs.execute\" dev=\"vda\"",
		       2, RIGHT_READ, "/blockers=fs.execute"));
}

static void
a_record_of_another_form_is_refused(void)
{
	static const char *const odd[] = {
		"",
		STAMP,
		STAMP "blockers=fs.read_file path=\"/x\"",
		STAMP "domain= blockers=fs.read_file path=\"/x\"",
		STAMP "domain=-1 blockers=fs.read_file path=\"/x\"",
		STAMP "domain=1z blockers=fs.read_file path=\"/x\"",
		STAMP "domain=1 path=\"/x\"",
		STAMP "domain=1 blockers=fs.read_file",
		STAMP "domain=1 blockers=fs.read_file path=\"relative\"",
		STAMP "domain=1 blockers=fs.read_file path=\"",
		STAMP "domain=1 blockers=fs.read_file path=",
		STAMP "domain=1 blockers=fs.read_file path=2F6",
		STAMP "domain=1 blockers=fs.read_file path=2F0061",
		STAMP "domain=1 blockers=fs.read_file path=2f61",
	};
	char text[3 * PATH_MAX] = STAMP "domain=1 blockers=fs.read_file path=\"/";

	for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++)
		check(is_refused(odd[i]));
	memset(text + strlen(text), 'a', PATH_MAX);
	strcat(text, "\" dev=\"vda\"");
	check(is_refused(text));
}

static void
a_new_domain_names_its_creator(void)
{
	uint64_t domain;
	pid_t pid;

	check(audit_record_domain(
		      STAMP "domain=1b6b24ffa status=allocated mode=enforcing pid=27523 uid=0 "
			    "exe=\"/x\" comm=\"test\"",
		      &domain, &pid) &&
	      domain == 0x1b6b24ffa && pid == 27523);
	check(!audit_record_domain(STAMP "domain=1 status=deallocated denials=1", &domain, &pid));
	check(!audit_record_domain(STAMP "domain=1 status=allocated pid=99999999999", &domain,
				   &pid));
	check(!audit_record_domain(STAMP "domain=1 status=allocated exe=\"/pid=4\"", &domain,
				   &pid));
}

int
main(void)
{
	run(an_access_names_domain_rights_and_path);
	run(a_record_of_another_form_is_refused);
	run(a_new_domain_names_its_creator);
	return tap_end();
}
