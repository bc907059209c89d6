/*
 * engine.h
 *		Sums and running totals, by the engine that is in charge of them.
 */
#ifndef GA_ENGINE_H
#define GA_ENGINE_H

#include "exact/exact_sum.h"
#include "exact/int_sum.h"
#include "reason.h"
#include "extension/settings.h"

/* Work that was done in this session; gpuagg_session_stat shows it. */
typedef struct GaSessionStat
{
	int64 arrays;
	int64 elements; /* their elements that were not NULL */
} GaSessionStat;

/* By the reason why the CPU did it; GA_NO_REASON is the device's. */
extern GaSessionStat ga_session_stat[GA_N_REASONS];

extern const char *ga_reason_text(GaReason reason);
extern GaReason ga_engine_choose(Datum value, bool is_alone);
extern GaReason ga_engine_open_device(void);
extern void ga_session_stat_count(GaReason reason, int64 arrays,
								  int64 elements);
extern void ga_engine_report(GaReason reason);

extern void ga_cpu_add(void *sum, GaElementType type, const void *data,
					   size_t n);
extern size_t ga_cpu_scan(void *sum, GaElementType type, const void *in,
						  size_t n, void *out);

/*
 * A sum is a GaIntSum, or of floats a GaExactSum, in a piece of palloc'd
 * memory or with all the room there is.  In an aggregate, `context` is what it
 * lives in; the device may still be at work when these return, until
 * ga_engine_finish().
 */
extern void *ga_engine_add_array(void *sum, GaElementType type, Datum array,
								 MemoryContext context);
extern void *ga_engine_add_value(void *sum, GaElementType type,
								 const void *value, MemoryContext context);
extern void ga_engine_sum_array(void *sum, GaElementType type, Datum array);
extern void ga_engine_finish_pending(void);
extern bool ga_engine_has_pending;

/* Wait for what the device does, before a sum is looked at. */
static inline void
ga_engine_finish(void)
{
	if (unlikely(ga_engine_has_pending))
		ga_engine_finish_pending();
}

/* Does everything go to the device, plain values too? */
static inline bool
ga_engine_is_gpu(void)
{
	return unlikely(ga_engine == GA_ENGINE_GPU);
}

#endif /* GA_ENGINE_H */
