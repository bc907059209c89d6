/*
 * clear.c
 *		GA_CLEAR: removing resident arrays for sessions.
 *
 * Owns the removals that sessions requested, of which one is executed at a
 * time, and a queue of each device, by which memory is overwritten.  dispatch.c
 * starts removals; main.c's hook executes a slice of them in each turn of the
 * loop, so that tens of millions of arrays do not keep other requests waiting.
 * The session hears how far it is, and that gpuaggd is alive, several times a
 * second.  A removal goes on to its end when its session is closed.
 */
#include <malloc.h>
#include <stdlib.h>

#include "clear.h"
#include "daemon/cache/cache_clear.h"
#include "daemon/cache/caches.h"
#include "device/clock.h"
#include "device/device_check.h"
#include "options.h"
#include "schedule.h"

/* How long a slice takes, and how many arrays are removed between two looks
 * at the clock. */
#define SLICE_NS	(500 * GA_NS_PER_US)
#define STEP_ARRAYS 64

/* How often a session hears how far its removal is. */
#define PROGRESS_NS (200 * GA_NS_PER_MS)

/* What the first removal does on its device. */
typedef enum Phase
{
	PHASE_BEGINS = 0,
	PHASE_REMOVES,
	PHASE_ZEROES,
	PHASE_RELEASES
} Phase;

typedef struct Removal
{
	TAILQ_ENTRY(Removal) next;
	GaSession *session; /* NULL if it was closed */
	uint32_t relation;	/* 0: all */
	uint32_t database;
	uint64_t n_removed;
	int64_t told_ns; /* when the session heard of it last */
	GaStatus status;
	GaDeviceFailure failure;
} Removal;

static TAILQ_HEAD(, Removal) removals = TAILQ_HEAD_INITIALIZER(removals);

/* Of the first one: */
static Phase phase;
static uint32_t device; /* number of the device */
static GaCacheClear state;
static bool is_zeroing; /* the device's queue has something to do */
static bool is_waiting; /* until the next turn */

static GaPolledQueue queues[GA_MAX_DEVICES];

/* The session is closed. */
static void
session_closed(GaSession *session)
{
	Removal *removal;

	TAILQ_FOREACH(removal, &removals, next)
	{
		if (removal->session == session)
			removal->session = NULL;
	}
}

/*
 * Start to remove the arrays of a relation of the session's database, or all
 * (0).  Return GA_PENDING: the session will receive replies; GA_NO_MEMORY.
 */
GaStatus
ga_clear_start(GaSession *session, uint32_t relation, GaDeviceFailure *failure)
{
	Removal *removal = calloc(1, sizeof(*removal));

	if (removal == NULL)
	{
		ga_device_failure(failure, "calloc", "out of memory");
		return GA_NO_MEMORY;
	}
	removal->session = session;
	removal->relation = relation;
	removal->database = session->client.database;
	removal->told_ns = ga_now_ns();
	session->on_close = session_closed;
	TAILQ_INSERT_TAIL(&removals, removal, next);
	return GA_PENDING;
}

/* The queue has overwritten what it was to. */
static GaStatus
step_done(GaPolledQueue *polled, GaStatus status,
		  const GaDeviceFailure *failure)
{
	(void) polled;
	is_zeroing = false;
	if (status == GA_DEVICE_FAILED)
		ga_devices_lose(ga_devices_get(device), failure);
	return GA_OK;
}

/* Have a queue of the device.  Return GA_OK, or why there is none. */
static GaStatus
open_queue(GaPolledQueue *polled, GaDeviceFailure *failure)
{
	const GaOpenDevice *open = ga_devices_get(device);

	if (polled->queue != NULL)
		return GA_OK;
	polled->device = open->kind;
	polled->of = open->device;
	polled->step_done = step_done;
	if (polled->source.ready == NULL && !ga_schedule_open(polled))
	{
		polled->source.ready = NULL;
		ga_device_failure(failure, "eventfd", "there is no descriptor");
		return GA_NO_MEMORY;
	}
	return open->kind->queue_open(open->device, polled->event_fd,
								  &polled->queue, failure);
}

/*
 * Keep why some memory cannot be overwritten.  The queue finishes what was
 * submitted before, since other arrays may take the memory next.
 */
