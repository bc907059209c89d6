/*
 * session_counters.c
 *		What this session computed, by the reason for its engine.
 *
 * Owns the counters that gpuagg_session_stat shows, the texts of the reasons,
 * and the warning about the session's first failure.  All that compute count
 * here.  Nothing is shared with other processes: a parallel worker counts for
 * itself.  Never throws.
 */
#include "postgres.h"

#include "session_counters.h"

GaSessionCounter ga_session_counters[GA_N_REASONS];

/* Return the text of a reason that is not GA_NO_REASON. */
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

/* Count arrays that came to an engine, and elements that it added. */
void
ga_session_count(GaReason reason, int64 arrays, int64 elements)
{
	ga_session_counters[reason].arrays += arrays;
	ga_session_counters[reason].elements += elements;
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
	ereport(WARNING,
			(errcode(ERRCODE_SYSTEM_ERROR),
			 errmsg("the CPU goes on with a query: %s", ga_reason_text(reason)),
			 detail[0] ? errdetail_internal("%s", detail) : 0,
			 errhint("The result is the same. Further failures are counted in "
					 "gpuagg_session_stat.")));
}
