/*
 * stored_scan.h
 *		Running totals of stored arrays as a backend requests them.
 */
#ifndef STORED_SCAN_H
#define STORED_SCAN_H

#include "stored.h"

/* A request for totals of n elements of an array, from one on. */
extern GaRequest stored_scan(const StoredArray *array, uint64_t statement_id,
							 uint32_t slot, size_t from, size_t n);

/* The most elements of a segment; of one that is sent, if it is staged. */
extern size_t stored_scan_limit(const ArraySet *set, bool is_staged);

/*
 * Take the answer and compare it with what the totals of the set's first
 * array must be, of which there are n_must.  False at the overflow.
 */
extern bool stored_check_scan(Client *who, const GaRequest *request,
							  ArraySet *set, const char *must, size_t n_must);

#endif /* STORED_SCAN_H */
