/*
 * server_stubs.h
 *		What the extension's offload/ needs of a server, without one.
 *
 * Memory that is not of TopMemoryContext is freed by stubs_reset().  Errors
 * end in stubs_try().  Arrays are made up: their elements are all 1.
 */
#ifndef SERVER_STUBS_H
#define SERVER_STUBS_H

#include "postgres.h"

/* Elements of the array that a TOAST pointer of so many raw bytes names. */
extern int stubs_n_elements(uint32 raw_bytes, size_t size);

/*
 * What the next calls find, and what they found: looks for a cancellation, and
 * which of them finds one (0: none); the read of an array's elements that fails
 * (0: none); nested transactions; warnings.
 */
extern int stubs_n_looks;
extern int stubs_cancel_at;
extern int stubs_fail_at;
extern int stubs_level;
extern int stubs_n_warnings;

/*
 * Samples of the OID counter and looks at chunks are numbered in their order: a
 * sample has its number as its time, and this is that of the last look.
 */
extern int64 stubs_looked_at;
extern int64 stubs_first_look; /* at any chunk since a test set it to 0 */

/* Are helpers allowed?  If they are, none comes. */
extern bool stubs_allow_helpers;

/* The time moves by itself; this moves it, too. */
extern void stubs_pass_ms(int64 ms);

/*
 * How long each yield of the processor takes; the naps that a session took;
 * what to call when it yields or naps, or NULL.
 */
extern int64 stubs_yield_us;
extern int stubs_n_naps;
extern void (*stubs_at_pause)(void);

/* Call a function.  False if it threw an error. */
extern bool stubs_try(void (*call)(void *argument), void *argument);

/* Call what is registered for the end of a transaction, or of a nested one. */
extern void stubs_end_transaction(void);
extern void stubs_end_level(bool is_commit);

/* Free the memory of a query. */
extern void stubs_reset(void);

#endif /* SERVER_STUBS_H */
