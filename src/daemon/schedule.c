/*
 * schedule.c
 *		When to poll which queue of a device.
 *
 * Owns the list of queues that have a step in progress.  request.c adds a
 * queue when it has submitted something; main.c's hooks poll in each turn of
 * the loop.  It calls the owner's step_done when a queue has finished.
 *
 * Small requests take a few microseconds, and to go to sleep takes as long.
 * So the loop does not sleep for a while after each request, but polls all the
 * time; nor, when all have ended, for a quarter of the time that there
 * were steps, since a client often asks again soon.  While a step is on the
 * device, it polls for longer, since to be woken up by the device's eventfd
 * takes a tenth of a millisecond or more.  The steps of one query follow each
 * other on the device, so one that waits for others has more time while these
 * end.  A step that takes longer still has its eventfd written when there is
 * something to see: the loop sleeps, and polls that queue only.  After a
 * device's failure the eventfd may never be written, so all queues are polled
 * ten times a second as well; then a request that took too long is found.
 *
 * Queues that will be notified are at the list's head.  Behind them are those
 * that are polled, in the order of the steps' times.
 */
#include <errno.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "device/clock.h"
#include "device/device_check.h"
#include "options.h"
#include "schedule.h"

/*
 * How long the loop stays awake since a step began; and when the last one has
 * ended, for what part of the time that there were steps, at most so long.
 */
#define AWAKE_NS	  (60 * GA_NS_PER_US)
#define AWAKE_PART	  4
#define MOST_AWAKE_NS (1000 * GA_NS_PER_US)

/*
 * How long a step is polled all the time, since it began or another one ended;
 * at most; and how often a leisurely one is polled.
 */
#define STEP_AWAKE_NS	   (1000 * GA_NS_PER_US)
#define STEP_MOST_AWAKE_NS (4 * STEP_AWAKE_NS)
#define LEISURE_POLL_NS	   (25 * GA_NS_PER_US)

#define SWEEP_NS (100 * GA_NS_PER_MS)

static TAILQ_HEAD(BusyList, GaPolledQueue)
	busy_queues = TAILQ_HEAD_INITIALIZER(busy_queues);
static int64_t last_step_ns = -AWAKE_NS;
static int64_t last_end_ns = -STEP_AWAKE_NS;
static int64_t busy_ns;	 /* since when there are steps, with short gaps */
static int64_t awake_ns; /* until when not to sleep since all have ended */
static int64_t sweep_ns; /* when to poll all of them again */

/* The next step begins now. */
static void
begin_step(GaPolledQueue *polled)
{
	polled->step_ns = polled->polled_ns = ga_now_ns();
	polled->is_notified = false;
	polled->is_busy = true;
	last_step_ns = polled->step_ns;
	if (TAILQ_EMPTY(&busy_queues) && last_step_ns - last_end_ns >= AWAKE_NS)
		busy_ns = last_step_ns;
	TAILQ_INSERT_TAIL(&busy_queues, polled, busy);
}

static void
end_step(GaPolledQueue *polled)
{
	polled->is_busy = false;
	last_end_ns = ga_now_ns();
	TAILQ_REMOVE(&busy_queues, polled, busy);
	if (TAILQ_EMPTY(&busy_queues))
	{
		const int64_t ns = (last_end_ns - busy_ns) / AWAKE_PART;

		awake_ns = last_end_ns + (ns < MOST_AWAKE_NS ? ns : MOST_AWAKE_NS);
	}
}

/* A request was submitted to a queue. */
void
ga_schedule_begin(GaPolledQueue *polled)
{
	bool is_first = TAILQ_EMPTY(&busy_queues);

	begin_step(polled);
	polled->started_ns = polled->step_ns;
	if (is_first)
		sweep_ns = polled->step_ns + SWEEP_NS;
}

/* Does the fault slow_launch still hold a request back? */
static bool
is_held(const GaPolledQueue *polled, int64_t now_ns)
{
	return ga_options.slow_launch_ms > 0 &&
		   now_ns - polled->started_ns <
			   ga_options.slow_launch_ms * GA_NS_PER_MS;
}

/* The step of a queue has failed with its device. */
static void
fail_step(GaPolledQueue *polled, const GaDeviceFailure *failure)
{
	end_step(polled);
	(void) polled->step_done(polled, GA_DEVICE_FAILED, failure);
}

/* A device failed: end all steps of its queues. */
void
ga_schedule_fail(const GaDevice *device, const GaDeviceFailure *failure)
{
	GaPolledQueue *polled = TAILQ_FIRST(&busy_queues);

	while (polled != NULL)
	{
		if (polled->of == device)
		{
			fail_step(polled, failure);
			/* it may have ended others, too */
			polled = TAILQ_FIRST(&busy_queues);
		}
		else
			polled = TAILQ_NEXT(polled, busy);
	}
}

/* Have the eventfd written when the queue is to be polled. */
static void
request_notification(GaPolledQueue *polled, int64_t now_ns)
{
	GaDeviceFailure failure = {.call = ""};
	GaStatus status;

	if (is_held(polled, now_ns))
		return;
	polled->is_notified = true;
	TAILQ_REMOVE(&busy_queues, polled, busy);
	TAILQ_INSERT_HEAD(&busy_queues, polled, busy);
	status = polled->device->notify(polled->queue, &failure);
	if (status == GA_DEVICE_FAILED)
		fail_step(polled, &failure);
}

