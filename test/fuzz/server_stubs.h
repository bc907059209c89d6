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

/* The time moves by itself; this moves it, too. */
extern void stubs_pass_ms(int64 ms);

/* Call a function.  False if it threw an error. */
extern bool stubs_try(void (*call)(void *argument), void *argument);

/* Free the memory of a query. */
extern void stubs_reset(void);

#endif /* SERVER_STUBS_H */