static void
keep_failure(Removal *removal, GaPolledQueue *polled, GaStatus status,
			 const GaDeviceFailure *failure)
{
	removal->status = status;
	removal->failure = *failure;
	if (polled->queue == NULL)
		return;
	is_zeroing = true;
	ga_schedule_begin(polled);
}

/* Overwrite some memory; continue with the next phase when all is. */
static void
zero_step(Removal *removal, GaCache *cache)
{
	GaPolledQueue *polled = &queues[device];
	GaDeviceFailure failure = {.call = ""};
	GaStatus status = open_queue(polled, &failure);

	if (status == GA_OK)
		status = ga_cache_clear_zero(cache, &state, polled->queue, &failure);
	switch (status)
	{
		case GA_PENDING:
			is_zeroing = true;
			ga_schedule_begin(polled);
			break;
		case GA_NO_CAPACITY:
			is_waiting = true;
			break;
		default:
			if (status == GA_DEVICE_FAILED)
				ga_devices_lose(ga_devices_get(device), &failure);
			else if (status != GA_OK)
				keep_failure(removal, polled, status, &failure);
			phase = PHASE_RELEASES;
			break;
	}
}

/* Answer a removal that has ended. */
static void
complete(Removal *removal)
{
	GaSession *session = removal->session;
	GaReply reply = {.status = removal->status};

	reply.u.cache.n_rows = removal->n_removed;
	if (removal->status != GA_OK)
		ga_packet_explain(&reply, &removal->failure);
	TAILQ_REMOVE(&removals, removal, next);
	free(removal);
	(void) malloc_trim(0);
	if (session == NULL)
		return;
	session->on_close = NULL;
	ga_session_complete(session, ga_session_first(session), &reply);
}

/* Do a step of the first removal. */
static void
step(Removal *removal)
{
	GaCache *cache = ga_cache_of(ga_devices_get(device));
	uint64_t n;

	/* of a lost device nobody can read anything */
	if (phase == PHASE_ZEROES && ga_devices_get(device)->is_lost)
		phase = PHASE_RELEASES;
	switch (phase)
	{
		case PHASE_BEGINS:
			ga_cache_clear_begin(cache, &state, removal->relation,
								 removal->database);
			phase = PHASE_REMOVES;
			break;
		case PHASE_REMOVES:
			n = ga_cache_clear_remove(cache, STEP_ARRAYS);
			removal->n_removed += n;
			if (n < STEP_ARRAYS)
				phase = PHASE_ZEROES;
			break;
		case PHASE_ZEROES:
			zero_step(removal, cache);
			break;
		case PHASE_RELEASES:
			if (ga_cache_clear_release(cache, removal->status == GA_OK))
				break;
			phase = PHASE_BEGINS;
			if (++device < ga_devices_count())
				break;
			device = 0;
			complete(removal);
			break;
	}
}

/* Tell sessions how far their removals are. */
static void
send_progress(int64_t now_ns)
{
	Removal *removal;

	TAILQ_FOREACH(removal, &removals, next)
	{
		GaReply reply = {.status = GA_PENDING};

		if (removal->session == NULL || now_ns - removal->told_ns < PROGRESS_NS)
			continue;
		removal->told_ns = now_ns;
		reply.u.cache.n_rows = removal->n_removed;
		(void) ga_session_send(removal->session, &reply, -1);
	}
}

/*
 * Execute a slice of the first removal, if there is one.  A small one ends in
 * it, before sessions that wait for a load try again.
 */
void
ga_clear_step(void)
{
	int64_t now_ns;
	int64_t end_ns;

	if (TAILQ_EMPTY(&removals))
		return;
	now_ns = ga_now_ns();
	end_ns = now_ns + SLICE_NS;
	is_waiting = false;
	for (; now_ns < end_ns; now_ns = ga_now_ns())
	{
		if (is_waiting || TAILQ_EMPTY(&removals))
			break;
		if (is_zeroing)
			ga_schedule_poll();
		else
			step(TAILQ_FIRST(&removals));
	}
	send_progress(now_ns);
}

/* Are arrays being removed? */
bool
ga_clear_is_running(void)
{
	return !TAILQ_EMPTY(&removals);
}

/* Return the milliseconds that the loop may sleep; -1 is for ever. */
int
ga_clear_timeout_ms(void)
{
	if (TAILQ_EMPTY(&removals))
		return -1;
	return is_zeroing ? (int) (PROGRESS_NS / GA_NS_PER_MS) : is_waiting ? 1 : 0;
}