/* Poll a queue, and go on with its request if that is possible. */
static GaStatus
poll_queue(GaPolledQueue *polled, int64_t now_ns)
{
	GaDeviceFailure failure = {.call = ""};
	GaStatus status;

	polled->polled_ns = now_ns;
	if (is_held(polled, now_ns))
		return GA_PENDING;
	status = polled->device->poll(polled->queue, &failure);
	if (status == GA_PENDING)
		return GA_PENDING;
	end_step(polled);
	if (polled->step_done(polled, status, &failure) == GA_PENDING)
		begin_step(polled);
	return GA_OK;
}

/* The eventfd was written, perhaps for a request that has ended. */
static void
event_ready(GaSource *source, uint32_t events)
{
	GaPolledQueue *polled = (GaPolledQueue *) source;
	uint64_t count;
	ssize_t n = read(polled->event_fd, &count, sizeof(count));

	(void) events;
	(void) n;
	if (!polled->is_busy)
		return;
	if (poll_queue(polled, ga_now_ns()) != GA_PENDING)
		return;

	/* the queue went on by itself */
	end_step(polled);
	begin_step(polled);
}

/*
 * Give a queue that is to be opened an eventfd in the loop.  Return false,
 * with errno, if there is none.
 */
bool
ga_schedule_open(GaPolledQueue *polled)
{
	int error;

	polled->source.ready = event_ready;
	polled->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (polled->event_fd >= 0 &&
		ga_loop_add(&polled->source, polled->event_fd, EPOLLIN) == 0)
		return true;
	error = errno;
	if (polled->event_fd >= 0)
		close(polled->event_fd);
	errno = error;
	return false;
}

/* Is it too early to poll a queue again? */
static bool
is_early(const GaPolledQueue *polled, int64_t now_ns)
{
	return polled->is_leisurely && now_ns - polled->polled_ns < LEISURE_POLL_NS;
}

/* Has a step taken too long to be polled all the time? */
static bool
is_late(const GaPolledQueue *polled, int64_t now_ns)
{
	const int64_t step_ns = now_ns - polled->step_ns;

	return step_ns >= STEP_MOST_AWAKE_NS ||
		   (step_ns >= STEP_AWAKE_NS && now_ns - last_end_ns >= STEP_AWAKE_NS);
}

/* Poll queues whose step is new; have the eventfd of others written. */
static void
poll_new(int64_t now_ns)
{
	GaPolledQueue *polled = TAILQ_LAST(&busy_queues, BusyList);

	while (polled != NULL && !polled->is_notified)
	{
		GaPolledQueue *older = TAILQ_PREV(polled, BusyList, busy);

		if (!is_early(polled, now_ns) &&
			poll_queue(polled, now_ns) == GA_PENDING && is_late(polled, now_ns))
			request_notification(polled, now_ns);
		polled = older;
	}
}

/*
 * Poll all queues.  A device on which a request took too long has failed; its
 * other queues are the caller's of ga_devices_next_lost() to end.  A step that
 * is polled for the first time may have waited for this program alone.
 */
static void
sweep(int64_t now_ns)
{
	const int64_t limit_ns = ga_options.request_timeout_ms * GA_NS_PER_MS;
	GaPolledQueue *polled = TAILQ_FIRST(&busy_queues);

	while (polled != NULL)
	{
		GaPolledQueue *newer = TAILQ_NEXT(polled, busy);
		const bool was_polled = polled->polled_ns > polled->step_ns;

		if (poll_queue(polled, now_ns) == GA_PENDING && was_polled &&
			now_ns - polled->started_ns > limit_ns)
		{
			GaDeviceFailure failure;

			ga_device_failure(&failure, "request",
							  "no answer from the device for %lld ms",
							  (long long) ga_options.request_timeout_ms);
			fail_step(polled, &failure);
			return;
		}
		polled = newer;
	}
}

/* Is anything on a device? */
bool
ga_schedule_is_busy(void)
{
	return !TAILQ_EMPTY(&busy_queues);
}

/* Poll the queues that it is time to poll. */
void
ga_schedule_poll(void)
{
	int64_t now_ns;

	if (TAILQ_EMPTY(&busy_queues))
		return;
	now_ns = ga_now_ns();
	if (now_ns >= sweep_ns)
	{
		sweep(now_ns);
		sweep_ns = now_ns + SWEEP_NS;
	}
	else
		poll_new(now_ns);
}

/*
 * Return the milliseconds that the loop may sleep; -1 is for ever.  0 while
 * there is a step that no eventfd will be written for.
 */
int
ga_schedule_timeout_ms(int64_t now_ns)
{
	if (now_ns - last_step_ns < AWAKE_NS || now_ns < awake_ns)
		return 0;
	if (TAILQ_EMPTY(&busy_queues))
		return -1;
	if (ga_options.slow_launch_ms > 0)
		return 1;
	if (!TAILQ_LAST(&busy_queues, BusyList)->is_notified)
		return 0;
	return now_ns < sweep_ns ? (int) ((sweep_ns - now_ns) / GA_NS_PER_MS) + 1 :
							   0;
}
