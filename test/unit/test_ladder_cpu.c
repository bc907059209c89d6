/*
 * test_ladder_cpu.c
 *		The CPU's loops over a ladder's elements: by parts or at once, plainly
 *		or exactly, and what tells the two apart.
 */
#include <math.h>
#include <stdlib.h>

#include "ladder/ladder_cpu.h"
#include "tap.h"

#define N 20000

typedef union Elements
{
	int32_t int4[N + 1];
	int64_t int8[N + 1];
	float float4[N + 1];
	double float8[N + 1];
	char bytes[(N + 1) * 8];
} Elements;

static Elements in;
static Elements out;
static Elements other;

static const GaElementType types[] = {
#define X(name, family, ctype) GA_##name,
	GA_LADDER_TYPES(X)
#undef X
};

#define N_TYPES (sizeof(types) / sizeof(types[0]))

typedef void (*Loop)(GaLadderLoop *loop, const void *in, size_t n, void *out);

/* All elements, in parts of so many. */
static GaLadderTotal
run(Loop loop, GaLadder ladder, GaElementType type, size_t part, Elements *to)
{
	const size_t size = ga_element_size(type);
	GaLadderLoop state;
	size_t done;

	memset(to->bytes, 0x5a, sizeof(to->bytes));
	ga_ladder_begin(&state, ladder, type);
	for (done = 0; done < N; done += part)
		loop(&state, in.bytes + done * size, done + part < N ? part : N - done,
			 to->bytes + done * size);
	return state.total;
}

/* The elements are those of ladder.h, whatever parts they are made in. */
static void
test_fill(void)
{
	size_t i;

	tap_begin("elements by their index");
	ga_ladder_fill(GA_int4, 0, N, in.bytes);
	for (i = 0; i < N; i++)
		tap_check(in.int4[i] == ga_ladder_int(i), "int4 %zu", i);
	ga_ladder_fill(GA_int8, 0, N, in.bytes);
	for (i = 0; i < N; i++)
		tap_check(in.int8[i] == ga_ladder_int(i), "int8 %zu", i);
	ga_ladder_fill(GA_float4, 7, N, in.bytes);
	for (i = 0; i < N; i++)
		tap_check(in.float4[i] == ga_ladder_float4(i + 7), "float4 %zu", i);
	ga_ladder_fill(GA_float8, 1, N - 1, in.float8 + 1);
	for (i = 1; i < N; i++)
		tap_check(in.float8[i] == ga_ladder_float8(i) && in.float8[i] >= 0 &&
					  in.float8[i] < 1,
				  "float8 %zu", i);
	tap_end();
}

/* Each of them, in parts of several lengths, against the whole at once. */
static void
test_segments(void)
{
	static const size_t parts[] = {1, 3, 2047, 2048, 2049, 9999};
	unsigned t, ladder, p;

	tap_begin("parts and the whole");
	for (t = 0; t < N_TYPES; t++)
	{
		ga_ladder_fill(types[t], 0, N, in.bytes);
		for (ladder = 0; ladder < GA_N_LADDERS; ladder++)
		{
			Loop loops[] = {ga_ladder_plain, ga_ladder_exact};
			int i;

			for (i = 0; i < 2; i++)
			{
				GaLadderTotal whole = run(loops[i], ladder, types[t], N, &out);

				for (p = 0; p < 6; p++)
				{
					GaLadderTotal total =
						run(loops[i], ladder, types[t], parts[p], &other);

					tap_check(memcmp(&total, &whole, sizeof(total)) == 0 &&
								  memcmp(out.bytes, other.bytes,
										 sizeof(out.bytes)) == 0,
							  "%s, ladder %u, parts of %zu",
							  ga_element_name(types[t]), ladder, parts[p]);
				}
			}
		}
	}
	tap_end();
}

/* Exclusive totals are the inclusive ones one place on; the last is the sum. */
static void
test_laws(void)
{
	unsigned t;
	int i;

	tap_begin("inclusive, exclusive, and the sum");
	for (t = 0; t < N_TYPES; t++)
	{
		const size_t size = ga_element_size(types[t]);
		Loop loops[] = {ga_ladder_plain, ga_ladder_exact};
		static const char zero[8];

		ga_ladder_fill(types[t], 0, N, in.bytes);
		for (i = 0; i < 2; i++)
		{
			GaLadderTotal sum =
				run(loops[i], GA_LADDER_REDUCE, types[t], N, &out);

			(void) run(loops[i], GA_LADDER_SCAN, types[t], N, &out);
			(void) run(loops[i], GA_LADDER_EXCLUSIVE_SCAN, types[t], N, &other);
			tap_check(memcmp(other.bytes, zero, size) == 0 &&
						  memcmp(other.bytes + size, out.bytes,
								 (N - 1) * size) == 0 &&
						  memcmp(out.bytes + (N - 1) * size, &sum, size) == 0,
					  "%s, %s", ga_element_name(types[t]),
					  i ? "exact" : "plain");
		}
	}
	tap_end();
}

