/*
 * helpers.h
 *		A query's helpers: parallel workers that read its stored arrays.
 */
#ifndef GA_HELPERS_H
#define GA_HELPERS_H

/*
 * What is worth a first helper: to start and end one takes about as long as to
 * read 20 MB.
 */
#define GA_HELPERS_MIN_BYTES (UINT64_C(64) << 20)

extern bool ga_helpers_are_allowed(void);
extern bool ga_helpers_may_read(uint64 n_bytes, bool is_partial);
extern bool ga_helpers_read(void);

#endif /* GA_HELPERS_H */
