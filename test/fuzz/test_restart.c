/*
 * test_restart.c
 *		When the supervisor starts a gpuaggd that ended again.
 *
 * The clock is that of the stubs, so a gpuaggd of half a minute takes no time.
 */
#include "postgres.h"

#include "extension/clock.h"
#include "extension/supervisor/restart.h"
#include "server_stubs.h"
#include "tap.h"

static GaRestart restart;

int
errdetail_plural(const char *one, const char *many, unsigned long n, ...)
{
	return 0;
}

/* gpuaggd was up for so long, and failed.  Return seconds until its start. */
static int
fail_after(int64 ms)
{
	restart.up_at = ga_clock_ms();
	stubs_pass_ms(ms);
	ga_restart_end_run(&restart);
	ga_restart_later(&restart, "it failed", false);
	return (int) ((restart.start_at - ga_clock_ms() + 500) / 1000);
}

static void
test_delays(void)
{
	static const int delays[] = {0, 1, 2, 4, 8, 16, 32, 60, 60};
	int i;

	tap_begin("a gpuaggd that fails at once is started ever more slowly");
	for (i = 0; i < (int) lengthof(delays); i++)
	{
		const int delay = fail_after(0);

		tap_check(delay == delays[i], "%d s after failure %d", delay, i + 1);
	}
	for (; i < 100; i++)
		tap_check(fail_after(0) == 60, "failure %d", i + 1);
	tap_end();

	tap_begin("a reload has it started without delay");
	ga_restart_now(&restart);
	tap_check(restart.start_at <= ga_clock_ms(), "it waits");
	tap_check(fail_after(0) == 0 && fail_after(0) == 1, "delays go on");
	tap_end();
}

static void
test_good_run(void)
{
	memset(&restart, 0, sizeof(restart));
	tap_begin("the failure of one that worked for a while is the first again");
	tap_check(fail_after(0) == 0 && fail_after(0) == 1 && fail_after(0) == 2,
			  "three failures");
	tap_check(fail_after(29000) == 4, "29 s are no while");
	tap_check(fail_after(30000) == 0, "30 s are one");
	tap_check(fail_after(0) == 1, "what it did before does not count twice");
	tap_check(restart.up_at == 0, "it is not up");
	tap_end();

	tap_begin("one that never was up has not worked, however long it took");
	memset(&restart, 0, sizeof(restart));
	(void) fail_after(0);
	stubs_pass_ms(60000);
	ga_restart_end_run(&restart);
	tap_check(restart.n_failures == 1, "%d failures", restart.n_failures);
	tap_end();
}

static void
test_orderly(void)
{
	const int n_warnings = stubs_n_warnings;

	memset(&restart, 0, sizeof(restart));
	tap_begin("an orderly end is no warning, but often is slow, too");
	ga_restart_later(&restart, "it was told to end", true);
	ga_restart_later(&restart, "it was told to end", true);
	tap_check(stubs_n_warnings == n_warnings, "a warning");
	tap_check(restart.start_at > ga_clock_ms() + 900, "no delay");
	ga_restart_later(&restart, "it failed", false);
	tap_check(stubs_n_warnings == n_warnings + 1, "no warning");
	tap_end();
}

int
main(void)
{
	test_delays();
	test_good_run();
	test_orderly();
	return tap_done();
}
