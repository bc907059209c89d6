/*
 * session_counters.h
 *		What this session computed, by the reason for its engine.
 */
#ifndef GA_SESSION_COUNTERS_H
#define GA_SESSION_COUNTERS_H

#include "counters.h"
#include "exact/element.h"

/* A failure of the device, or GA_NO_REASON, and what gpuaggd said of it. */
typedef struct GaFailure
{
	GaReason reason;
	char detail[256];
} GaFailure;

/* Of this process, since it started. */
extern GaCounters ga_session_counters;

/*
 * Of the aggregate node whose support function runs; NULL if there is none, or
 * if nobody asked for its counters.  node_counters.c sets it.
 */
extern GaCounters *ga_node_counters;

extern const char *ga_reason_text(GaReason reason);
extern void ga_session_count(GaCounters *node, GaReason reason,
							 GaElementType type, int64 arrays, int64 elements);
extern void ga_session_count_bytes(GaCounters *node, GaReason reason,
								   int64 arrays, int64 elements, int64 bytes);
extern void ga_session_count_lookup(GaCounters *node, bool is_hit);
extern void ga_session_count_waiting(int64 start_us);
extern void ga_session_count_helpers(int n);
extern void ga_session_publish(void);
extern void ga_session_report_failure(GaReason reason, const char *detail);
extern void ga_session_hold_failure(GaFailure *failure);

#endif /* GA_SESSION_COUNTERS_H */
