/*
 * exact_sum_io.h
 *		The exact sum as bytes, for transport between processes and nodes.
 *
 *		byte  0        GA_EXACT_SUM_MAGIC
 *		byte  1        what it is: GA_EXACT_SUM_KIND
 *		byte  2        version, GA_EXACT_SUM_VERSION
 *		bytes 3..42    n, n_nan, n_pos_inf, n_neg_inf, n_neg_zero
 *		byte  43       index f of the lowest limb
 *		byte  44       number of limbs
 *		then           the limbs, the lowest first
 *
 * Integers have 64 bits in network byte order.  Limb i counts in
 * 2^(64 * (f + i) - 1074); together the limbs are one two's-complement number.
 * The form is canonical: no limb at either end could be omitted, so equal sums
 * have equal bytes, whatever the order of additions was.
 *
 * These are the bytes of the SQL type exactsum, too, which people store: what
 * version 1 says here is for ever.  doc/distribution.md has them for readers
 * elsewhere.
 *
 * Called by the serialization functions of aggregates, and by those of the
 * type.  Bytes may come from anywhere, so reading them must check all of them.
 */
#ifndef GA_EXACT_SUM_IO_H
#define GA_EXACT_SUM_IO_H

#include "exact_sum.h"

#define GA_EXACT_SUM_MAGIC		0xe5
#define GA_EXACT_SUM_KIND		1
#define GA_EXACT_SUM_VERSION	1
#define GA_EXACT_SUM_MAX_LIMBS	(GA_MAX_CELLS / 2)
#define GA_EXACT_SUM_HEAD_BYTES 45
#define GA_EXACT_SUM_MAX_BYTES \
	(GA_EXACT_SUM_HEAD_BYTES + 8 * GA_EXACT_SUM_MAX_LIMBS)

extern size_t ga_exact_sum_serialize(const GaExactSum *sum,
									 uint8_t bytes[GA_EXACT_SUM_MAX_BYTES]);
extern GaStatus ga_exact_sum_deserialize(GaFullSum *full, const uint8_t *bytes,
										 size_t n_bytes);

extern GaStatus ga_exact_sum_add_serialized(const uint8_t *a, size_t n_a,
											const uint8_t *b, size_t n_b,
											int by, uint8_t *bytes,
											size_t *n_bytes);

#endif /* GA_EXACT_SUM_IO_H */
