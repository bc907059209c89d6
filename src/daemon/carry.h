/*
 * carry.h
 *		What a session's running totals came to so far.
 *
 * Long arrays come in pieces; a piece that continues begins where the one
 * before it ended.  The first may begin with a sum of the client's own.
 */
#ifndef GA_CARRY_H
#define GA_CARRY_H

#include "element.h"
#include "partial_sum.h"

typedef struct GaCarry
{
	bool		is_valid;		/* all pieces so far went well */
	GaElementType type;
	union
	{
		GaIntSum	ints;
		GaFullSum	floats;		/* a GaExactSum */
	}			u;
} GaCarry;

extern void ga_carry_begin(GaCarry *carry, GaElementType type);
extern bool ga_carry_read(GaCarry *carry, const void *bytes, size_t n_bytes);
extern void ga_carry_add(GaCarry *carry, int64_t n,
						 const GaPartialSum *partial, const GaWideSum *wide);
extern GaPartialSum ga_carry_partial(const GaCarry *carry, GaWideSum *wide,
									 uint32_t wide_room, uint32_t *n_wide);
extern const void *ga_carry_before(const GaCarry *carry);

#endif							/* GA_CARRY_H */
