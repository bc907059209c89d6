/*
 * request_ladder.c
 *		GA_RUNG: a kernel of the ladder, timed.
 *
 * The elements are the device's own, so neither a slot nor resident values have
 * to do with it.  None of these gives way to it: it leaves windows what they may
 * take.  Only values that are loaded while it runs may not find the memory that
 * they could have had.
 */
#include "device/device_check.h"
#include "request.h"

/*
 * Have the device begin, with what is left of its budget when all windows have
 * their share: that is taken meanwhile.
 */
static GaStatus
begin(GaActiveRequest *work, GaDeviceFailure *failure)
{
	const GaOpenDevice *device = work->window->device;
	GaDeviceAddress spare;
	GaStatus status;

	status = work->kind->allocate(
		device->device, ga_caches_spare(device, ga_staging_n_leases()), &spare,
		failure);
	if (status != GA_OK)
		return status;
	status = work->kind->rung(work->queue, &work->rung, failure);
	work->kind->free(device->device, spare);
	return status;
}

/* The rungs of the ladder that is asked for; returns how many. */
static uint32_t
rungs_of(const GaActiveRequest *work, const GaRung **rungs)
{
	return work->kind->rungs((GaLadder) work->request.u.rung.ladder, rungs);
}

/* Takes a request that keeps the rules. */
static GaStatus
check(GaActiveRequest *work, GaDeviceFailure *failure)
{
	const GaRequest *request = &work->request;

	work->rung = (GaRungRequest){
		.ladder = (GaLadder) request->u.rung.ladder,
		.rung = request->u.rung.rung,
		.type = (GaElementType) request->u.rung.type,
		.n = request->u.rung.n,
		.repeats = request->u.rung.repeats,
	};
	if (request->u.rung.repeats > 0)
		return ga_check_rung_request(work->kind, &work->rung, failure);
	if (request->u.rung.ladder < GA_N_LADDERS)
		return GA_OK;
	ga_device_failure(failure, "GA_RUNG", "no such ladder");
	return GA_BAD_REQUEST;
}

/* What a rung needs at least: its elements, and its totals if it makes n. */
static unsigned long long
bytes_of(const GaActiveRequest *work)
{
	const GaRung *rungs;

	(void) rungs_of(work, &rungs);
	return work->rung.n * ga_element_size(work->rung.type) *
		   rungs[work->rung.rung].passes;
}

static GaStatus
submit(GaActiveRequest *work, GaDeviceFailure *failure)
{
	GaDeviceFailure reason = {.call = ""};
	GaStatus status;

	if (work->rung.repeats == 0)
		return GA_OK;
	status = begin(work, &reason);
	if (status == GA_OK)
		return GA_PENDING;
	if (status != GA_NO_MEMORY)
		*failure = reason;
	else
		ga_device_failure(failure, reason.call,
						  "%.90s; at least %llu bytes "
						  "are needed, and gpuagg_cache_clear() makes room",
						  reason.message, bytes_of(work));
	return status;
}

static void
answer(GaActiveRequest *work, GaReply *reply)
{
	const GaRung *rungs;

	reply->u.rung.n_rungs = rungs_of(work, &rungs);
	if (work->rung.rung < reply->u.rung.n_rungs)
		reply->u.rung.rung = rungs[work->rung.rung];
	reply->u.rung.ms = work->rung.ms;
	reply->u.rung.max_error = work->rung.max_error;
	reply->u.rung.same_bits = work->rung.same_bits;
}

/* Its memory is free again, which the cache may have missed. */
static void
end(GaActiveRequest *work)
{
	ga_pages_reset_limit(&ga_cache_of(work->window->device)->extents.pages);
}

const GaRequestKind ga_request_ladder = {check,	 submit, NULL,
										 answer, end,	 true};
