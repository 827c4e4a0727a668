/* SPDX-License-Identifier: MIT */
/*
 * FNV-1a, byte by byte: the hash of a path passes through the hashes of all directories above it.
 * Not for tables whose keys an attacker chooses, because collisions are easy to make.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define HASH_START 0xcbf29ce484222325u

static inline uint64_t
hash_byte(uint64_t hash, char byte)
{
	return (hash ^ (unsigned char)byte) * 0x100000001b3u;
}

static inline uint64_t
hash_bytes(const char *bytes, size_t length)
{
	uint64_t hash = HASH_START;

	for (size_t i = 0; i < length; i++)
		hash = hash_byte(hash, bytes[i]);
	return hash;
}

static inline uint64_t
hash_text(const char *text)
{
	uint64_t hash = HASH_START;

	for (; *text != '\0'; text++)
		hash = hash_byte(hash, *text);
	return hash;
}
