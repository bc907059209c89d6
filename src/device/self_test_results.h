/*
 * self_test_results.h
 *		What a device computes in its self-test, and whether it is right.
 */
#ifndef GA_SELF_TEST_RESULTS_H
#define GA_SELF_TEST_RESULTS_H

#include "self_test.h"

/* The arrays: of plain elements, of many exponents, and of few elements. */
#define GA_SELF_TEST_ARRAYS	  3
#define GA_SELF_TEST_ELEMENTS 24000
extern const uint32_t ga_self_test_lengths[GA_SELF_TEST_ARRAYS];

/* Running totals are of the first array, in two parts: its first elements. */
#define GA_SELF_TEST_FIRST_TOTALS (5 * GA_PACKED_VECTOR)
#define GA_SELF_TEST_TOTALS_BYTES (GA_SELF_TEST_ELEMENTS * sizeof(GaInt128))

/*
 * Sums by position are of parts of these arrays: the arrays of a piece are
 * parts of one of them.
 */
#define GA_SELF_TEST_ELEM_ARRAYS 300
#define GA_SELF_TEST_POSITIONS	 350
extern const uint32_t ga_self_test_positions[GA_SELF_TEST_ARRAYS];

/*
 * Windows are over these arrays, too: buckets of one, and of its halves; of
 * another one those that move, that run, and of neighbors.
 */
#define GA_SELF_TEST_WINDOWS 5
typedef struct GaSelfTestWindows
{
	int array;
	GaWindows windows;
	uint32_t first;
	uint32_t n;	  /* GA_SELF_TEST_POSITIONS at most */
	bool are_two; /* is each of the two pieces an array? */
} GaSelfTestWindows;

extern const GaSelfTestWindows ga_self_test_windows[GA_SELF_TEST_WINDOWS];

/* What a device computes of one element type. */
typedef struct GaSelfTestResults
{
	GaPartialSum sums[GA_SELF_TEST_ARRAYS];
	GaFullRecord full[GA_SELF_TEST_ARRAYS];
	GaPartialSum records[GA_N_ALL_REDUCTIONS]
						[GA_SELF_TEST_ARRAYS * GA_MAX_RECORDS];
	char totals[GA_SELF_TEST_TOTALS_BYTES];
	uint64_t n_totals;
	GaPartialSum elem[GA_SELF_TEST_POSITIONS];
	/* of the other forms that the type has, and what is behind them */
	uint64_t values[GA_N_ELEM_FORMS][GA_SELF_TEST_POSITIONS + 1];
	/* of windows, in the same way */
	uint64_t windows[GA_SELF_TEST_WINDOWS][GA_N_ALL_FORMS]
					[GA_SELF_TEST_POSITIONS + 1];
} GaSelfTestResults;

extern GaReductionSet ga_self_test_compare(GaElementType type,
										   const GaSelfTestResults *is,
										   const GaSelfTestResults *must);

#endif /* GA_SELF_TEST_RESULTS_H */
