/*
 * load_pack.c
 *		Packing of arrays whose last segment was loaded.
 *
 * Owns `packing` of an active request.  Called by request_load.c: to advance
 * after the copies, until nothing is left to do, and at the end.
 *
 * The device surveys all arrays that the request completed; headers go to an
 * extent of their own.  An array that takes little enough gets pages for its
 * payloads, too, and the device packs it.  Then its entry uses that extent, and
 * the plain one is freed.  An array whose entry is removed meanwhile stays as
 * it is until the request has ended.
 *
 * Packing never makes a load fail: without memory, or if the device packs
 * wrong, arrays stay plain.
 */
#include "device/clock.h"
#include "load_pack_items.h"
#include "load_pack.h"
#include "log.h"
#include "memory_backoff.h"
#include "options.h"

/* How often to say that a device does not pack. */
#define LOG_NS (60000 * GA_NS_PER_MS)

/* Of a device: whether to ask for memory, and when to say the next failure. */
typedef struct Failures
{
	GaMemoryBackoff backoff;
	int64_t log_ns;
} Failures;

static Failures all_failures[GA_MAX_DEVICES];

static Failures *
failures_of(const GaActiveRequest *active)
{
	return &all_failures[active->device - ga_devices_get(0)];
}

/* Say that arrays stay plain, now and then. */
static void
warn(const GaActiveRequest *active, const GaDeviceFailure *failure)
{
	Failures *failures = failures_of(active);
	const int64_t now_ns = ga_now_ns();

	if (now_ns < failures->log_ns)
		return;
	failures->log_ns = now_ns + LOG_NS;
	ga_log_warning("device %d: arrays are not packed: %s: %s",
				   active->device->ordinal, failure->call, failure->message);
}

/* May anything be packed now? */
static bool
may_pack(const GaActiveRequest *active)
{
	GaDeviceFailure failure;

	return ga_options.packing != GA_PACKS_NONE && active->session != NULL &&
		   (active->device->wrong >> GA_PACKED_VECTORS & 1) == 0 &&
		   !ga_cache_of(active->device)->is_clearing &&
		   !ga_memory_backoff_holds(&failures_of(active)->backoff, &failure);
}

/*
 * Submit a step.  If it could not be, the arrays stay plain; what was launched
 * of it has to end before their memory is freed.
 */
static GaStatus
submit(GaActiveRequest *active, GaPackPhase phase, GaDeviceFailure *failure)
{
	GaPacking *packing = active->u.load.packing;
	const GaDeviceKind *device = active->polled.device;
	GaStatus status;

	packing->phase = phase;
	packing->request.arrays = packing->arrays;
	packing->request.pieces = packing->pieces;
	/* others go on waiting for the load */
	if (active->session != NULL)
		active->session->client.load_ns = ga_now_ns();
	status = (phase == GA_PACK_SURVEYS ? device->survey : device->pack)(
		active->polled.queue, &packing->request, failure);
	ga_memory_backoff_note(&failures_of(active)->backoff, status, failure);
	if (status == GA_OK || status == GA_DEVICE_FAILED)
		return ga_submitted(status);
	warn(active, failure);
	packing->phase = GA_PACK_ENDS;
	return GA_PENDING;
}

/* Have the arrays surveyed that are complete.  GA_OK: none is to be packed. */
static GaStatus
begin(GaActiveRequest *active, GaDeviceFailure *failure)
{
	GaPacking *packing = NULL;
	uint32_t i;

	if (!may_pack(active))
		return GA_OK;
	for (i = 0; i < active->n_entries; i++)
	{
		GaEntry *entry = active->entries[i];

		if (!active->u.load.is_complete[i] ||
			!ga_pack_is_candidate(active, entry))
			continue;
		if (packing == NULL)
			packing = active->u.load.packing = ga_pack_begin(active);
		if (packing == NULL)
			break;
		ga_pack_add(active, entry);
	}
	if (packing == NULL || packing->request.n_arrays == 0)
		return GA_OK;
	packing->request.type = (GaElementType) active->request.u.load.type;
	return submit(active, GA_PACK_SURVEYS, failure);
}

/* The arrays were surveyed: have those packed for which it is worth it. */
static GaStatus
pack(GaActiveRequest *active, GaDeviceFailure *failure)
{
	ga_pack_choose(active);
	if (!ga_pack_list_pages(active))
		return GA_OK;
	return submit(active, GA_PACK_PACKS, failure);
}

/* The arrays are packed: use the packed ones that can be decoded. */
static void
use_packed(GaActiveRequest *active)
{
	GaCache *cache = ga_cache_of(active->device);
	GaPacking *packing = active->u.load.packing;
	uint32_t i;

	if (packing->request.n_wrong > 0)
	{
		ga_log_warning("device %d: %llu packed vectors have wrong bits, and it "
					   "packs no more arrays",
					   active->device->ordinal,
					   (unsigned long long) packing->request.n_wrong);
		ga_devices_set_wrong(active->device, GA_PACKED_VECTORS);
		return;
	}
	for (i = 0; i < packing->request.n_arrays; i++)
	{
		GaPackItem *item = &packing->items[i];

		if (!ga_pack_is_loading(active, item->entry))
			continue;
		ga_cache_exchange(cache, item->entry, item->extent,
						  item->n_header_bytes +
							  (uint32_t) packing->arrays[i].n_bytes);
		item->extent->n_users--;
		item->extent = NULL;
	}
}

/*
 * Submit the next step.  Return GA_PENDING; GA_OK if there is none;
 * GA_DEVICE_FAILED.
 */
GaStatus
ga_pack_advance(GaActiveRequest *active, GaDeviceFailure *failure)
{
	const GaPacking *packing = active->u.load.packing;

	if (packing == NULL)
		return begin(active, failure);
	switch (packing->phase)
	{
		case GA_PACK_SURVEYS:
			return pack(active, failure);
		case GA_PACK_PACKS:
			use_packed(active);
			break;
		case GA_PACK_ENDS:
			break;
	}
	return GA_OK;
}

/* A step failed: if it was one of packing, the load goes on without it. */
bool
ga_pack_forgives(GaActiveRequest *active, GaStatus status,
				 const GaDeviceFailure *failure)
{
	GaPacking *packing = active->u.load.packing;

	if (packing == NULL || status == GA_DEVICE_FAILED)
		return false;
	warn(active, failure);
	packing->phase = GA_PACK_ENDS;
	return true;
}

/* The request has ended: free all that is not used. */
void
ga_pack_end(GaActiveRequest *active)
{
	if (active->u.load.packing == NULL)
		return;
	ga_pack_free(active);
	active->u.load.packing = NULL;
}
