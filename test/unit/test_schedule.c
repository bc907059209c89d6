/*
 * test_schedule.c
 *		When the loop of gpuaggd may sleep.
 *
 * What schedule.c needs of other files is here: a device whose steps end when
 * they are told to.
 */
#include <unistd.h>

#include "daemon/options.h"
#include "daemon/schedule.h"
#include "device/clock.h"
#include "tap.h"

/* How long a long step takes. */
#define LONG_US 8000

GaOptions ga_options = {.request_timeout_ms = 60000};

int
ga_loop_add(GaSource *source, int fd, uint32_t events)
{
	(void) source;
	(void) fd;
	(void) events;
	return 0;
}

static GaStatus status; /* of the step */

static GaStatus
poll_step(GaDeviceQueue *queue, GaDeviceFailure *failure)
{
	(void) queue;
	(void) failure;
	return status;
}

static GaStatus
step_done(GaPolledQueue *polled, GaStatus ended, const GaDeviceFailure *failure)
{
	(void) polled;
	(void) failure;
	return ended;
}

static const GaDeviceKind kind = {.poll = poll_step};
static GaPolledQueue polled = {.device = &kind, .step_done = step_done};

/* Begin a step.  Return the time before. */
static int64_t
begin(void)
{
	const int64_t now_ns = ga_now_ns();

	status = GA_PENDING;
	ga_schedule_begin(&polled);
	return now_ns;
}

/* End it.  Return the time before. */
static int64_t
end(void)
{
	const int64_t now_ns = ga_now_ns();

	status = GA_OK;
	ga_schedule_poll();
	tap_check(!ga_schedule_is_busy(), "the step goes on");
	return now_ns;
}

static void
test_long_step(void)
{
	int64_t end_ns;

	tap_begin("after a long step the loop stays awake, for a millisecond");
	(void) begin();
	usleep(LONG_US);
	tap_check(ga_schedule_timeout_ms(ga_now_ns()) == 0, "a step is polled");
	end_ns = end();
	tap_check(ga_schedule_timeout_ms(end_ns + 900 * GA_NS_PER_US) == 0,
			  "it sleeps");
	tap_check(ga_schedule_timeout_ms(ga_now_ns() + 1001 * GA_NS_PER_US) == -1,
			  "it stays awake");
	tap_end();
}

/* Sleep until the loop may, too. */
static void
rest(void)
{
	usleep(2000);
	tap_check(ga_schedule_timeout_ms(ga_now_ns()) == -1, "it stays awake");
}

static void
test_steps(void)
{
	int64_t begin_ns;
	int64_t end_ns;

	tap_begin("after two steps it stays awake for a quarter of their time");
	do
	{
		rest();
		begin_ns = begin();
		usleep(2000);
		(void) end();
		(void) begin();
		end_ns = end();
	} while (end_ns - begin_ns > 2400 * GA_NS_PER_US);
	tap_check(ga_schedule_timeout_ms(end_ns + (end_ns - begin_ns) / 5) == 0,
			  "it sleeps");
	end_ns = ga_now_ns();
	tap_check(ga_schedule_timeout_ms(end_ns + (end_ns - begin_ns) / 4) == -1,
			  "it stays awake");
	tap_end();
}

static void
test_short_step(void)
{
	int64_t begin_ns;
	int64_t ns;

	tap_begin("after a short step it does not stay awake for long");
	do
	{
		rest();
		begin_ns = begin();
		(void) end();
		ns = ga_now_ns() - begin_ns;
	} while (ns > 100 * GA_NS_PER_US);
	tap_check(ga_schedule_timeout_ms(begin_ns + 50 * GA_NS_PER_US) == 0,
			  "it sleeps at once");
	tap_check(ga_schedule_timeout_ms(begin_ns + 200 * GA_NS_PER_US) == -1,
			  "it stays awake");
	tap_end();
}

int
main(void)
{
	test_long_step();
	test_steps();
	test_short_step();
	return tap_done();
}
