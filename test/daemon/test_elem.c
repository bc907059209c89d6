/*
 * test_elem.c
 *		GA_ELEM: sums of resident arrays position by position, wherever their
 *		pages are; and what is answered if some are not resident.
 */
#include <stdlib.h>
#include <string.h>

#include "stored_elem.h"
#include "tap.h"

static Daemon gpuaggd;
static Client client;

/* Arrays of one length, all of which are resident. */
typedef struct Resident
{
	ArraySet set;
	StoredArray *arrays;
	uint32_t n_arrays;
	uint32_t n; /* elements of each */
} Resident;

static void
open_resident(Resident *resident, Rng *rng, GaElementType type,
			  uint32_t n_arrays, uint32_t n)
{
	const GaStoredLookup lookup = stored_lookup_next();

	resident->n_arrays = n_arrays;
	resident->n = n;
	elem_fill(&resident->set, rng, type, n_arrays, n);
	resident->arrays = stored_make_all(&resident->set, STORED_FIRST);
	tap_check(stored_make_resident(&client, resident->arrays, n_arrays,
								   &lookup) == n_arrays,
			  "they are not resident");
}

static void
close_resident(Resident *resident)
{
	free(resident->arrays);
	array_set_free(&resident->set);
}

/* Ask for all positions, some at a time; all slots are under way together. */
static ElemResults
check_all(const Resident *resident, uint32_t most)
{
	const uint32_t one_in = 1 + resident->n / 3000;
	ElemResults results = {0, 0};
	uint32_t at = 0;

	while (at < resident->n)
	{
		GaRequest requests[GA_LEASE_SLOTS];
		uint32_t n_sent = 0;
		uint32_t i;

		for (; n_sent < GA_LEASE_SLOTS && at < resident->n; n_sent++)
		{
			const uint32_t left = resident->n - at;
			const uint32_t n = left < most ? left : most;

			requests[n_sent] = elem_name(&client, n_sent, resident->arrays,
										 resident->n_arrays, at, n);
			client_send(&client, &requests[n_sent]);
			at += n;
		}
		for (i = 0; i < n_sent; i++)
		{
			GaReply reply;

			tap_check(client_receive(&client, &reply), "no reply");
			elem_check(&client, &requests[i], &reply, resident->arrays, one_in,
					   &results);
		}
	}
	return results;
}

/* A part of the positions, of some arrays, in any form. */
static void
check_part(const Resident *resident, Rng *rng, ElemResults *results)
{
	const uint32_t from = (uint32_t) rng_below(rng, resident->n);
	const uint32_t left = resident->n - from;
	const uint32_t most = left < elem_most() ? left : elem_most();
	GaRequest request = elem_name(
		&client, (uint32_t) rng_below(rng, GA_LEASE_SLOTS), resident->arrays,
		1 + (uint32_t) rng_below(rng, resident->n_arrays), from,
		1 + (uint32_t) rng_below(rng, most));
	const uint32_t form = (uint32_t) rng_below(rng, GA_N_ELEM_FORMS);

	if (ga_elem_has_form(resident->set.type, form))
		request.u.elem.form = form;
	elem_request(&client, &request, resident->arrays, 1 + resident->n / 3000,
				 results);
}

/* Of so many arrays and positions, at once and in random segments. */
static void
try_size(Rng *rng, GaElementType type, uint32_t n_arrays, uint32_t n,
		 ElemResults *all)
{
	ElemResults results;
	Resident resident;
	uint32_t most;
	int i;

	open_resident(&resident, rng, type, n_arrays, n);
	results = check_all(&resident, elem_most());
	all->n += results.n;
	all->n_refused += results.n_refused;
	most = 1 + (uint32_t) rng_below(rng, n);
	(void) check_all(&resident, most < elem_most() ? most : elem_most());
	for (i = 0; i < 6; i++)
		check_part(&resident, rng, &results);
	close_resident(&resident);
	(void) stored_clear(&client, STORED_RELATION);
}

