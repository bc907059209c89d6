/*
 * scan_prefix.c
 *		What a session's running totals came to so far.
 */
#include "scan_prefix.h"
#include "exact/exact_sum_io.h"

/* Inputs that a sum may come with, so that no count overflows. */
#define MAX_INPUTS (INT64_C(1) << 62)

/* Nothing, yet. */
void
ga_scan_prefix_begin(GaScanPrefix *carry, GaElementType type)
{
	carry->is_valid = true;
	carry->type = type;
	if (ga_element_is_float(type))
		(void) ga_full_sum_init(&carry->u.floats);
	else
		memset(&carry->u.ints, 0, sizeof(carry->u.ints));
}

/*
 * Begin with a sum that was serialized to these bytes, which lie in staging
 * memory: they are read once.  False if they are none of the carry's type.
 */
bool
ga_scan_prefix_read(GaScanPrefix *carry, const void *bytes, size_t n_bytes)
{
	uint8_t copy[GA_EXACT_SUM_MAX_BYTES];
	GaStatus status;
	int64_t n;

	if (n_bytes > sizeof(copy))
		return false;
	memcpy(copy, bytes, n_bytes);
	if (ga_element_is_float(carry->type))
	{
		status = ga_exact_sum_deserialize(&carry->u.floats, copy, n_bytes);
		n = ga_full_sum(&carry->u.floats)->n;
	}
	else
	{
		status = ga_int_sum_deserialize(&carry->u.ints, copy, n_bytes);
		n = carry->u.ints.n;
	}
	carry->is_valid = status == GA_OK && n <= MAX_INPUTS;
	return carry->is_valid;
}

/* Another piece, of n elements.  Not valid any more if that has no sum. */
void
ga_scan_prefix_add(GaScanPrefix *carry, int64_t n, const GaPartialSum *partial,
				   const GaFullRecord *wide)
{
	if (!carry->is_valid)
		return;
	if (ga_element_is_float(carry->type))
		carry->is_valid = ga_partial_merge(ga_full_sum(&carry->u.floats), n,
										   partial, wide) == GA_OK;
	else
		ga_partial_merge_int(&carry->u.ints, n, partial);
}

/* As GaScanArray has it. */
const void *
ga_scan_prefix_sum(const GaScanPrefix *carry)
{
	const GaExactSum *floats = (const GaExactSum *) carry->u.floats.bytes;

	if (ga_element_is_float(carry->type))
		return floats->n > 0 ? floats : NULL;
	return carry->u.ints.n > 0 ? &carry->u.ints : NULL;
}

/* An integer sum as a record. */
static GaPartialSum
partial_from_int(const GaIntSum *sum)
{
	const GaInt128 total = ga_int_sum_total(sum);
	GaPartialSum partial = {.kind = GA_PARTIAL_COMPACT};

	partial.limb[0] = (uint64_t) total;
	partial.limb[1] = (uint64_t) (total >> 64);
	partial.limb[2] = total < 0 ? UINT64_MAX : 0;
	return partial;
}

/*
 * As a record, perhaps with one more wide one behind the n_full that there
 * are.
 */
GaPartialSum
ga_scan_prefix_partial(const GaScanPrefix *carry, GaFullRecord *wide,
					   uint32_t full_capacity, uint32_t *n_full)
{
	const GaExactSum *floats = (const GaExactSum *) carry->u.floats.bytes;
	GaPartialSum partial;

	if (!ga_element_is_float(carry->type))
		return partial_from_int(&carry->u.ints);
	if (ga_partial_from_sum(&partial, floats))
		return partial;
	if (*n_full >= full_capacity)
	{
		partial.kind = GA_PARTIAL_NO_CAPACITY;
		return partial;
	}
	partial.kind = GA_PARTIAL_FULL;
	partial.limb[0] = *n_full;
	ga_full_record_from_sum(&wide[(*n_full)++], floats);
	return partial;
}
