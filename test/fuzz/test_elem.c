/*
 * test_elem.c
 *		Sums by position: what a session makes of answers that are wrong, of
 *		arrays that are missing, and of connections that are lost.
 */
#include "postgres.h"

#include "elem_case.h"

static void
test_lies(void)
{
	int wrong, at;

	for (wrong = 0; wrong < N_LIES; wrong++)
	{
		for (at = 0; at < 7; at += 3)
		{
			const GaReason reason = elem_lies[wrong].reason;

			elem_begin(elem_lies[wrong].name, GA_FORM_RECORD, (Lie) wrong, at);
			tap_check(stubs_try(elem_finish, NULL), "an error");
			elem_check_sums();
			tap_check(
				(hostile_n_elements[reason] > 0 && hostile_counted == reason) ||
					reason == GA_NO_REASON,
				"the last reason is %d", hostile_counted);
			if (at > 0 || reason == GA_NO_REASON)
				tap_check(hostile_n_elements[GA_NO_REASON] >=
							  (int64) ELEM_ARRAYS * at * elem_segment,
						  "%lld elements by the device",
						  (long long) hostile_n_elements[GA_NO_REASON]);
			session_end();
		}
	}
}

static void
test_missing(void)
{
	elem_begin("only what is missing is loaded", GA_FORM_RECORD, MISSING, 0);
	elem_finish(NULL);
	elem_check_sums();
	tap_check(hostile_n_requests[GA_LOAD] > 0 &&
				  hostile_n_elements[GA_NO_REASON] ==
					  (int64) ELEM_ARRAYS * ELEM_ALL,
			  "not by the device");
	tap_check(elem_asked[0] == 0 && elem_asked[1] == 0 &&
				  elem_asked[2] == elem_segment,
			  "asked for %u, %u", elem_asked[1], elem_asked[2]);
	session_end();

	elem_begin("in the middle, too, and the sums before it stay",
			   GA_FORM_RECORD, MISSING, 3);
	elem_finish(NULL);
	elem_check_sums();
	tap_check(hostile_n_elements[GA_NO_REASON] ==
				  (int64) ELEM_ARRAYS * ELEM_ALL,
			  "not by the device");
	session_end();

	elem_begin("what is in doubt is looked at, and not loaded", GA_FORM_RECORD,
			   DOUBT, 1);
	elem_finish(NULL);
	elem_check_sums();
	tap_check(hostile_n_requests[GA_LOAD] == 0 &&
				  hostile_n_requests[GA_REDUCE_STORED] == 0 &&
				  hostile_n_elements[GA_NO_REASON] ==
					  (int64) ELEM_ARRAYS * ELEM_ALL,
			  "not by the device");
	session_end();

	elem_begin("the CPU adds an array that the cache does not keep",
			   GA_FORM_RECORD, FOR_EVER, 0);
	elem_loads = false;
	elem_finish(NULL);
	elem_check_sums();
	tap_check(hostile_n_arrays[GA_NO_REASON] == ELEM_ARRAYS - 1 &&
				  hostile_n_arrays[GA_REASON_CACHE] == 1,
			  "%lld by the device", (long long) hostile_n_arrays[GA_NO_REASON]);
	session_end();
}

static void
test_lease(void)
{
	elem_begin("no lease", GA_FORM_RECORD, NO_LEASE, 0);
	elem_finish(NULL);
	elem_check_sums();
	tap_check(hostile_counted == GA_REASON_STAGING, "reason %d",
			  hostile_counted);
	session_end();
}

static void
test_late(void)
{
	int late;

	for (late = 2; late <= GA_LEASE_SLOTS; late++)
	{
		elem_begin("several segments under way", GA_FORM_RECORD, FAILURE, 6);
		hostile_late = late;
		elem_finish(NULL);
		elem_check_sums();
		session_end();

		elem_begin("several segments, and one array is missing", GA_FORM_RECORD,
				   MISSING, 3);
		hostile_late = late;
		elem_finish(NULL);
		elem_check_sums();
		session_end();
	}
}

int
main(void)
{
	test_lies();
	test_missing();
	test_lease();
	test_late();
	elem_test_cancelled(elem_finish, GA_FORM_RECORD, TRUTH);
	elem_test_cancelled(elem_finish, GA_FORM_RECORD, MISSING);
	elem_test_cancelled(elem_finish, GA_FORM_RECORD, REFUSED);
	elem_test_cancelled(elem_finish, GA_FORM_RECORD, DOUBT);
	return tap_done();
}
