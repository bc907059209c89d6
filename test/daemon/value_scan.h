/*
 * value_scan.h
 *		Running totals of stored values as a backend asks for them.
 */
#ifndef VALUE_SCAN_H
#define VALUE_SCAN_H

#include "values.h"

/* A request for totals of n elements of a value, from one on. */
extern GaRequest value_scan(const Value *value, uint64_t scan, uint32_t slot,
							size_t from, size_t n);

/* The most elements of a piece; of one that is sent, if it is staged. */
extern size_t value_scan_limit(const Batch *batch, bool is_staged);

/*
 * Take the answer and compare it with what the totals of the batch's first
 * array must be, of which there are n_must.  False at the overflow.
 */
extern bool value_check_scan(Client *who, const GaRequest *request,
							 Batch *batch, const char *must, size_t n_must);

#endif /* VALUE_SCAN_H */
