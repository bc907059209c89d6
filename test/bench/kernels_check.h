/*
 * kernels_check.h
 *		What answers of a device must be, by the CPU engine.
 */
#ifndef KERNELS_CHECK_H
#define KERNELS_CHECK_H

#include "device/device.h"

/* The exact sum of the elements that were added so far. */
typedef struct BenchCheck BenchCheck;

extern BenchCheck *bench_check_new(GaElementType type);
extern void bench_check_free(BenchCheck *check);
extern void bench_check_reset(BenchCheck *check);
extern void bench_check_add(BenchCheck *check, const void *data, size_t n);
extern bool bench_check_totals(BenchCheck *check, const void *in, size_t n,
							   GaScanTotals totals, const void *out);
extern bool bench_check_sum(const BenchCheck *check,
							const GaPartialSum *partial,
							const GaFullRecord *full);
extern uint64_t bench_check_round(const BenchCheck *check);
extern uint64_t bench_check_digest(const BenchCheck *check);
extern bool bench_check_near(const BenchCheck *check, const void *sum);

extern uint64_t bench_round(GaElementType type, int64_t n,
							const GaPartialSum *partial,
							const GaFullRecord *full);
extern uint64_t bench_digest_sum(int64_t n, const GaPartialSum *partial,
								 const GaFullRecord *full);
extern double bench_tolerance(GaElementType type, size_t n);

#endif /* KERNELS_CHECK_H */
