/*
 * request_ladder.c
 *		GA_RUNG: a kernel of the ladder, timed.
 *
 * The elements are the device's own, so neither a slot nor resident values
 * have to do with it.  None of these gives way to it: it leaves windows what
 * they may take.  Only values that are loaded while it runs may not find the
 * memory that they could have had.
 */
#include "device/device_check.h"
#include "request.h"

/*
 * Have the device begin, with what is left of its budget when all windows have
 * their share: that is taken meanwhile.
 */
static GaStatus
begin(GaActiveRequest *active, GaDeviceFailure *failure)
{
	const GaOpenDevice *device = active->lease->device;
	GaDeviceAddress spare;
	GaStatus status;

	status = active->polled.device->allocate(
		device->device, ga_caches_spare(device, ga_staging_n_leases()), &spare,
		failure);
	if (status != GA_OK)
		return status;
	status = active->polled.device->rung(active->polled.queue, &active->u.rung,
										 failure);
	active->polled.device->free(device->device, spare);
	return status;
}

/* The rungs of the ladder that is asked for; returns how many. */
static uint32_t
rungs_of(const GaActiveRequest *active, const GaRung **rungs)
{
	return active->polled.device->rungs(
		(GaLadder) active->request.u.rung.ladder, rungs);
}

/* Takes a request that keeps the rules. */
static GaStatus
check(GaActiveRequest *active, GaDeviceFailure *failure)
{
	const GaRequest *request = &active->request;

	active->u.rung = (GaRungRequest){
		.ladder = (GaLadder) request->u.rung.ladder,
		.rung = request->u.rung.rung,
		.type = (GaElementType) request->u.rung.type,
		.n = request->u.rung.n,
		.repeats = request->u.rung.repeats,
	};
	if (request->u.rung.repeats > 0)
		return ga_check_rung_request(active->polled.device, &active->u.rung,
									 failure);
	if (request->u.rung.ladder < GA_N_LADDERS)
		return GA_OK;
	ga_device_failure(failure, "GA_RUNG", "no such ladder");
	return GA_BAD_REQUEST;
}

/* What a rung needs at least: its elements, and its totals if it makes n. */
static unsigned long long
bytes_of(const GaActiveRequest *active)
{
	const GaRung *rungs;

	(void) rungs_of(active, &rungs);
	return active->u.rung.n * ga_element_size(active->u.rung.type) *
		   rungs[active->u.rung.rung].passes;
}

static GaStatus
submit(GaActiveRequest *active, GaDeviceFailure *failure)
{
	GaDeviceFailure reason = {.call = ""};
	GaStatus status;

	if (active->u.rung.repeats == 0)
		return GA_OK;
	status = begin(active, &reason);
	if (status == GA_OK)
		return GA_PENDING;
	if (status != GA_NO_MEMORY)
		*failure = reason;
	else
		ga_device_failure(failure, reason.call,
						  "%.90s; at least %llu bytes "
						  "are needed, and gpuagg_cache_clear() makes room",
						  reason.message, bytes_of(active));
	return status;
}

static void
answer(GaActiveRequest *active, GaReply *reply)
{
	const GaRung *rungs;

	reply->u.rung.n_rungs = rungs_of(active, &rungs);
	if (active->u.rung.rung < reply->u.rung.n_rungs)
		reply->u.rung.rung = rungs[active->u.rung.rung];
	reply->u.rung.ms = active->u.rung.ms;
	reply->u.rung.max_error = active->u.rung.max_error;
	reply->u.rung.same_bits = active->u.rung.same_bits;
}

/* Its memory is free again, which the cache may have missed. */
static void
end(GaActiveRequest *active)
{
	ga_pages_reset_limit(&ga_cache_of(active->lease->device)->extents.pages);
}

const GaRequestKind ga_request_ladder = {
	.check = check,
	.submit = submit,
	.answer = answer,
	.end = end,
	.is_long = true,
};
