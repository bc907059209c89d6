/*
 * self_test_compute.h
 *		What a device computes in its self-test.
 */
#ifndef GA_SELF_TEST_COMPUTE_H
#define GA_SELF_TEST_COMPUTE_H

#include "self_test_results.h"

/*
 * The elements, their second factors, running totals, sums by position, and the
 * arrays when they are packed: headers and payloads of all in one page.
 */
#define GA_TEST_ARRAYS_BYTES (GA_SELF_TEST_ELEMENTS * sizeof(int64_t))
#define GA_TEST_TOTALS_AT	 (2 * GA_TEST_ARRAYS_BYTES)
#define GA_TEST_ELEM_AT		 (GA_TEST_TOTALS_AT + GA_SELF_TEST_TOTALS_BYTES)
#define GA_TEST_ELEM_BYTES	 (GA_SELF_TEST_POSITIONS * sizeof(GaPartialSum))
#define GA_TEST_PACKED_AT \
	((GA_TEST_ELEM_AT + GA_TEST_ELEM_BYTES + 255) / 256 * 256)
#define GA_TEST_BYTES (GA_TEST_PACKED_AT + GA_PACKED_PAGE_BYTES)

/* A device at work. */
typedef struct GaTestSide
{
	const GaDeviceKind *kind;
	GaDevice *device;
	GaDeviceQueue *queue;
	GaDeviceAddress memory; /* of GA_TEST_BYTES */
	GaDeviceFailure *failure;
} GaTestSide;

extern void ga_self_test_find(GaDeviceAddress at, GaElementType type,
							  GaDeviceArray arrays[]);
extern GaStatus ga_self_test_compute(const GaTestSide *side, GaElementType type,
									 const GaDeviceArray arrays[],
									 GaSelfTestResults *results);

/* self_test_pack.c */
extern GaStatus ga_self_test_pack(const GaTestSide *side, GaElementType type,
								  GaDeviceArray packed[], bool *is_packed);

#endif /* GA_SELF_TEST_COMPUTE_H */
