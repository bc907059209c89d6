/*
 * offload.c
 *		Work that the device does for this session, from start to finish.
 *
 * Opens the connection for an array that is to go to the device, and ends what
 * several files have begun: waits for all sums, cancels those of an owner, and
 * cleans up at the end of a transaction.  The files below do not know each
 * other: elements.c, stored.c and totals.c fill slots (slots.c) of the lease
 * that client_lease.c gets.
 *
 * If a query is cancelled while it waits, its owners are cancelled with their
 * memory, and the connection is closed as soon as no other query of the session
 * waits for anything that is under way.
 */
#include "postgres.h"
#include "access/xact.h"
#include "utils/memutils.h"

#include "extension/engine/choice.h"
#include "extension/engine/session_counters.h"
#include "extension/error.h"
#include "client.h"
#include "elements.h"
#include "offload.h"
#include "stored.h"

/* May there be a sum that the device has not finished? */
bool ga_offload_has_pending = false;

static GaOwner *owners = NULL;

static void watch_transactions(void);

/* Does a sum wait for a reply? */
static bool
is_wanted(void)
{
	return ga_slots_are_wanted() || ga_stored_are_wanted();
}

/* Close the connection if nobody wants the replies to come.  Never throws. */
static void
end_unwanted(void)
{
	if (ga_slots_n_sent > 0 && !is_wanted())
		ga_slots_reset();
}

/* Cancel what an owner asked for.  Never throws. */
void
ga_offload_cancel(GaOwner *owner)
{
	GaOwner **link;

	ga_slots_cancel(owner);
	ga_stored_cancel(owner);
	for (link = &owners; *link != NULL; link = &(*link)->next)
	{
		if (*link == owner)
		{
			*link = owner->next;
			break;
		}
	}
	end_unwanted();
}

static void
context_is_reset(void *argument)
{
	ga_offload_cancel(argument);
}

/*
 * Return the owner of the sums in a context, one of which is about to be
 * computed later: by the device, or by the CPU.
 */
GaOwner *
ga_offload_owner(MemoryContext context)
{
	GaOwner *owner;

	watch_transactions();
	ga_offload_has_pending = true;
	for (owner = owners; owner != NULL; owner = owner->next)
	{
		if (owner->context == context)
		{
			owner->counters = ga_node_counters;
			return owner;
		}
	}
	owner = MemoryContextAllocZero(context, sizeof(GaOwner));
	owner->context = context;
	owner->counters = ga_node_counters;
	owner->callback.func = context_is_reset;
	owner->callback.arg = owner;
	owner->next = owners;
	MemoryContextRegisterResetCallback(context, &owner->callback);
	owners = owner;
	return owner;
}

/* At the end of a transaction no sum is wanted any more. */
static void
end_transaction(XactEvent event, void *argument)
{
	switch (event)
	{
		case XACT_EVENT_PRE_COMMIT:
		case XACT_EVENT_PRE_PREPARE:
			ga_slots_settle();
			break;
		case XACT_EVENT_ABORT:
		case XACT_EVENT_PARALLEL_ABORT:
		case XACT_EVENT_COMMIT:
		case XACT_EVENT_PARALLEL_COMMIT:
		case XACT_EVENT_PREPARE:
			ga_slots_release_open(NULL);
			if (ga_stored_reset() || ga_slots_n_sent > 0)
				ga_slots_reset();
			else
				ga_client_rest();
			break;
		default:
			break;
	}
}

/*
 * What a subtransaction left is its parent's from now on, if it commits.  What
 * an aborted one left is of a query that failed and whose memory lives on: of a
 * cursor that was declared before.  A FETCH that ends well leaves nothing.
 */
static void
end_subtransaction(SubXactEvent event, SubTransactionId id,
				   SubTransactionId parent, void *argument)
{
	const int level = GetCurrentTransactionNestLevel() - 1;

	if (event == SUBXACT_EVENT_ABORT_SUB)
	{
		ga_stored_cancel_level(level + 1);
		end_unwanted();
	}
	if (event == SUBXACT_EVENT_COMMIT_SUB || event == SUBXACT_EVENT_ABORT_SUB)
		ga_stored_end_level(level);
}

/* Have the ends of transactions seen. */
static void
watch_transactions(void)
{
	static bool is_done = false;

	if (likely(is_done))
		return;
	RegisterXactCallback(end_transaction, NULL);
	RegisterSubXactCallback(end_subtransaction, NULL);
	is_done = true;
}

/* Prepare for the session's first connection. */
static void
init(void)
{
	static bool is_done = false;

	if (is_done)
		return;
	watch_transactions();
	ga_slots_init(ga_stored_connection_lost);
	is_done = true;
}

/* Return whether there is a connection, alive as far as is known. */
static GaReason
open_client(bool waits)
{
	init();
	if (ga_slots_n_sent == 0 && !is_wanted())
		ga_client_check();
	return ga_client_open(waits);
}

/*
 * Open a connection, if there is none, without waiting.  Returns GA_NO_REASON,
 * or why there is none.  Throws if the query is cancelled.
 */
GaReason
ga_offload_open(void)
{
	return open_client(false);
}

/*
 * Choose the engine for an array of which so many bytes are wanted, or all if
 * it has fewer, as ga_choose_engine does, and open a connection if it is the
 * device.  Returns GA_NO_REASON if there is one, or why the CPU has to
 * compute.  Errors: 58000 if gpuagg.engine is gpu and there is no device.
 * Throws if the query is cancelled.
 */
GaReason
ga_offload_choose_part(Datum array, bool is_alone, uint64 n_bytes)
{
	const bool is_gpu = ga_engine_is_gpu();
	GaReason reason = ga_choose_engine(array, is_alone, n_bytes);

	if (is_gpu && reason == GA_REASON_NOT_ALLOWED)
		ga_report_no_device(ga_reason_text(reason), "", false);
	if (reason != GA_NO_REASON)
		return reason;
	reason = open_client(is_gpu);
	if (!is_gpu || reason == GA_NO_REASON)
		return reason;
	if (reason != GA_REASON_STAGING && !ga_reason_is_failure(reason))
		ga_report_no_device(ga_reason_text(reason), ga_client_trouble(),
							reason == GA_REASON_VERSION);
	ga_session_report_failure(reason, ga_client_trouble());
	return reason;
}

/* Choose the engine for all of an array. */
GaReason
ga_offload_choose(Datum array, bool is_alone)
{
	return ga_offload_choose_part(array, is_alone, UINT64_MAX);
}

/*
 * Have n arrays loaded that are not resident, and count them as missing.  Those
 * that the cache does not keep are not resident afterwards, either.  May throw.
 */
void
ga_offload_load(GaCounters *counters, GaElementType type,
				const GaStoredKey *keys, uint32 n)
{
	GaOwner owner = {.counters = counters};

	PG_TRY();
	{
		ga_stored_load(&owner, type, keys, n);
	}
	PG_CATCH();
	{
		ga_offload_cancel(&owner);
		PG_RE_THROW();
	}
	PG_END_TRY();
}

/*
 * Send all there is, and wait for all sums, but for stored arrays of outer
 * transactions.  May throw.
 */
void
ga_offload_finish_all(void)
{
	ga_stored_finish();
	ga_elements_send();
	ga_slots_drain();
	ga_offload_has_pending = ga_stored_are_wanted();
}