/* Arrays that share pages, of a page each, and of several that lie apart. */
static void
test_sizes(Rng *rng, GaElementType type)
{
	static const uint32_t n_bytes[] = {
		8, 64, 1000, 4096, 64 << 10, 256 << 10, 262152, 700000, 2 << 20};
	const uint32_t n_sizes = sizeof(n_bytes) / sizeof(n_bytes[0]);
	const uint32_t size = (uint32_t) ga_element_size(type);
	ElemResults all = {0, 0};
	uint32_t i;

	tap_begin("%s: arrays of all sizes", ga_element_name(type));
	(void) stored_fragment(&client);
	for (i = 0; i < n_sizes; i++)
		try_size(rng, type,
				 1 + (uint32_t) rng_below(rng, n_bytes[i] < 8192 ? 300 : 12),
				 n_bytes[i] / size, &all);
	tap_check(all.n_refused < all.n / 2, "%llu of %llu are refused",
			  (unsigned long long) all.n_refused, (unsigned long long) all.n);
	stored_check_empty(&client);
	tap_end();
}

/* Arrays in pages that lie apart, and others in pages side by side. */
static void
test_pieces(Rng *rng, GaElementType type)
{
	const int n_side_by_side = 6;
	const GaStoredLookup lookup = stored_lookup_next();
	ElemResults results = {0, 0};
	Resident resident = {.n_arrays = 9,
						 .n = 700000 / (uint32_t) ga_element_size(type)};
	int i;

	tap_begin("%s: memory in different pieces", ga_element_name(type));
	(void) stored_fragment(&client);
	elem_fill(&resident.set, rng, type, resident.n_arrays, resident.n);
	resident.arrays = stored_make_all(&resident.set, STORED_FIRST);
	/* the first array comes last, so that its pages are side by side */
	for (i = (int) resident.n_arrays - 1; i >= 0; i--)
	{
		if (i == n_side_by_side - 1)
			(void) stored_clear(&client, STORED_RELATION + 1);
		tap_check(
			stored_make_resident(&client, resident.arrays + i, 1, &lookup) == 1,
			"array %d is not resident", i);
	}
	(void) check_all(&resident, elem_most());
	for (i = 0; i < 20; i++)
		check_part(&resident, rng, &results);
	close_resident(&resident);
	stored_check_empty(&client);
	tap_end();
}

/* Floats of each family: some sums are refused, as far as they need be. */
static void
test_families(Rng *rng)
{
	ElemResults all = {0, 0};
	long i;

	tap_begin("floats of all families");
	for (i = 0; i < tap_cases(60); i++)
		try_size(rng, i % 2 ? GA_float8 : GA_float4,
				 1 + (uint32_t) rng_below(rng, 40),
				 1 + (uint32_t) rng_below(rng, 700), &all);
	tap_check(tap_is_divided() || (all.n_refused > 0 && all.n_refused < all.n),
			  "%llu of %llu are refused", (unsigned long long) all.n_refused,
			  (unsigned long long) all.n);
	stored_check_empty(&client);
	tap_end();
}

/* As many arrays as a request names, and as many positions. */
static void
test_most(Rng *rng)
{
	const uint32_t n = ga_slot_positions(GA_FORM_SUM);
	ElemResults results = {0, 0};
	Resident resident;
	GaRequest request;

	tap_begin("as many arrays, or positions, as can be");
	try_size(rng, GA_int4, GA_SLOT_ARRAYS, 10, &results);
	try_size(rng, GA_float8, 3, 2 * elem_most() + 1, &results);
	open_resident(&resident, rng, GA_float4, 2, n + 1);
	request = elem_name(&client, 0, resident.arrays, 2, 0, elem_most());
	request.u.elem.n = n;
	request.u.elem.form = GA_FORM_SUM;
	elem_request(&client, &request, resident.arrays, 100, &results);
	close_resident(&resident);
	stored_check_empty(&client);
	tap_end();
}

/* An array may be named twice, and is added twice. */
static void
test_twice(Rng *rng)
{
	ElemResults results = {0, 0};
	StoredArray named[3];
	Resident resident;
	GaRequest request;

	tap_begin("an array that is named twice");
	open_resident(&resident, rng, GA_int8, 2, 500);
	named[0] = named[2] = resident.arrays[0];
	named[1] = resident.arrays[1];
	request = elem_name(&client, 0, named, 3, 0, 500);
	elem_request(&client, &request, named, 1, &results);
	close_resident(&resident);
	stored_check_empty(&client);
	tap_end();
}

