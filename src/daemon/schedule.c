/*
 * schedule.c
 *		When to look at which request that is on a device.
 *
 * Small requests take a few microseconds, and to go to sleep takes as long.
 * So the loop does not sleep for a while after each request, but asks all
 * the time.  What takes longer than that has its eventfd written when there
 * is something to see: the loop sleeps, and asks that queue only.  After a
 * device's failure the eventfd may never be written, so all are asked ten
 * times a second as well; that is when one that took too long is found.
 *
 * What is given up between two of its steps is not asked any more, since that
 * would begin the next one: its eventfd tells when it can end.
 *
 * The busy list is in the order of the steps' times.  Those that are asked all
 * the time are at its end, and before them are those that will be notified.
 */
#include "device/clock.h"
#include "device/device_check.h"
#include "exit.h"
#include "options.h"
#include "schedule.h"

#define AWAKE_NS (60 * GA_NS_PER_US)
#define SWEEP_NS (100 * GA_NS_PER_MS)

static TAILQ_HEAD(BusyList, GaActiveRequest)
	busy_works = TAILQ_HEAD_INITIALIZER(busy_works);
static int64_t last_step_ns = -AWAKE_NS;
static int64_t sweep_ns; /* when to ask all of them again */

/* The next step begins now. */
static void
begin_step(GaActiveRequest *work)
{
	work->step_ns = ga_now_ns();
	work->is_notified = false;
	last_step_ns = work->step_ns;
	TAILQ_INSERT_TAIL(&busy_works, work, busy);
}

/* A request was put on the device. */
void
ga_schedule_begin(GaActiveRequest *work)
{
	bool is_first = TAILQ_EMPTY(&busy_works);

	begin_step(work);
	work->started_ns = work->step_ns;
	work->is_ending = false;
	if (is_first)
		sweep_ns = work->step_ns + SWEEP_NS;
}

/* Was it told to be slow? */
static bool
is_held(const GaActiveRequest *work, int64_t now_ns)
{
	return ga_options.slow_launch_ms > 0 &&
		   now_ns - work->started_ns < ga_options.slow_launch_ms * GA_NS_PER_MS;
}

/* From now on its eventfd tells. */
static void
notify_work(GaActiveRequest *work, int64_t now_ns)
{
	GaDeviceFailure failure = {.call = ""};
	GaStatus status;

	if (is_held(work, now_ns))
		return;
	work->is_notified = true;
	status = work->kind->notify(work->queue, &failure);
	if (status == GA_DEVICE_FAILED)
		ga_exit_lost(&failure);
	work->n_asked += status == GA_OK;
}

/*
 * A request is given up: have its eventfd tell when all is finished that is on
 * the device already, which may be a step that began after it was asked last.
 */
static void
await_end(GaActiveRequest *work, int64_t now_ns)
{
	if (work->is_ending || is_held(work, now_ns))
		return;
	work->is_ending = true;
	notify_work(work, now_ns);
}

/* Ask a queue, and go on with its request if that is possible. */
static GaStatus
poll_work(GaActiveRequest *work, int64_t now_ns)
{
	GaDeviceFailure failure = {.call = ""};
	GaStatus status;

	if (is_held(work, now_ns))
		return GA_PENDING;
	if (ga_request_is_cancelled(work))
	{
		await_end(work, now_ns);
		return GA_PENDING;
	}
	status = work->kind->poll(work->queue, &failure);
	if (status == GA_PENDING)
		return GA_PENDING;
	TAILQ_REMOVE(&busy_works, work, busy);
	if (ga_request_advance(work, status, &failure) == GA_PENDING)
		begin_step(work);
	else
		ga_request_finish(work);
	return GA_OK;
}

/* What is given up ends when its eventfd has told all that it was asked for. */
static void
end_given_up(GaActiveRequest *work)
{
	await_end(work, ga_now_ns());
	if (!work->is_ending || work->n_told < work->n_asked)
		return;
	TAILQ_REMOVE(&busy_works, work, busy);
	ga_request_cancel(work);
}

/* The eventfd was written, perhaps for a request that is no more. */
void
ga_schedule_notified(GaActiveRequest *work)
{
	if (work->state < GA_REQUEST_BUSY)
		return;
	if (ga_request_is_cancelled(work))
	{
		end_given_up(work);
		return;
	}
	if (poll_work(work, ga_now_ns()) != GA_PENDING)
		return;

	/* the queue went on by itself */
	TAILQ_REMOVE(&busy_works, work, busy);
	begin_step(work);
}

/* Ask those whose step is new, and have the others notified. */
static void
poll_new(int64_t now_ns)
{
	GaActiveRequest *work = TAILQ_LAST(&busy_works, BusyList);

	while (work != NULL && !work->is_notified)
	{
		GaActiveRequest *older = TAILQ_PREV(work, BusyList, busy);

		if (poll_work(work, now_ns) == GA_PENDING &&
			now_ns - work->step_ns >= AWAKE_NS)
			notify_work(work, now_ns);
		work = older;
	}
}

/* Ask all of them, and give up the device if one took too long. */
static void
sweep(int64_t now_ns)
{
	const int64_t limit_ns = ga_options.request_timeout_ms * GA_NS_PER_MS;
	GaActiveRequest *work = TAILQ_FIRST(&busy_works);

	while (work != NULL)
	{
		GaActiveRequest *newer = TAILQ_NEXT(work, busy);
		int64_t since_ns =
			work->operation->is_long ? work->step_ns : work->started_ns;

		if (poll_work(work, now_ns) == GA_PENDING &&
			now_ns - since_ns > limit_ns)
		{
			GaDeviceFailure failure;

			ga_device_failure(&failure, "request",
							  "no answer from the "
							  "device for %lld ms",
							  (long long) ga_options.request_timeout_ms);
			ga_exit_lost(&failure);
		}
		work = newer;
	}
}

/* Is anything on a device? */
bool
ga_schedule_is_busy(void)
{
	return !TAILQ_EMPTY(&busy_works);
}

/* Do what there is to do about all of them. */
void
ga_schedule_poll(void)
{
	int64_t now_ns;

	if (TAILQ_EMPTY(&busy_works))
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
 * How long the loop may sleep; -1 is for ever.  Not at all while there is a
 * step that nothing would tell about.
 */
int
ga_schedule_timeout_ms(int64_t now_ns)
{
	if (now_ns - last_step_ns < AWAKE_NS)
		return 0;
	if (TAILQ_EMPTY(&busy_works))
		return -1;
	if (ga_options.slow_launch_ms > 0)
		return 1;
	if (!TAILQ_LAST(&busy_works, BusyList)->is_notified)
		return 0;
	return now_ns < sweep_ns ? (int) ((sweep_ns - now_ns) / GA_NS_PER_MS) + 1 :
							   0;
}
