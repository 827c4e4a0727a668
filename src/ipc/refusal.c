// SPDX-License-Identifier: MIT
/* Sends and receives refusals, each as one message. */
#include "base/os.h"

#include "ipc/refusal.h"

#include <string.h>

#include "base/str.h"

void
refusal_send(int line, const struct refusal *refusal)
{
	if (line >= 0)
		(void)!send(line, refusal, sizeof *refusal, MSG_DONTWAIT | MSG_NOSIGNAL);
}

/*
 * The user may paste it into a shell: accept only an option with one word, or the known part of a policy.
 */
static bool
is_advice(const char *text)
{
	const char *word = strchr(text, ' ');

	if (strcmp(text, EVENT_ALLOW_ECH) == 0)
		return true;
	return strncmp(text, "--", 2) == 0 && (word == NULL || str_is_shell_word(word + 1)) &&
	       strspn(text + 2, "abcdefghijklmnopqrstuvwxyz-") ==
		       (word == NULL ? strlen(text) : (size_t)(word - text)) - 2;
}

bool
refusal_receive(int line, struct refusal *ret_refusal, bool *ret_ended)
{
	struct refusal got;
	ssize_t n;

	do
		n = recv(line, &got, sizeof got, MSG_DONTWAIT);
	while (n < 0 && errno == EINTR);
	*ret_ended = n == 0 || (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK);
	if (n != (ssize_t)sizeof got)
		return false;
	/* the sender may be the proxy, which reads input from the network */
	got.what[sizeof got.what - 1] = got.subject[sizeof got.subject - 1] = '\0';
	got.reason[sizeof got.reason - 1] = got.allow[sizeof got.allow - 1] = '\0';
	if (!is_advice(got.allow))
		got.allow[0] = '\0';
	*ret_refusal = got;
	return true;
}

void
refusal_print(const struct refusal *refusal, struct str *to)
{
	str_add(to, ", \"what\": ");
	str_json(to, refusal->what);
	str_add(to, ", \"subject\": ");
	str_json(to, refusal->subject);
	str_add(to, ", \"reason\": ");
	str_json(to, refusal->reason);
	if (refusal->allow[0] != '\0') {
		str_add(to, ", \"allow\": ");
		str_json(to, refusal->allow);
	}
}
