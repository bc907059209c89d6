/*
 * test_elem_values.c
 *		Sums by position that the device rounds: all of them, or none, and a
 *		state that is as it was.
 */
#include "postgres.h"

#include "elem_case.h"
#include "extension/offload/elem_sums.h"

static int64 values[ELEM_ALL];
static bool has_values;
static uint32 n_wanted = ELEM_ALL;

static void
make_values(void *argument)
{
	(void) argument;
	has_values = ga_elem_values(&elem_state.noted, GA_FORM_SUM, n_wanted,
								(char *) values);
}

/* Begin, with values that are none. */
static void
begin(const char *name, Lie lie, int at)
{
	elem_begin(name, GA_FORM_SUM, lie, at);
	memset(values, 0xff, sizeof(values));
}

/* The first n values are there, each at its place, and no others. */
static void
check_made(uint32 n)
{
	int n_wrong = 0;
	uint32 i;

	for (i = 0; i < ELEM_ALL; i++)
		n_wrong += values[i] != (i < n ? (int64) i : -1);
	tap_check(n_wrong == 0, "%d are wrong, of %u", n_wrong, n);
}

/* Values are all there, or there are none, and the state is as it was. */
static void
check_values(void)
{
	if (has_values)
		check_made(ELEM_ALL);
	tap_check(elem_state.noted.n == ELEM_ARRAYS && elem_state.sum.n_arrays == 0,
			  "the state is another");
}

static void
test_values(void)
{
	int wrong, at;

	for (wrong = 0; wrong < N_LIES; wrong++)
	{
		for (at = 0; at < 3; at++)
		{
			begin(elem_lies[wrong].name, (Lie) wrong, at);
			make_values(NULL);
			tap_check(has_values == (elem_lies[wrong].reason == GA_NO_REASON),
					  "values: %d", has_values);
			check_values();
			memset(hostile_n_elements, 0, sizeof(hostile_n_elements));
			elem_lie = TRUTH;
			elem_n_asked = 0;
			elem_finish(NULL);
			elem_check_sums();
			if (ga_reason_is_failure(elem_lies[wrong].reason))
				tap_check(elem_n_asked == 0 &&
							  hostile_counted == elem_lies[wrong].reason,
						  "%d requests after a failure, reason %d",
						  elem_n_asked, hostile_counted);
			session_end();
		}
	}

	for (n_wanted = 1; n_wanted < 3; n_wanted++)
	{
		begin("the first positions", TRUTH, 0);
		elem_n_asked = 0;
		make_values(NULL);
		tap_check(has_values && elem_n_asked == 1, "%d requests", elem_n_asked);
		check_made(n_wanted);
		session_end();
	}
	n_wanted = ELEM_ALL;

	begin("a state with sums", TRUTH, 0);
	elem_finish(NULL);
	elem_n_asked = 0;
	make_values(NULL);
	tap_check(!has_values && elem_n_asked == 0, "it was asked");
	session_end();
}

/*
 * Positions that were done were taken, and the run says why there are no more,
 * though segments behind them have results.
 */
static void
try_run(Lie lie, int at, int late)
{
	const bool goes_on = lie == TRUTH || lie == DOUBT;
	GaElemRun run = {.type = GA_int2,
					 .n_arrays = ELEM_ARRAYS,
					 .n = ELEM_ALL,
					 .n_wanted = ELEM_ALL,
					 .form = GA_FORM_SUM,
					 .lines = true,
					 .values = (char *) values};

	begin(elem_lies[lie].name, lie, at);
	/* until a doubt is settled there are no results */
	elem_lies_once = lie != DOUBT;
	hostile_late = late;
	run.keys = elem_state.noted.keys;
	ga_elem_by_device(&run);
	tap_check(run.n_done == (goes_on ? ELEM_ALL : at * elem_segment) ||
				  (run.n_done < at * elem_segment && !goes_on && late > 0),
			  "%u are done", run.n_done);
	check_made(run.n_done);
	tap_check((run.n_done == ELEM_ALL) + (run.reason != GA_NO_REASON) +
					  run.is_missing + run.is_refused ==
				  1,
			  "reason %d, missing %d, refused %d", run.reason, run.is_missing,
			  run.is_refused);
	tap_check(ga_slots_n_sent == 0, "some are under way");
	session_end();
}

static void
test_runs(void)
{
	int lie, at, late;

	for (lie = 0; lie < N_LIES; lie++)
	{
		for (at = 0; at < 3; at++)
		{
			for (late = 0; late <= 3; late++)
				try_run((Lie) lie, at, late);
		}
	}
}

int
main(void)
{
	test_values();
	test_runs();
	elem_test_cancelled(make_values, GA_FORM_SUM, TRUTH);
	return tap_done();
}
