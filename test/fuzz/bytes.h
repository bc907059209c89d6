/*
 * bytes.h
 *		The input of a fuzzer, taken apart from its beginning.
 *
 * A fuzzer is a function of bytes: LLVMFuzzerTestOneInput() in fuzz_*.c.
 * libFuzzer calls it with inputs that it makes (make fuzz-bytes), replay.c
 * with those that are kept (make check).  After its end an input is zeros.
 */
#ifndef BYTES_H
#define BYTES_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Bytes
{
	const uint8_t *next;
	size_t left;
} Bytes;

extern int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes);
extern int LLVMFuzzerInitialize(int *argc, char ***argv);

/* End the program if a law is broken, so that the fuzzer keeps the input. */
#define must(condition)       \
	((condition) ? (void) 0 : \
				   __assert_fail(#condition, __FILE__, __LINE__, __func__))

static inline uint8_t
take_byte(Bytes *bytes)
{
	if (bytes->left == 0)
		return 0;
	bytes->left--;
	return *bytes->next++;
}

/* Take up to n bytes.  Return how many there were. */
static inline size_t
take_bytes(Bytes *bytes, void *to, size_t n)
{
	n = n < bytes->left ? n : bytes->left;
	if (n > 0)
		memcpy(to, bytes->next, n);
	bytes->next += n;
	bytes->left -= n;
	return n;
}

/* Take a word: a byte if it is small, and four bytes else. */
static inline uint32_t
take_word(Bytes *bytes)
{
	uint32_t word = take_byte(bytes);

	if (word < 240)
		return word;
	if (word < 248)
		return UINT32_C(1) << (8 + word % 8 * 3);
	if (word < 252)
		return UINT32_MAX - take_byte(bytes);
	word = 0;
	(void) take_bytes(bytes, &word, sizeof(word));
	return word;
}

/* Overwrite up to n words, from a place on. */
static inline void
take_words(Bytes *bytes, volatile uint32_t *to, uint32_t n)
{
	uint32_t i;

	for (i = 0; i < n && bytes->left > 0; i++)
		to[i] = take_word(bytes);
}

#endif /* BYTES_H */
