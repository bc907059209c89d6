/*
 * sums.c
 *		Arrays whose elements are sent to the device, to be summed.
 *
 * For arrays that cannot be found again by a TOAST pointer, and for plain
 * columns.  A sum of floats has its full capacity.  Needs the connection that
 * offload.c opens; without one the CPU adds what is left.
 */
#include "postgres.h"

#include "extension/engine/cpu_reduce.h"
#include "extension/engine/cpu_sums.h"
#include "extension/engine/session_counters.h"
#include "extension/input/array.h"
#include "elements.h"
#include "sums.h"

/*
 * Send elements.  Returns how many: fewer than n if the connection is lost on
 * the way.  is_first: an array begins here.
 */
static size_t
send_elements(GaOwner *owner, void *sum, GaElementType type, const char *data,
			  size_t n, bool is_first)
{
	const size_t size = ga_element_size(type);
	size_t done = 0;

	while (done < n)
	{
		size_t n_taken = ga_elements_add(owner, sum, type, data + done * size,
										 n - done, is_first && done == 0);

		if (n_taken == 0)
			break;
		done += n_taken;
	}
	return done;
}

/* Add a part of an array to a sum.  May throw, as ga_array_open, too. */
void
ga_sums_add_array(GaOwner *owner, void *sum, GaElementType type, Datum array,
				  GaPart part)
{
	bool is_first = true;
	GaArray reader;
	const void *run;
	int n;

	ga_array_open_part(&reader, array, type, part, NULL);
	while ((n = ga_array_next_run(&reader, &run)) > 0)
	{
		size_t done = send_elements(owner, sum, type, run, n, is_first);

		if (done < n)
		{
			(void) ga_cpu_reduce(
				ga_cpu_add_growing, sum, type,
				(const char *) run + done * ga_element_size(type), n - done);
			ga_session_count(owner->counters, GA_REASON_GONE, type,
							 is_first && done == 0, n - done);
		}
		is_first = false;
	}
	if (is_first)
		ga_session_count(owner->counters, GA_NO_REASON, type, 1, 0);
	ga_array_close(&reader);
}

/* Add one element of a plain column to a sum.  May throw. */
void
ga_sums_add_element(GaOwner *owner, void *sum, GaElementType type,
					const void *element)
{
	if (send_elements(owner, sum, type, element, 1, false) == 0)
		ga_cpu_add(sum, type, element, 1);
}
