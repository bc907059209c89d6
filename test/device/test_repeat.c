/*
 * test_repeat.c
 * 		The same request gives the same bits, however often.
 *
 * Its elements have exponents over a long range, so that a sum that is not
 * exact would depend on the order of additions.
 */
#include <stdlib.h>

#include "array_set.h"
#include "exact/exact_sum_io.h"
#include "sums.h"
#include "tap.h"

#define REPETITIONS		1000 /* on a GPU; the CPU has no choice */
#define REPETITIONS_CPU 100
#define SHORT_SCANS		100 /* each array is a request of its own */
#define N_ARRAYS		300
#define MAX_LENGTH		6000

static Fixture fixture;

static void
fill(ArraySet *set, Rng *rng)
{
	static const char *const names[] = {"all exponents", "exponents +-131",
										"exponents +-40", "cancelling +-300",
										"one outlier"};
	static double x[MAX_LENGTH];
	int i;

	for (i = 0; i < (int) (N_ARRAYS / tap_one_in()); i++)
	{
		size_t n = rng_below(rng, MAX_LENGTH) >> rng_below(rng, 8);

		family_fill(family_find(names[i % 5]), rng,
					element_float_type(set->type), x, n);
		array_set_add_doubles(set, names[i % 5], x, n);
	}
}

/* All that an answer says, in bytes. */
static size_t
put_sum(const ArraySetMember *array, const GaPartialSum *partial,
		const GaFullRecord *full, uint8_t *to)
{
	GaFullSum buffer;
	GaExactSum *sum = ga_full_sum_init(&buffer);
	GaStatus status = ga_partial_merge(sum, (int64_t) array->n, partial, full);

	tap_check(status == GA_OK, "merging answers %d", status);
	return ga_exact_sum_serialize(sum, to);
}

typedef struct Answers
{
	uint8_t *bytes;
	size_t n;
} Answers;

static void
answers_new(Answers *answers, const ArraySet *set)
{
	answers->bytes =
		calloc(1, N_ARRAYS * GA_EXACT_SUM_MAX_BYTES + set->out_bytes + 1);
	answers->n = 0;
}

static void
repeat_sums(const ArraySet *set, GaDeviceAddress image, Answers *answers)
{
	GaDeviceArray arrays[N_ARRAYS];
	GaPartialSum results[N_ARRAYS];
	GaFullRecord *full = malloc(N_ARRAYS * sizeof(*full));
	GaSumRequest request = {.type = set->type,
							.n_arrays = set->n_arrays,
							.arrays = arrays,
							.results = results,
							.full = full,
							.full_capacity = N_ARRAYS};
	int i;

	for (i = 0; i < (int) set->n_arrays; i++)
		arrays[i] =
			(GaDeviceArray){image + set->arrays[i].at, set->arrays[i].n};
	fixture_sum(&fixture, &request);
	for (i = 0; i < (int) set->n_arrays; i++)
		answers->n += put_sum(&set->arrays[i], &results[i], full,
							  answers->bytes + answers->n);
	free(full);
}

static void
repeat_scans(const ArraySet *set, GaDeviceAddress image, Answers *answers)
{
	GaDeviceAddress out = fixture_memory(&fixture, FIXTURE_OUT, set->out_bytes);
	const size_t size = ga_element_size(set->type);
	size_t n_totals[N_ARRAYS];
	int i;

	answers->n = set->out_bytes;
	for (i = 0; i < (int) set->n_arrays; i++)
	{
		const ArraySetMember *array = &set->arrays[i];
		GaScanRequest request = {.type = set->type,
								 .in = image + array->at,
								 .out = out + array->out_at,
								 .n = array->n};

		fixture_scan(&fixture, &request);
		n_totals[i] = request.n_totals;
		if (request.n_totals == array->n)
			answers->n += put_sum(array, &request.sum, &request.full,
								  answers->bytes + answers->n);
	}
	fixture_copy_out(&fixture, answers->bytes, out, set->out_bytes);
	for (i = 0; i < (int) set->n_arrays; i++)
	{
		const ArraySetMember *array = &set->arrays[i];

		/* what is behind an overflow has no meaning */
		memset(answers->bytes + array->out_at + n_totals[i] * size, 0,
			   (array->n - n_totals[i]) * size);
	}
}

/* The first answers are checked as those of any set are. */
static void
test_repeat(Rng *rng, GaElementType type, bool scans)
{
	long n = fixture_is_emulated()	 ? tap_cases(REPETITIONS_CPU) :
			 tap_is_divided()		 ? tap_cases(REPETITIONS) :
			 scans && !tap_is_long() ? SHORT_SCANS :
									   REPETITIONS;
	ArraySet set;
	Answers first;
	Answers next;
	long i;

	tap_begin("%s: the same %s %ld times", ga_element_name(type),
			  scans ? "running totals" : "sums", n);
	array_set_init(&set, type);
	fill(&set, rng);
	answers_new(&first, &set);
	answers_new(&next, &set);
	if (scans)
		array_set_check_scans(&fixture, &set);
	else
		array_set_check_sums(&fixture, &set);
	for (i = 0; i < n && !tap_is_failing(); i++)
	{
		Answers *answers = i == 0 ? &first : &next;

		answers->n = 0;
		if (scans)
			repeat_scans(&set, fixture_memory(&fixture, FIXTURE_IN, 0),
						 answers);
		else
			repeat_sums(&set, fixture_memory(&fixture, FIXTURE_IN, 0), answers);
		tap_check(answers->n == first.n &&
					  memcmp(answers->bytes, first.bytes, first.n) == 0,
				  "the answer differs at the %ld-th time", i + 1);
	}
	free(first.bytes);
	free(next.bytes);
	array_set_free(&set);
	tap_end();
}

int
main(void)
{
	Rng rng = {61};
	int type;

	fixture_open(&fixture);
	for (type = GA_float4; type <= GA_float8; type++)
	{
		test_repeat(&rng, (GaElementType) type, false);
		test_repeat(&rng, (GaElementType) type, true);
	}
	fixture_close(&fixture);
	return tap_done();
}
