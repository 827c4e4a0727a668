// SPDX-License-Identifier: MIT
/* Puts the parts of the page together; report/ has its style, script and elements. */
#include "explain/page.h"

#include <string.h>

static const struct {
	const char *name, *text;
} parts[] = {
#include "report.inc"
};

static void
add_part(const char *name, struct str *to)
{
	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
		if (strcmp(parts[i].name, name) == 0)
			str_add(to, parts[i].text);
}

void
page_begin(const char *nonce, struct str *to)
{
	str_add(to, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
	str_printf(to,
		   "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		   "script-src 'nonce-%s'; style-src 'nonce-%s'; base-uri 'none'; "
		   "form-action 'none'\">\n",
		   nonce, nonce);
	str_add(to, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		    "<meta name=\"referrer\" content=\"no-referrer\">\n"
		    "<title>cordon: report of a session</title>\n");
	str_printf(to, "<style nonce=\"%s\">\n", nonce);
	add_part("report.css", to);
	str_add(to, "</style>\n</head>\n");
	add_part("report.html", to);
	str_add(to, "<script type=\"application/json\" id=\"data\">\n");
}

/* In JSON these characters stand only in strings, where the escape means the same. */
void
page_add_json(const char *json, struct str *to)
{
	while (*json != '\0') {
		size_t length = strcspn(json, "<>&");

		str_add_n(to, json, length);
		json += length;
		if (*json != '\0')
			str_printf(to, "\\u%04x", (unsigned char)*json++);
	}
}

void
page_end(const char *nonce, struct str *to)
{
	str_printf(to, "\n</script>\n<script nonce=\"%s\">\n", nonce);
	add_part("report.js", to);
	str_add(to, "</script>\n</body>\n</html>\n");
}
