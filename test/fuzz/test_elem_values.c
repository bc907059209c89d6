/*
 * test_elem_values.c
 *		Sums by position that the device rounds: all of them, or none, and a
 *		state that is as it was.
 */
#include "postgres.h"

#include "elem_case.h"
#include "extension/offload/elem_sums.h"

static int64 values[ELEM_ALL];
static uint32 n_taken;
static int take_fails_at; /* the call that throws */

static void
take(void *target, uint32 at, const void *results, uint32 n)
{
	tap_check(target == values, "another target");
	tap_check(at == n_taken, "position %u, behind %u", at, n_taken);
	if (take_fails_at > 0 && --take_fails_at == 0)
		pg_re_throw();
	memcpy(values + at, results, n * sizeof(int64));
	n_taken += n;
}

static bool has_values;

static void
make_values(void *argument)
{
	(void) argument;
	n_taken = 0;
	has_values = ga_elem_values(&elem_state, GA_FORM_SUM, take, values);
}

/* Have the first n values been taken, each at its place? */
static void
check_taken(uint32 n)
{
	int n_wrong = 0;
	uint32 i;

	for (i = 0; i < n; i++)
		n_wrong += values[i] != (int64) i;
	tap_check(n_wrong == 0, "%d are wrong, of %u", n_wrong, n);
}

/* Values are all there, or there are none, and the state is as it was. */
static void
check_values(void)
{
	if (has_values)
		check_taken(ELEM_ALL);
	tap_check(!has_values || n_taken == ELEM_ALL, "%u were taken", n_taken);
	tap_check(elem_state.n_noted == ELEM_ARRAYS && elem_state.sum.n_arrays == 0,
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
			elem_begin(elem_lies[wrong].name, GA_FORM_SUM, (Lie) wrong, at);
			make_values(NULL);
			tap_check(has_values == (elem_lies[wrong].reason == GA_NO_REASON),
					  "values: %d", has_values);
			check_values();
			memset(hostile_n_elements, 0, sizeof(hostile_n_elements));
			elem_lie = TRUTH;
			elem_finish(NULL);
			elem_check_sums();
			session_end();
		}
	}

	elem_begin("types without such values, and states with sums", GA_FORM_SUM,
			   TRUTH, 0);
	elem_state.type = GA_int8;
	make_values(NULL);
	tap_check(!has_values && elem_n_asked == 0, "it was asked");
	elem_state.type = GA_int2;
	elem_finish(NULL);
	make_values(NULL);
	tap_check(!has_values && n_taken == 0, "values of a part");
	session_end();

	elem_begin("an error in the middle", GA_FORM_SUM, TRUTH, 0);
	take_fails_at = 2;
	tap_check(!stubs_try(make_values, NULL), "no error");
	tap_check(!ga_slots_are_wanted(), "a slot waits");
	make_values(NULL);
	tap_check(has_values, "none afterwards");
	check_values();
	session_end();
}

/*
 * Positions that were done were taken, and the run says why there are no more,
 * though segments behind them have results.
 */
static void
try_run(Lie lie, int at, int late)
{
	GaElemRun run = {.type = GA_int2,
					 .n_arrays = ELEM_ARRAYS,
					 .n = ELEM_ALL,
					 .form = GA_FORM_SUM,
					 .take = take,
					 .target = values};

	elem_begin(elem_lies[lie].name, GA_FORM_SUM, lie, at);
	elem_lies_once = true;
	hostile_late = late;
	run.keys = elem_state.noted;
	n_taken = 0;
	memset(values, 0, sizeof(values));
	ga_elem_by_device(&run);
	tap_check(run.n_done == n_taken, "%u are done", run.n_done);
	tap_check(n_taken == (lie == TRUTH ? ELEM_ALL : at * elem_segment) ||
				  (n_taken < at * elem_segment && lie != TRUTH && late > 0),
			  "%u were taken", n_taken);
	check_taken(n_taken);
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
