// SPDX-License-Identifier: MIT
/*
 * Preloaded into cordon: Landlock calls itself of version OLDER_ABI. What a later one would do is
 * then done on behalf, here as on an older kernel.
 */
#include <dlfcn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#define CREATE_RULESET 444
#define QUERY_VERSION 1

__attribute__((visibility("default"))) long
syscall(long number, ...)
{
	const char *abi = getenv("OLDER_ABI");
	long (*real)(long, ...);
	long a[6];
	va_list rest;

	va_start(rest, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(rest, long);
	va_end(rest);
	if (number == CREATE_RULESET && a[0] == 0 && a[2] == QUERY_VERSION && abi != NULL)
		return strtol(abi, NULL, 10);
	*(void **)&real = dlsym(RTLD_NEXT, "syscall");
	return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
