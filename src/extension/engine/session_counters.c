/*
 * session_counters.c
 *		What this session computed, by the reason for its engine.
 *
 * Owns the counters of this process, the texts of the reasons, and the warning
 * about the session's first failure.  All that compute count here.  What is
 * counted is published at the end of each transaction, and during long ones
 * (server_counters.c): a server's figures contain those of all sessions, and a
 * session's figures those of its parallel workers.  Never throws.
 */
#include "postgres.h"
#include "access/xact.h"

#include "extension/clock.h"
#include "server_counters.h"
#include "session_counters.h"

/*
 * Publish at the latest when so much has been computed; an array counts as so
 * many bytes, whatever its size.
 */
#define PUBLISH_BYTES INT64_C(64 << 20)
#define ARRAY_BYTES	  INT64_C(4096)

GaCounters ga_session_counters;
GaCounters *ga_node_counters = NULL;

/* Where the first failure is kept, and not reported; or NULL. */
static GaFailure *held_failure = NULL;

/* What may still be computed before it is published. */
static int64 bytes_left = 0;

/* Return the text of a reason; NULL for GA_NO_REASON. */
const char *
ga_reason_text(GaReason reason)
{
	static const char *const texts[] = {NULL,
#define X(name, text) text,
										GA_REASONS(X)
#undef X
	};

	return texts[reason];
}

/* Publish what was counted, at the end of a transaction. */
static void
end_transaction(XactEvent event, void *argument)
{
	switch (event)
	{
		case XACT_EVENT_ABORT:
		case XACT_EVENT_PARALLEL_ABORT:
		case XACT_EVENT_COMMIT:
		case XACT_EVENT_PARALLEL_COMMIT:
		case XACT_EVENT_PREPARE:
			if (bytes_left < PUBLISH_BYTES)
				ga_session_publish();
			break;
		default:
			break;
	}
}

/* Publish what was counted since the last time. */
void
ga_session_publish(void)
{
	static bool is_registered = false;

	if (!is_registered)
		RegisterXactCallback(end_transaction, NULL);
	is_registered = true;
	ga_server_publish(&ga_session_counters);
	bytes_left = PUBLISH_BYTES;
}

/* Add to the counters of an engine. */
static inline void
add(GaEngineCounters *engine, int64 arrays, int64 elements, int64 bytes)
{
	engine->arrays += arrays;
	engine->elements += elements;
	engine->bytes += bytes;
}

/*
 * Count arrays that came to an engine, and elements of a type that it added;
 * for an aggregate node, too, unless that is NULL.
 */
void
ga_session_count(GaCounters *node, GaReason reason, GaElementType type,
				 int64 arrays, int64 elements)
{
	ga_session_count_bytes(node, reason, arrays, elements,
						   elements * (int64) ga_element_size(type));
}

/* The same of elements that are of any size, and so many bytes together. */
void
ga_session_count_bytes(GaCounters *node, GaReason reason, int64 arrays,
					   int64 elements, int64 bytes)
{
	add(&ga_session_counters.engines[reason], arrays, elements, bytes);
	if (unlikely(node != NULL))
		add(&node->engines[reason], arrays, elements, bytes);
	bytes_left -= bytes + ARRAY_BYTES;
	if (unlikely(bytes_left < 0))
		ga_session_publish();
}

/* Count a stored array that was looked up: was it resident? */
void
ga_session_count_lookup(GaCounters *node, bool is_hit)
{
	ga_session_counters.hits += is_hit;
	ga_session_counters.misses += !is_hit;
	if (unlikely(node != NULL))
	{
		node->hits += is_hit;
		node->misses += !is_hit;
	}
}

/* Count the time since ga_clock_us() was start_us as waiting. */
void
ga_session_count_waiting(int64 start_us)
{
	const int64 us = ga_clock_us() - start_us;

	ga_session_counters.waiting_us += us;
	if (unlikely(ga_node_counters != NULL))
		ga_node_counters->waiting_us += us;
	bytes_left -= 1;
}

/* Count helpers that were started to read for an aggregate node. */
void
ga_session_count_helpers(int n)
{
	ga_session_counters.helpers += n;
	if (unlikely(ga_node_counters != NULL))
		ga_node_counters->helpers += n;
}

/* Have the first failure kept, for another process to report it. */
void
ga_session_hold_failure(GaFailure *failure)
{
	held_failure = failure;
}

/*
 * Warn about a failure, if it is the session's first one; other reasons are
 * ignored.  detail may be empty.
 */
void
ga_session_report_failure(GaReason reason, const char *detail)
{
	static bool has_reported = false;

	if (has_reported || !ga_reason_is_failure(reason))
		return;
	has_reported = true;
	if (held_failure != NULL)
	{
		held_failure->reason = reason;
		strlcpy(held_failure->detail, detail, sizeof(held_failure->detail));
		return;
	}
	ereport(WARNING,
			(errcode(ERRCODE_SYSTEM_ERROR),
			 errmsg("the CPU goes on with a query: %s", ga_reason_text(reason)),
			 detail[0] ? errdetail_internal("%s", detail) : 0,
			 errhint("The result is the same. Further failures are counted in "
					 "gpuagg_session_stat, those of all sessions in "
					 "gpuagg_server_stat.")));
}
