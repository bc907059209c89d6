/*
 * test_packed_values.c
 *		A device's results by position and of windows for packed arrays: what
 *		they are for the same arrays when they are plain.
 *
 * Each request is submitted with plain arrays, with packed ones, and with a
 * mixture.
 */
#include "packed_part.h"
#include "tap.h"

#define MOST_ROWS	9
#define MOST_PIECES 3

static Fixture fixture;

/* Rows of positions in two pieces. */
static void
try_elem(Rng *rng, const Packing *packing, GaElemForm form)
{
	static char results[PACKED_N_MIXTURES]
					   [(PACKED_PART_MOST + 1) * sizeof(GaPartialSum)];
	const uint32_t n_of[2] = {1 + (uint32_t) rng_below(rng, 1500),
							  1 + (uint32_t) rng_below(rng, 3000)};
	const uint64_t n_bytes = ga_elem_all_bytes(form, n_of[0] + n_of[1]);
	PackedPart parts[2 * MOST_ROWS];
	GaDeviceAddress arrays[2 * MOST_ROWS];
	GaElemRequest request = {.type = packing->type,
							 .n_arrays =
								 1 + (uint32_t) rng_below(rng, MOST_ROWS),
							 .n_pieces = 2,
							 .n_of = n_of,
							 .arrays = arrays,
							 .form = form};
	PackedMixture mixture;
	uint32_t i;

	for (i = 0; i < 2 * request.n_arrays; i++)
		parts[i] = packed_part_random(rng, packing, n_of[i / request.n_arrays]);
	for (mixture = PACKED_NONE; mixture < PACKED_N_MIXTURES; mixture++)
	{
		for (i = 0; i < 2 * request.n_arrays; i++)
			arrays[i] = packed_part_array(packing, &parts[i], mixture).data;
		request.out = fixture_memory(&fixture, FIXTURE_OUT, n_bytes);
		fixture_elem(&fixture, &request);
		fixture_copy_out(&fixture, results[mixture], request.out, n_bytes);
		tap_check(memcmp(results[0], results[mixture], n_bytes) == 0,
				  "form %d, %s: %u rows of %u and %u positions differ", form,
				  packed_mixture_names[mixture], (unsigned) request.n_arrays,
				  (unsigned) n_of[0], (unsigned) n_of[1]);
	}
}

static void
test_elem(Rng *rng, const Packing *packing)
{
	uint32_t form;
	int turn;

	tap_begin("%s: by position", ga_element_name(packing->type));
	for (turn = tap_is_divided() ? 1 : 5; turn > 0; turn--)
	{
		for (form = 0; form < GA_N_ELEM_FORMS; form++)
		{
			if (ga_elem_has_form(packing->type, form))
				try_elem(rng, packing, (GaElemForm) form);
		}
	}
	tap_end();
}

/* Windows over an array in pieces; some of them are wanted, or all. */
static void
try_windows(Rng *rng, const Packing *packing, GaElemForm form,
			GaWindows windows)
{
	static uint64_t results[PACKED_N_MIXTURES]
						   [MOST_PIECES * PACKED_PART_MOST + 1];
	PackedPart parts[MOST_PIECES];
	GaDeviceArray pieces[MOST_PIECES];
	GaWindowRequest request = {.type = packing->type,
							   .n_pieces =
								   (uint32_t) rng_between(rng, 1, MOST_PIECES),
							   .pieces = pieces,
							   .windows = windows,
							   .form = form};
	PackedMixture mixture;
	uint32_t i;

	request.windows.n = 0;
	for (i = 0; i < request.n_pieces; i++)
	{
		const uint32_t n = packed_part_length(rng);

		parts[i] = packed_part_random(rng, packing, n > 0 ? n : 1);
		request.windows.n += parts[i].n;
	}
	request.n = ga_windows_count(&request.windows);
	if (rng_chance(rng, 2))
	{
		request.first = (uint32_t) rng_below(rng, request.n);
		request.n -= request.first;
	}
	for (mixture = PACKED_NONE; mixture < PACKED_N_MIXTURES; mixture++)
	{
		for (i = 0; i < request.n_pieces; i++)
			pieces[i] = packed_part_array(packing, &parts[i], mixture);
		request.out = results[mixture];
		fixture_window(&fixture, &request);
		tap_check(memcmp(results[0], results[mixture],
						 ga_elem_all_bytes(form, request.n)) == 0,
				  "form %d, %s: windows of %u by %u over %u elements differ",
				  form, packed_mixture_names[mixture], (unsigned) windows.size,
				  (unsigned) windows.step, (unsigned) request.windows.n);
	}
}

/* Buckets, moving windows, running extremes. */
static void
test_windows(Rng *rng, const Packing *packing)
{
	static const GaWindows all[] = {
		{0, 10, 0, 10}, {0, 1000, 0, 1000}, {0, 1, 0, 1},
		{0, 1, 19, 20}, {0, 1, 30, 61},		{0, 7, 2, 40},
	};
	static const GaWindows running = {0, 1, 40000 - 1, 40000};
	static const GaWindows neighbors = {0, 1, 0, 2};
	uint32_t form;
	size_t i;
	int turn;

	tap_begin("%s: windows", ga_element_name(packing->type));
	for (turn = tap_is_divided() ? 1 : 4; turn > 0; turn--)
	{
		for (form = 0; form < GA_N_ELEM_FORMS; form++)
		{
			if (!ga_window_has_form(packing->type, form))
				continue;
			for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
				try_windows(rng, packing, (GaElemForm) form, all[i]);
			if (ga_elem_is_extreme((GaElemForm) form))
				try_windows(rng, packing, (GaElemForm) form, running);
		}
		for (i = 0; i < 4; i++)
			try_windows(rng, packing, GA_FORM_DELTA, neighbors);
	}
	tap_end();
}

int
main(void)
{
	Rng rng = {47};
	int type;

	fixture_open(&fixture);
	for (type = 0; type < GA_N_ELEMENT_TYPES; type++)
	{
		Packing packing;

		tap_begin("%s: arrays are packed",
				  ga_element_name((GaElementType) type));
		packed_parts_pack(&packing, &fixture, &rng, (GaElementType) type);
		tap_end();
		test_elem(&rng, &packing);
		test_windows(&rng, &packing);
		packing_free(&packing);
	}
	fixture_close(&fixture);
	return tap_done();
}
