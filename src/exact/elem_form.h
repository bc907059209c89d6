/*
 * elem_form.h
 *		What a device makes of the elements at a position of many arrays, or
 *		in a window of one.
 *
 * GA_FORM_RECORD: the sum as a GaPartialSum, GA_PARTIAL_COMPACT, or
 * GA_PARTIAL_REFUSED if the position had NaN or infinities, or needs more
 * digits than a record has.
 *
 * GA_FORM_SUM, GA_FORM_MEAN: the sum or the mean, rounded once, as a double, or
 * of integers as an int64_t; the sum of float4 is rounded to that type.  Behind
 * the last position is a uint64_t: how many have none, since they are refused,
 * or their value is out of range.  The arrays are fewer than 2^16.
 *
 * GA_FORM_MIN, GA_FORM_MAX: the least or the greatest element (extremum.h), in
 * the same way; each position has one.
 *
 * GA_FORM_DELTA, of windows of two neighbors alone: the second element minus
 * the first, as the operator - of their type has it, in the same way.  There is
 * none that is NaN.  The last window has one element, and the value 0.
 */
#ifndef GA_ELEM_FORM_H
#define GA_ELEM_FORM_H

#include "element.h"
#include "partial_sum.h"
#include "window.h"

typedef enum GaElemForm
{
	GA_FORM_RECORD = 0,
	GA_FORM_SUM,
	GA_FORM_MEAN,
	GA_FORM_MIN,
	GA_FORM_MAX,
	GA_N_ELEM_FORMS, /* of positions; those of windows alone follow */

	GA_FORM_DELTA = GA_N_ELEM_FORMS,
	GA_N_ALL_FORMS
} GaElemForm;

/*
 * Most positions that are asked for at a time: the records of two parts of the
 * arrays fit in the memory that a device's queue may keep.
 */
#define GA_ELEM_MOST_POSITIONS (90 * 1024)

/* Most values of windows that are asked for at a time, if they are no sums. */
#define GA_WINDOW_MOST_VALUES (192 * 1024)

/*
 * Most elements of a window, and of one whose mean is wanted; running extremes
 * may have all.
 */
#define GA_WINDOW_MOST		(1 << 21)
#define GA_WINDOW_MOST_MEAN ((1 << 16) - 1)

/*
 * Most elements of the windows of a request, all together, unless they are
 * running extremes.
 */
#define GA_WINDOW_MOST_WORK (INT64_C(1) << 31)

/* Return the most elements of a window. */
static inline GA_HOST_DEVICE uint32_t
ga_window_most(GaElemForm form)
{
	return form == GA_FORM_MEAN ? GA_WINDOW_MOST_MEAN : GA_WINDOW_MOST;
}

/*
 * Is a form one that a type has?  Results that PostgreSQL has as numeric have
 * no other form than records.
 */
static inline GA_HOST_DEVICE bool
ga_elem_has_form(GaElementType type, uint32_t form)
{
	return form == GA_FORM_RECORD || (form == GA_FORM_SUM && type != GA_int8) ||
		   (form == GA_FORM_MEAN && ga_element_is_float(type)) ||
		   form == GA_FORM_MIN || form == GA_FORM_MAX;
}

/* Is a form one that windows of a type have? */
static inline GA_HOST_DEVICE bool
ga_window_has_form(GaElementType type, uint32_t form)
{
	return form == GA_FORM_DELTA ||
		   (form != GA_FORM_RECORD && form < GA_N_ELEM_FORMS &&
			ga_elem_has_form(type, form));
}

/* Is the result of a position one of its elements? */
static inline GA_HOST_DEVICE bool
ga_elem_is_extreme(GaElemForm form)
{
	return form == GA_FORM_MIN || form == GA_FORM_MAX;
}

/* Are these running extremes, which are made from one to the next? */
static inline GA_HOST_DEVICE bool
ga_windows_are_running(const GaWindows *windows, GaElemForm form)
{
	return ga_elem_is_extreme(form) && ga_windows_run(windows);
}

/* Return the bytes of a position's result. */
static inline GA_HOST_DEVICE size_t
ga_elem_result_bytes(GaElemForm form)
{
	return form == GA_FORM_RECORD ? sizeof(GaPartialSum) : sizeof(uint64_t);
}

/* Return the bytes of the results of n positions, with all that is behind. */
static inline GA_HOST_DEVICE uint64_t
ga_elem_all_bytes(GaElemForm form, uint64_t n)
{
	return n * ga_elem_result_bytes(form) +
		   (form == GA_FORM_RECORD ? 0 : sizeof(uint64_t));
}

#endif /* GA_ELEM_FORM_H */