/* Arrays of which some are not there: the answer says which. */
static void
test_missing(Rng *rng)
{
	const GaStoredLookup lookup = stored_lookup_next();
	const uint32_t n_arrays = 9;
	ElemResults results = {0, 0};
	StoredArray *arrays;
	GaRequest request;
	GaStatRow before, after;
	ArraySet set;
	uint32_t i;

	tap_begin("without all arrays there are no sums");
	elem_fill(&set, rng, GA_float8, n_arrays, 1000);
	arrays = stored_make_all(&set, STORED_FIRST);
	request = elem_name(&client, 2, arrays, n_arrays, 0, 1000);
	elem_check_none(&client, &request);
	tap_check(stored_stat(&client, false).n_resident == 0, "one is expected");
	(void) stored_make_resident(&client, arrays, 4, &lookup);
	(void) stored_make_resident(&client, arrays + 5, 4, &lookup);
	before = stored_stat(&client, false);
	request = elem_name(&client, 2, arrays, n_arrays, 0, 1000);
	elem_check_none(&client, &request);
	after = stored_stat(&client, false);
	for (i = 0; i < n_arrays; i++)
		tap_check((elem_ref(&client, 2, i)->state == GA_STORED_RESIDENT) ==
					  (i != 4),
				  "array %u: state %u", i, elem_ref(&client, 2, i)->state);
	tap_check(after.n_hits == before.n_hits + 8, "%llu hits",
			  (unsigned long long) (after.n_hits - before.n_hits));
	tap_check(after.n_requests == before.n_requests, "it was computed");

	/* one that is being loaded */
	(void) stored_request(&client, arrays + 4, 1, &lookup);
	request = elem_name(&client, 2, arrays, n_arrays, 0, 1000);
	elem_check_none(&client, &request);
	tap_check(elem_ref(&client, 2, 4)->state == GA_STORED_BUSY, "state %u",
			  elem_ref(&client, 2, 4)->state);
	stored_load(&client, arrays + 4, 1);
	request = elem_name(&client, 2, arrays, n_arrays, 0, 1000);
	elem_request(&client, &request, arrays, 1, &results);
	free(arrays);
	array_set_free(&set);
	stored_check_empty(&client);
	tap_end();
}

/* One array has another length, as no column of one shape has. */
static void
test_length(Rng *rng)
{
	const GaStoredLookup lookup = stored_lookup_next();
	StoredArray *arrays;
	GaRequest request;
	ArraySet set;
	uint32_t i;

	tap_begin("arrays of other lengths");
	elem_fill(&set, rng, GA_int2, 3, 1000);
	array_set_add_random(&set, rng, 999, 0, 0);
	array_set_add_random(&set, rng, 1001, 0, 0);
	arrays = stored_make_all(&set, STORED_FIRST);
	(void) stored_make_resident(&client, arrays, 5, &lookup);
	request = elem_name(&client, 3, arrays, 5, 0, 999);
	elem_check_none(&client, &request);
	for (i = 0; i < 5; i++)
		tap_check(elem_ref(&client, 3, i)->state == GA_STORED_RESIDENT &&
					  elem_ref(&client, 3, i)->n == set.arrays[i].n,
				  "array %u: state %u, %u elements", i,
				  elem_ref(&client, 3, i)->state, elem_ref(&client, 3, i)->n);
	free(arrays);
	array_set_free(&set);
	stored_check_empty(&client);
	tap_end();
}

/* Another session finds them, one of another database does not. */
static void
test_sessions(Rng *rng)
{
	ElemResults results = {0, 0};
	Resident resident;
	GaRequest request;
	Client other;
	int same;

	tap_begin("other sessions");
	open_resident(&resident, rng, GA_int4, 20, 3000);
	for (same = 0; same < 2; same++)
	{
		stored_open(&other, &gpuaggd,
					same ? STORED_DATABASE : STORED_DATABASE + 1);
		request = elem_name(&other, 0, resident.arrays, 20, 10, 2000);
		if (same)
			elem_request(&other, &request, resident.arrays, 1, &results);
		else
			elem_check_none(&other, &request);
		client_close(&other);
	}
	close_resident(&resident);
	stored_check_empty(&client);
	tap_end();
}

int
main(void)
{
	Rng rng = {83};
	int type;

	daemon_start(&gpuaggd, "--staging-size=32", "--cache-size=88", NULL);
	stored_open(&client, &gpuaggd, STORED_DATABASE);
	for (type = 0; type < GA_N_ELEMENT_TYPES; type++)
	{
		test_sizes(&rng, (GaElementType) type);
		test_pieces(&rng, (GaElementType) type);
	}
	test_families(&rng);
	test_most(&rng);
	test_twice(&rng);
	test_missing(&rng);
	test_length(&rng);
	test_sessions(&rng);
	client_close(&client);
	daemon_stop(&gpuaggd);
	return tap_done();
}
