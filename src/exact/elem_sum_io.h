/*
 * elem_sum_io.h
 *		Sums position by position as bytes, for transport between processes.
 *
 *		byte  0        GA_ELEM_MAGIC
 *		byte  1        version, GA_ELEM_VERSION
 *		byte  2        the element type
 *		bytes 3..10    number of arrays
 *		bytes 11..18   number of positions
 *
 * and for each block of GA_ELEM_BLOCK positions
 *
 *		byte  0        index f of the lowest limb
 *		byte  1        number of limbs
 *		byte  2        bit c is set if there are counts c
 *		then           for each limb, the lowest first, that of each position
 *		then           for each kind of counts that of each position
 *
 * Integers have 64 bits in network byte order.  Limb i counts in
 * 2^(64 * (f + i) - 1074), and of integer types in 2^(64 * (f + i)); together
 * the limbs of a position are one two's-complement number.  The form is
 * canonical: for no block could a limb at either end be omitted, or a kind of
 * counts, so equal sums have equal bytes.
 *
 * For elem_sum_io.c, which writes it, and elem_sum_read.c.
 */
#ifndef GA_ELEM_SUM_IO_H
#define GA_ELEM_SUM_IO_H

#include "elem_sum.h"

#define GA_ELEM_MAGIC		0xe7
#define GA_ELEM_VERSION		1
#define GA_ELEM_HEAD_BYTES	19
#define GA_ELEM_BLOCK_BYTES 3

#define GA_ELEM_LIMB_BITS 64

/* The limbs of any total: 2^56 terms of up to 2^1024, in units of 2^-1074. */
#define GA_ELEM_MAX_LIMBS 34

extern uint8_t ga_elem_counts_present(const GaElemBlock *block);

#endif /* GA_ELEM_SUM_IO_H */
