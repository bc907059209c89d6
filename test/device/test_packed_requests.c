/*
 * test_packed_requests.c
 *		A device's sums, other reductions and running totals of packed arrays:
 *		what they are of the same arrays when they are plain.
 *
 * Each request is submitted with plain arrays, with packed ones, and with a
 * mixture.
 */
#include <stdlib.h>

#include "device/device_check.h"
#include "exact/extreme.h"
#include "packed_part.h"
#include "sums.h"
#include "tap.h"

#define MOST_PARTS 400

static Fixture fixture;

/* Are these the same sums of n elements?  Cells may have other carries. */
static bool
is_same_sum(GaElementType type, uint64_t n, const GaPartialSum *a,
			const GaFullRecord *a_full, const GaPartialSum *b,
			const GaFullRecord *b_full)
{
	GaFullSum buffers[2];
	GaExactSum *sums[2] = {ga_full_sum_init(&buffers[0]),
						   ga_full_sum_init(&buffers[1])};
	GaIntSum ints[2] = {{0}, {0}};

	if (a->kind != b->kind)
		return false;
	if (!ga_element_is_float(type))
	{
		ga_partial_merge_int(&ints[0], (int64_t) n, a);
		ga_partial_merge_int(&ints[1], (int64_t) n, b);
		return memcmp(&ints[0], &ints[1], sizeof(ints[0])) == 0;
	}
	if (a->kind == GA_PARTIAL_FULL)
	{
		const GaFullRecord *x = a_full + a->limb[0];
		const GaFullRecord *y = b_full + b->limb[0];

		if (x->n_nan != y->n_nan || x->n_pos_inf != y->n_pos_inf ||
			x->n_neg_inf != y->n_neg_inf)
			return false;
	}
	return ga_partial_merge(sums[0], (int64_t) n, a, a_full) == GA_OK &&
		   ga_partial_merge(sums[1], (int64_t) n, b, b_full) == GA_OK &&
		   same_sums(sums[0], sums[1]);
}

static void
test_sums(Rng *rng, const Packing *packing)
{
	const uint32_t n = tap_is_divided() ? 100 : MOST_PARTS;
	PackedPart parts[MOST_PARTS];
	GaDeviceArray arrays[MOST_PARTS];
	GaPartialSum results[PACKED_N_MIXTURES][MOST_PARTS];
	GaFullRecord *full = malloc(PACKED_N_MIXTURES * n * sizeof(*full));
	GaSumRequest request = {.type = packing->type,
							.n_arrays = n,
							.arrays = arrays,
							.full_capacity = n};
	PackedMixture mixture;
	uint32_t i;

	tap_begin("%s: sums", ga_element_name(packing->type));
	for (i = 0; i < n; i++)
		parts[i] =
			i < packing->n_arrays ?
				(PackedPart){i, 0, packing->arrays[i].n, true} :
				packed_part_random(rng, packing, packed_part_length(rng));
	for (mixture = PACKED_NONE; mixture < PACKED_N_MIXTURES; mixture++)
	{
		for (i = 0; i < n; i++)
			arrays[i] = packed_part_array(packing, &parts[i], mixture);
		request.results = results[mixture];
		request.full = full + mixture * n;
		fixture_sum(&fixture, &request);
		for (i = 0; i < n; i++)
			tap_check(is_same_sum(packing->type, parts[i].n, &results[0][i],
								  full, &results[mixture][i], request.full),
					  "%s: %u of %s from %u: another sum",
					  packed_mixture_names[mixture], (unsigned) parts[i].n,
					  packing->arrays[parts[i].array].name,
					  (unsigned) parts[i].from);
	}
	free(full);
	tap_end();
}

/* Results of so many parts each. */
static void
try_reduction(Rng *rng, const Packing *packing, GaReduction reduction,
			  uint32_t n_results, uint32_t n_each)
{
	const uint32_t n = n_results * n_each;
	const uint32_t n_records = n_results * ga_reduction_records(reduction);
	PackedPart parts[2][MOST_PARTS];
	GaDeviceArray arrays[2][MOST_PARTS];
	uint32_t n_parts_of[MOST_PARTS];
	GaPartialSum results[PACKED_N_MIXTURES][MOST_PARTS * GA_MAX_RECORDS];
	GaReduceRequest request = {.reduction = reduction,
							   .type = packing->type,
							   .n_parts = n,
							   .parts = arrays[0],
							   .others = arrays[1],
							   .n_results = n_results,
							   .n_parts_of = n_parts_of};
	PackedMixture mixture;
	uint32_t i;

	for (i = 0; i < n_results; i++)
		n_parts_of[i] = n_each;
	for (i = 0; i < n; i++)
	{
		/* the least of nothing has no meaning */
		const uint32_t length = packed_part_length(rng) | (i % n_each == 0);

		parts[0][i] = packed_part_random(rng, packing, length);
		parts[1][i] = packed_part_random(rng, packing, length);
	}
	for (mixture = PACKED_NONE; mixture < PACKED_N_MIXTURES; mixture++)
	{
		for (i = 0; i < 2 * n; i++)
			arrays[i / n][i % n] =
				packed_part_array(packing, &parts[i / n][i % n], mixture);
		request.results = results[mixture];
		fixture_reduce(&fixture, &request);
		for (i = 0; i < n_records; i++)
			tap_check(memcmp(&results[0][i], &results[mixture][i],
							 sizeof(GaPartialSum)) == 0,
					  "reduction %d, %s: record %u, the first part: %u of %s "
					  "from %u",
					  reduction, packed_mixture_names[mixture], (unsigned) i,
					  (unsigned) parts[0][i * n / n_records].n,
					  packing->arrays[parts[0][i * n / n_records].array].name,
					  (unsigned) parts[0][i * n / n_records].from);
	}
}

