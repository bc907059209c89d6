/*
 * cpu_extremum.c
 *		The least or the largest element of arrays, by the CPU, of any element
 *		type.
 *
 * The CPU engine of src/cpu searches arrays; here are the choice by type, and
 * what two states, or a state and the device's answer, have in common.  Called
 * by way of reduction_state.c, and by the SQL functions.  Keeps nothing.
 */
#include "postgres.h"

#include "cpu_extremum.h"
#include "exact/extremum.h"
#include "extension/settings.h"

/* Make a state one of no elements of a type. */
void
ga_extremum_init(GaExtremum *extremum, GaElementType type, bool is_max)
{
	memset(extremum, 0, sizeof(*extremum));
	extremum->is_max = is_max;
	extremum->type = type;
}

/* Take an integer into account. */
static void
add_int(GaExtremum *extremum, int64 x)
{
	int64 *value = &extremum->value.as_int;

	if (!extremum->is_set)
		*value = x;
	extremum->is_set = true;
	*value = extremum->is_max ? ga_max_int8(x, *value) : ga_min_int8(x, *value);
}

/* Take a float into account; even one NaN gets the usual bits. */
static void
add_float(GaExtremum *extremum, double x)
{
	double *value = &extremum->value.as_float;

	if (!extremum->is_set)
		*value = x;
	extremum->is_set = true;
	*value =
		extremum->is_max ? ga_max_float8(x, *value) : ga_min_float8(x, *value);
}

/* Take n > 0 elements into account: a GaReduceAdd, of a state that stays. */
void *
ga_cpu_add_extremum(void *extremum, GaElementType type, const void *data,
					size_t n)
{
	GaExtremum *to = extremum;

	switch (type)
	{
#define X(name, family, ctype)                                      \
	case GA_##name:                                                 \
		add_##family(to, to->is_max ? ga_cpu->max_##name(data, n) : \
									  ga_cpu->min_##name(data, n)); \
		break;
		GA_ELEMENT_TYPES(X)
#undef X
		default:
			Assert(false);
	}
	return to;
}

/* Take another state into account, of the same type and end. */
void
ga_extremum_merge(GaExtremum *extremum, const GaExtremum *other)
{
	if (!other->is_set)
		return;
	if (ga_element_is_float(extremum->type))
		add_float(extremum, other->value.as_float);
	else
		add_int(extremum, other->value.as_int);
}

/* Is the value, if there is one, an element of the type? */
bool
ga_extremum_is_valid(const GaExtremum *extremum)
{
	const int64 i = extremum->value.as_int;
	const double f = extremum->value.as_float;

	switch (extremum->type)
	{
		case GA_int2:
			return i == (int16) i;
		case GA_int4:
			return i == (int32) i;
		case GA_float4:
			return f == (double) (float) f || f != f;
		default:
			return true;
	}
}

/*
 * Take the device's compact record of n elements into account.  False, and
 * nothing changes, if no elements have it.
 */
bool
ga_extremum_merge_record(GaExtremum *extremum, uint32 n,
						 const GaPartialSum *record)
{
	GaExtremum other;

	ga_extremum_init(&other, extremum->type, extremum->is_max);
	other.is_set = n > 0;
	if (other.is_set)
		memcpy(&other.value, &record->limb[0], sizeof(other.value));
	if (!ga_extremum_is_valid(&other))
		return false;
	ga_extremum_merge(extremum, &other);
	return true;
}
