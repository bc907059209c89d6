/*
 * session_counters.h
 *		What this session computed, by the reason for its engine.
 */
#ifndef GA_SESSION_COUNTERS_H
#define GA_SESSION_COUNTERS_H

#include "reason.h"

typedef struct GaSessionCounter
{
	int64 arrays;
	int64 elements; /* that were not NULL */
} GaSessionCounter;

/* Of the CPU by the reason; of the device under GA_NO_REASON. */
extern GaSessionCounter ga_session_counters[GA_N_REASONS];

extern const char *ga_reason_text(GaReason reason);
extern void ga_session_count(GaReason reason, int64 arrays, int64 elements);
extern void ga_session_report_failure(GaReason reason, const char *detail);

#endif /* GA_SESSION_COUNTERS_H */