static void
test_reductions(Rng *rng, const Packing *packing)
{
	int reduction;
	int turn;

	tap_begin("%s: other reductions", ga_element_name(packing->type));
	for (turn = tap_is_divided() ? 1 : 4; turn > 0; turn--)
	{
		for (reduction = GA_REDUCE_MIN; reduction < GA_N_ALL_REDUCTIONS;
			 reduction++)
		{
			try_reduction(rng, packing, (GaReduction) reduction, 60, 1);
			try_reduction(rng, packing, (GaReduction) reduction, 8, 5);
		}
	}
	tap_end();
}

/* The running totals of a part, with the sum before it or without. */
static void
try_scan(Rng *rng, const Packing *packing, GaScanTotals totals)
{
	const PackedPart part =
		packed_part_random(rng, packing, packed_part_length(rng));
	const size_t size = ga_scan_total_size(packing->type, totals);
	static char results[2][PACKED_PART_MOST * sizeof(GaInt128)];
	GaScanRequest requests[2];
	GaFullSum full;
	GaIntSum ints = {.low = 1000, .n = 3};
	const void *before = &ints;
	int i;

	if (ga_element_is_float(packing->type))
		before = ga_full_sum_init(&full);
	for (i = 0; i < 2; i++)
	{
		requests[i] = (GaScanRequest){
			.type = packing->type,
			.totals = totals,
			.in = packed_part_array(packing, &part,
									i == 0 ? PACKED_NONE : PACKED_ALL)
					  .data,
			.n = part.n,
			.prefix = part.from % 2 == 0 ? before : NULL,
		};
		requests[i].out =
			fixture_memory(&fixture, FIXTURE_OUT, part.n * size + 8);
		fixture_scan(&fixture, &requests[i]);
		fixture_copy_out(&fixture, results[i], requests[i].out, part.n * size);
	}
	tap_check(requests[0].n_totals == requests[1].n_totals &&
				  memcmp(results[0], results[1], requests[0].n_totals * size) ==
					  0,
			  "%u of %s from %u: totals differ", (unsigned) part.n,
			  packing->arrays[part.array].name, (unsigned) part.from);
	if (requests[0].n_totals == part.n)
		tap_check(is_same_sum(packing->type, part.n, &requests[0].sum,
							  &requests[0].full, &requests[1].sum,
							  &requests[1].full),
				  "%u of %s from %u: sums differ", (unsigned) part.n,
				  packing->arrays[part.array].name, (unsigned) part.from);
}

static void
test_scans(Rng *rng, const Packing *packing)
{
	int turn;

	tap_begin("%s: running totals", ga_element_name(packing->type));
	for (turn = tap_is_divided() ? 20 : 200; turn > 0; turn--)
	{
		try_scan(rng, packing, GA_TOTALS_PLAIN);
		if (packing->type == GA_int8)
			try_scan(rng, packing, GA_TOTALS_INT128);
	}
	tap_end();
}

/* Nothing at a packed address, and results that may not be there. */
static void
test_rules(const Packing *packing)
{
	const GaDeviceAddress at = packing->arrays[0].packed;
	const uint32_t one = 1;
	GaScanRequest scan = {.type = packing->type, .in = at, .out = at, .n = 1};
	GaElemRequest elem = {.type = packing->type,
						  .n_arrays = 1,
						  .n_pieces = 1,
						  .n_of = &one,
						  .arrays = &at,
						  .out = at};
	GaDeviceArray odd = {at + 1, 1};
	GaPartialSum result;
	GaSumRequest sum = {.type = packing->type,
						.n_arrays = 1,
						.arrays = &odd,
						.results = &result};

	tap_begin("%s: what is refused", ga_element_name(packing->type));
	tap_check(fixture.kind->scan(fixture.queue, &scan, NULL) == GA_BAD_REQUEST,
			  "totals at a packed address");
	tap_check(fixture.kind->elem(fixture.queue, &elem, NULL) == GA_BAD_REQUEST,
			  "results at a packed address");
	tap_check(fixture.kind->sum(fixture.queue, &sum, NULL) == GA_BAD_REQUEST,
			  "a packed address that is not aligned");
	tap_end();
}

