/*
 * helpers.h
 *		A query's helpers: parallel workers that read its stored arrays.
 */
#ifndef GA_HELPERS_H
#define GA_HELPERS_H

extern bool ga_helpers_are_allowed(void);
extern bool ga_helpers_may_read(uint64 n_bytes, bool is_partial);
extern bool ga_helpers_read(void);

#endif /* GA_HELPERS_H */