/* Sums of floats against long double, which has bits enough for so few. */
static void
test_values(void)
{
	long double total = 0;
	double worst = 0;
	GaLadderLoop exact;
	double error;
	size_t i;

	tap_begin("exact totals are rounded once");
	ga_ladder_fill(GA_float4, 0, N, in.bytes);
	(void) run(ga_ladder_exact, GA_LADDER_SCAN, GA_float4, N, &out);
	(void) run(ga_ladder_plain, GA_LADDER_SCAN, GA_float4, N, &other);
	for (i = 0; i < N; i++)
	{
		total += in.float4[i];
		tap_check(out.float4[i] == (float) total, "total %zu", i);
		worst = fmax(worst, fabs((double) other.float4[i] - (float) total));
	}
	ga_ladder_begin(&exact, GA_LADDER_SCAN, GA_float4);
	error = ga_ladder_error(&exact, in.bytes, N, other.bytes);
	tap_check(worst > 0 && error == worst, "error %g, not %g", error, worst);
	tap_end();
}

/* One total that is off is found, wherever it is, and so is its size. */
static void
test_error(void)
{
	unsigned t;
	size_t i;

	tap_begin("one total that is off");
	for (t = 0; t < N_TYPES; t++)
	{
		const size_t size = ga_element_size(types[t]);
		uint64_t hash;

		ga_ladder_fill(types[t], 0, N, in.bytes);
		(void) run(ga_ladder_exact, GA_LADDER_SCAN, types[t], N, &out);
		hash = ga_ladder_hash(0, types[t], out.bytes, N);
		for (i = 0; i < N; i += 1 + i)
		{
			GaLadderLoop exact;
			char kept[8];
			double error;

			ga_ladder_begin(&exact, GA_LADDER_SCAN, types[t]);
			error = ga_ladder_error(&exact, in.bytes, N, out.bytes);
			tap_check(error == 0, "an error of %g", error);
			memcpy(kept, out.bytes + i * size, size);
			out.bytes[i * size] ^= 1;
			ga_ladder_begin(&exact, GA_LADDER_SCAN, types[t]);
			error = ga_ladder_error(&exact, in.bytes, N, out.bytes);
			tap_check(ga_element_is_float(types[t]) ?
						  error > 0 && error < 1e-3 :
						  error == 1,
					  "%s: an error of %g", ga_element_name(types[t]), error);
			tap_check(ga_ladder_hash(0, types[t], out.bytes, N) != hash,
					  "the same hash");
			memcpy(out.bytes + i * size, kept, size);
		}
		tap_check(ga_ladder_hash(ga_ladder_hash(0, types[t], out.bytes, 100),
								 types[t], out.bytes + 100 * size,
								 N - 100) == hash,
				  "a hash in parts");
	}
	tap_check(isnan(ga_ladder_larger(1, NAN)) &&
				  isnan(ga_ladder_larger(NAN, 1)) &&
				  ga_ladder_larger(2, INFINITY) == INFINITY &&
				  ga_ladder_larger(3, 2) == 3,
			  "the larger error");
	tap_end();
}

/* The middle one, or between the two in the middle. */
static void
test_median(void)
{
	double one[] = {5};
	double two[] = {7, 1};
	double five[] = {9, 2, 8, 2, 3};
	double six[] = {6, 1, 5, 2, 4, 30};

	tap_begin("medians");
	tap_check(ga_ladder_median(one, 1) == 5, "of one");
	tap_check(ga_ladder_median(two, 2) == 4, "of two");
	tap_check(ga_ladder_median(five, 5) == 3, "of five");
	tap_check(ga_ladder_median(six, 6) == 4.5, "of six");
	tap_end();
}

int
main(void)
{
	test_fill();
	test_segments();
	test_laws();
	test_values();
	test_error();
	test_median();
	return tap_done();
}
