/*
 * scan_prefix.c
 *		The sum of what a session has scanned so far.
 */
#include "scan_prefix.h"
#include "exact/exact_sum_io.h"

/* Begin with an empty sum. */
void
ga_scan_prefix_begin(GaScanPrefix *prefix, GaElementType type)
{
	prefix->is_valid = true;
	prefix->type = type;
	if (ga_element_is_float(type))
		(void) ga_full_sum_init(&prefix->u.floats);
	else
		memset(&prefix->u.ints, 0, sizeof(prefix->u.ints));
}

/*
 * Read a serialized sum, which lies in staging memory: it is read once.
 * Return false if it is not one of the prefix's type.
 */
bool
ga_scan_prefix_read(GaScanPrefix *prefix, const void *bytes, size_t n_bytes)
{
	uint8_t copy[GA_EXACT_SUM_MAX_BYTES];
	GaStatus status;

	if (n_bytes > sizeof(copy))
		return false;
	memcpy(copy, bytes, n_bytes);
	if (ga_element_is_float(prefix->type))
		status = ga_exact_sum_deserialize(&prefix->u.floats, copy, n_bytes);
	else
		status = ga_int_sum_deserialize(&prefix->u.ints, copy, n_bytes);
	prefix->is_valid = status == GA_OK;
	return prefix->is_valid;
}

/* Add a segment of n elements.  The prefix is invalid if that has no sum. */
void
ga_scan_prefix_add(GaScanPrefix *prefix, int64_t n, const GaPartialSum *partial,
				   const GaFullRecord *full)
{
	if (!prefix->is_valid)
		return;
	if (ga_element_is_float(prefix->type))
		prefix->is_valid = ga_partial_merge(ga_full_sum(&prefix->u.floats), n,
											partial, full) == GA_OK;
	else
		ga_partial_merge_int(&prefix->u.ints, n, partial);
}

/* Return the sum as GaScanRequest wants it; NULL if it is empty. */
const void *
ga_scan_prefix_sum(const GaScanPrefix *prefix)
{
	const GaExactSum *floats = (const GaExactSum *) prefix->u.floats.bytes;

	if (ga_element_is_float(prefix->type))
		return floats->n > 0 ? floats : NULL;
	return prefix->u.ints.n > 0 ? &prefix->u.ints : NULL;
}

/*
 * Return the sum as a record; if it needs a full one, that is appended to the
 * n_full that there are.
 */
GaPartialSum
ga_scan_prefix_partial(const GaScanPrefix *prefix, GaFullRecord *full,
					   uint32_t full_capacity, uint32_t *n_full)
{
	const GaExactSum *floats = (const GaExactSum *) prefix->u.floats.bytes;
	uint32_t n_needed = *n_full;
	GaPartialSum partial;

	if (!ga_element_is_float(prefix->type))
		return ga_partial_from_int_sum(&prefix->u.ints);
	ga_partial_store(&partial, floats, full, full_capacity, &n_needed);
	if (n_needed <= full_capacity)
		*n_full = n_needed;
	return partial;
}