/* The i-th element of a long array; some vectors are of one value. */
static int
long_element(uint32_t i)
{
	const uint32_t vector = i / GA_PACKED_VECTOR;

	return (int) (vector % 1000 + vector / 999 % 2 * (i * 37 % 4093));
}

/*
 * A single array that is summed by wide blocks, each warp of which has more
 * vectors than it has headers at a time, if the device is not too large; some
 * vectors have no payload.
 */
static void
test_long(GaElementType type)
{
	const uint32_t most = UINT32_C(1) << 25;
	const uint32_t from = 3; /* no whole vector at both ends */
	GaDeviceInfo info;
	GaDeviceFailure failure = {.call = ""};
	Packing packing;
	GaDeviceArray array;
	GaPartialSum results[2];
	GaSumRequest request = {.type = type, .n_arrays = 1, .arrays = &array};
	void *elements;
	uint32_t n;
	uint32_t i;

	tap_begin("%s: a long array", ga_element_name(type));
	fixture_must(&fixture, "describe",
				 fixture.kind->describe(fixture.device, &info, &failure),
				 &failure);
	n = (uint32_t) info.n_multiprocessors * 3 * 8 * 40 * GA_PACKED_VECTOR;
	n = n < most ? n : most;
	packing_init(&packing, &fixture, type);
	elements = packing_add(&packing, "constants and others", n, 0, 0);
	for (i = 0; i < n; i++)
	{
		if (type == GA_float8)
			((double *) elements)[i] = long_element(i) / 100.0;
		else
			((int16_t *) elements)[i] = (int16_t) long_element(i);
	}
	packing_run(&packing);
	array.n = n - 2 * from;
	for (i = 0; i < 2; i++)
	{
		array.data =
			(i == 0 ? packing.arrays[0].plain : packing.arrays[0].packed) +
			from * ga_element_size(type);
		request.results = &results[i];
		fixture_sum(&fixture, &request);
	}
	tap_check(is_same_sum(type, array.n, &results[0], NULL, &results[1], NULL),
			  "%u elements: another sum", (unsigned) array.n);
	packing_free(&packing);
	tap_end();
}

/* The largest element from one on. */
static double
largest(const Packing *packing, uint32_t from, uint64_t n)
{
	const uint32_t n_parts = 1;
	const GaDeviceArray part = {
		packing->arrays[0].packed + from * sizeof(double), n};
	GaPartialSum record;
	GaReduceRequest request = {.reduction = GA_REDUCE_MAX,
							   .type = GA_float8,
							   .n_parts = 1,
							   .parts = &part,
							   .n_results = 1,
							   .n_parts_of = &n_parts,
							   .results = &record};
	double x;

	fixture_reduce(&fixture, &request);
	memcpy(&x, record.limb, sizeof(x));
	return x;
}

/*
 * Kernels take the extremes of a vector from its header: they believe a wrong
 * one, but where a part has not all of the vector.
 */
static void
test_headers(void)
{
	const uint32_t n = 4 * GA_PACKED_VECTOR;
	const double wrong = 1e6;
	const int64_t key = ga_element_key(GA_float8, &wrong);
	Packing packing;
	double *elements;
	uint32_t i;

	tap_begin("extremes of headers");
	packing_init(&packing, &fixture, GA_float8);
	elements = packing_add(&packing, "prices", n, 0, 0);
	for (i = 0; i < n; i++)
		elements[i] = (i * 37 % 1000) / 100.0;
	packing_run(&packing);
	fixture_copy_in(&fixture,
					packing.pieces[0].headers + sizeof(GaPackedHeader) +
						offsetof(GaPackedHeader, largest),
					&key, sizeof(key));
	tap_check(largest(&packing, 0, n) == (fixture_is_emulated() ? 9.99 : wrong),
			  "all: %g", largest(&packing, 0, n));
	tap_check(largest(&packing, 0, 2 * GA_PACKED_VECTOR - 1) == 9.99,
			  "not its last element: %g",
			  largest(&packing, 0, 2 * GA_PACKED_VECTOR - 1));
	tap_check(largest(&packing, GA_PACKED_VECTOR + 1, n / 2) == 9.99,
			  "not its first element: %g",
			  largest(&packing, GA_PACKED_VECTOR + 1, n / 2));
	packing_free(&packing);
	tap_end();
}

int
main(void)
{
	Rng rng = {43};
	int type;

	fixture_open(&fixture);
	for (type = 0; type < GA_N_ELEMENT_TYPES; type++)
	{
		Packing packing;

		tap_begin("%s: arrays are packed",
				  ga_element_name((GaElementType) type));
		packed_parts_pack(&packing, &fixture, &rng, (GaElementType) type);
		tap_end();
		test_sums(&rng, &packing);
		test_reductions(&rng, &packing);
		test_scans(&rng, &packing);
		test_rules(&packing);
		packing_free(&packing);
	}
	test_long(GA_int2);
	test_long(GA_float8);
	test_headers();
	fixture_close(&fixture);
	return tap_done();
}
