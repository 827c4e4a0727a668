// SPDX-License-Identifier: MIT
/*
 * Names that the libraries of others define, so that linking for macOS can be tried where they are not
 * built for it. Never run. A name that is missing here and used there is an error, as it should be.
 */
#define STUB(name)       \
	void name(void); \
	void name(void)  \
	{                \
	}

STUB(SHA1Final)
STUB(SHA1Init)
STUB(SHA1Update)
STUB(SHA256Final)
STUB(SHA256Init)
STUB(SHA256Update)
STUB(idn2_free)
STUB(idn2_to_ascii_8z)
STUB(pcre2_code_free_8)
STUB(pcre2_compile_8)
STUB(pcre2_get_error_message_8)
STUB(pcre2_match_8)
STUB(pcre2_match_context_create_8)
STUB(pcre2_match_context_free_8)
STUB(pcre2_match_data_create_8)
STUB(pcre2_match_data_free_8)
STUB(pcre2_set_heap_limit_8)
STUB(pcre2_set_match_limit_8)
