/*
 * cpu_rungs.c
 *		The rungs that run on the CPU: the serial loop that all tables compare
 *		with, and a short ladder for machines without a CUDA device.
 *
 * By one core, on the elements that a device would have.  They are made and
 * kept CAPACITY at a time, far more than a core's own caches hold: memory is
 * bounded, and a run reads all of it all the same.  The clock stands still
 * while elements are made, and while totals are compared.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "device/clock.h"
#include "device/device_check.h"
#include "ladder_cpu.h"
#include "ladder_runner.h"

/* Elements in memory at once, and between two calls of progress(). */
#define CAPACITY (1 << 23)
#define SEGMENT	 (1 << 20)

/* Runs at most, since each may take a while. */
#define MOST_RUNS 5

/* Places in both lists below. */
enum
{
	RUNG_SERIAL,
	RUNG_COPY,
	RUNG_BASELINE,
	RUNG_EXACT,
	N_RUNGS
};

#define RUNGS(n_passes)                                                     \
	{                                                                       \
		[RUNG_SERIAL] = {"cpu", "a loop over the elements, which rounds",   \
						 .types = GA_LADDER_ALL_TYPES, .passes = n_passes}, \
		[RUNG_COPY] = {"copy", "a copy of all elements", .is_exact = true,  \
					   .types = GA_LADDER_ALL_TYPES, .passes = 2},          \
		[RUNG_BASELINE] = {"exact-baseline",                                \
						   "exact sums, by what every processor can do",    \
						   .is_exact = true,                                \
						   .is_step = true,                                 \
						   .types = GA_LADDER_ALL_TYPES,                    \
						   .passes = n_passes},                             \
		[RUNG_EXACT] = {                                                    \
			"exact",                                                        \
			"exact sums, by the widest vectors of this processor",          \
			.is_exact = true,                                               \
			.is_step = true,                                                \
			.types = GA_LADDER_ALL_TYPES,                                   \
			.passes = n_passes                                              \
		}                                                                   \
	}

static const GaRung reduce_rungs[N_RUNGS] = RUNGS(1);
static const GaRung scan_rungs[N_RUNGS] = RUNGS(2);

/* A request under way. */
typedef struct Measure
{
	GaRungRequest *request;
	size_t size;	 /* bytes of an element, and of a total */
	size_t capacity; /* elements */
	char *in;
	char *out;		 /* totals, or the copy; NULL if there are none */
	bool has_totals; /* the result is n items, not a sum */
	bool is_last;	 /* run, whose result is compared */
	GaLadderLoop loop;
	GaLadderLoop exact;
	double ms;
	double error;
	uint64_t hash;
} Measure;

static GaStatus
progress(const Measure *measure, bool starts_run, GaDeviceFailure *failure)
{
	const GaRungRequest *request = measure->request;

	return request->progress ? request->progress(starts_run, failure) : GA_OK;
}

/*
 * Make m elements, from number `first` on.  The memory of totals is written to
 * as well, so that no run waits for its pages.
 */
static GaStatus
make_elements(Measure *measure, uint64_t first, size_t m,
			  GaDeviceFailure *failure)
{
	const GaRungRequest *request = measure->request;
	const size_t size = measure->size;
	GaStatus status = GA_OK;
	size_t at;

	for (at = 0; at < m && status == GA_OK; at += SEGMENT)
	{
		size_t n = m - at < SEGMENT ? m - at : SEGMENT;
		char *to = measure->in + at * size;

		if (request->in == NULL)
			ga_ladder_fill(request->type, first + at, n, to);
		else
			memcpy(to, (const char *) request->in + (first + at) * size,
				   n * size);
		if (first == 0 && measure->out != NULL)
			memset(measure->out + at * size, 0, n * size);
		status = progress(measure, false, failure);
	}
	return status;
}

/* Do what the rung does with n elements; totals go to out. */
static void
run_rung(Measure *measure, const char *in, size_t n, char *out)
{
	switch (measure->request->rung)
	{
		case RUNG_SERIAL:
			ga_ladder_plain(&measure->loop, in, n, out);
			break;
		case RUNG_COPY:
			memcpy(out, in, n * measure->size);
			break;
		default:
			ga_ladder_exact(&measure->loop, in, n, out);
			break;
	}
}

/* Compare the totals of a segment, or its copy, and give them to the caller. */
static void
compare(Measure *measure, uint64_t first, const char *in, size_t n,
		const char *out)
{
	const GaRungRequest *request = measure->request;
	const size_t n_bytes = n * measure->size;
	char *to = request->out;
	double error;

	if (request->rung != RUNG_COPY)
		error = ga_ladder_error(&measure->exact, in, n, out);
	else
		error = memcmp(in, out, n_bytes) == 0 ? 0 : INFINITY;
	measure->error = ga_ladder_larger(measure->error, error);
	if (to == NULL || !measure->has_totals)
		return;
	if (request->ladder != GA_LADDER_REDUCE)
		memcpy(to + first * measure->size, out, n_bytes);
	else if (first == 0)
		memcpy(to, out, measure->size);
}

/* Run over n elements in memory, `at` behind number `first`. */
static GaStatus
run_segment(Measure *measure, uint64_t first, size_t at, size_t n,
			GaDeviceFailure *failure)
{
	char *in = measure->in + at * measure->size;
	char *out = measure->out ? measure->out + at * measure->size : NULL;
	const int64_t start_ns = ga_now_ns();

	run_rung(measure, in, n, out);
	measure->ms += ga_ms_since(start_ns);
	if (measure->has_totals)
		measure->hash =
			ga_ladder_hash(measure->hash, measure->request->type, out, n);
	if (measure->is_last)
		compare(measure, first + at, in, n, out);
	return progress(measure, false, failure);
}

static void
begin_run(Measure *measure)
{
	const GaRungRequest *request = measure->request;

	ga_ladder_begin(&measure->loop, request->ladder, request->type);
	if (request->rung == RUNG_BASELINE)
		measure->loop.engine = &ga_cpu_baseline;
	measure->ms = 0;
	measure->hash = 0;
}

/* Run once.  The elements are in memory if all fit and it is not the first. */
static GaStatus
run_once(Measure *measure, bool is_first, GaDeviceFailure *failure)
{
	const GaRungRequest *request = measure->request;
	GaStatus status = progress(measure, true, failure);
	uint64_t first;

	begin_run(measure);
	for (first = 0; first < request->n && status == GA_OK;
		 first += measure->capacity)
	{
		uint64_t left = request->n - first;
		size_t m = left < measure->capacity ? left : measure->capacity;
		size_t at;

		if (is_first || request->n > measure->capacity)
			status = make_elements(measure, first, m, failure);
		for (at = 0; at < m && status == GA_OK; at += SEGMENT)
			status = run_segment(measure, first, at,
								 m - at < SEGMENT ? m - at : SEGMENT, failure);
	}
	measure->hash =
		ga_ladder_hash(measure->hash, request->type, &measure->loop.total, 1);
	return status;
}

/* Run as often as is asked for, and fill in the answer. */
static GaStatus
run_all(Measure *measure, GaDeviceFailure *failure)
{
	GaRungRequest *request = measure->request;
	uint32_t n_runs =
		request->repeats < MOST_RUNS ? request->repeats : MOST_RUNS;
	double ms[MOST_RUNS];
	uint64_t first_hash = 0;
	uint32_t i;

	request->same_bits = true;
	for (i = 0; i < n_runs; i++)
	{
		GaStatus status;

		measure->is_last = i == n_runs - 1;
		status = run_once(measure, i == 0, failure);
		if (status != GA_OK)
			return status;
		ms[i] = measure->ms;
		if (i == 0)
			first_hash = measure->hash;
		request->same_bits &= measure->hash == first_hash;
	}
	request->ms = ga_ladder_median(ms, n_runs);
	request->max_error = measure->error;
	if (measure->has_totals)
		return GA_OK;
	request->max_error = ga_ladder_distance(request->type, &measure->loop.total,
											&measure->exact.total);
	if (request->out != NULL)
		memcpy(request->out, &measure->loop.total, measure->size);
	return GA_OK;
}

static GaStatus
cpu_run(GaRungRequest *request, GaDeviceFailure *failure)
{
	Measure measure = {.request = request};
	GaStatus status = ga_rung_check(&ga_ladder_cpu, request, failure);

	if (status != GA_OK)
		return status;
	measure.size = ga_element_size(request->type);
	measure.capacity = request->n < CAPACITY ? request->n : CAPACITY;
	measure.has_totals =
		request->ladder != GA_LADDER_REDUCE || request->rung == RUNG_COPY;
	ga_ladder_begin(&measure.exact, request->ladder, request->type);
	measure.in = malloc(measure.capacity * measure.size);
	if (measure.has_totals)
		measure.out = malloc(measure.capacity * measure.size);
	if (measure.in != NULL && (measure.out != NULL || !measure.has_totals))
		status = run_all(&measure, failure);
	else
	{
		ga_device_failure(failure, "malloc", "out of memory");
		status = GA_NO_MEMORY;
	}
	free(measure.in);
	free(measure.out);
	return status;
}

static uint32_t
cpu_rungs(GaLadder ladder, const GaRung **rungs)
{
	*rungs = ladder == GA_LADDER_REDUCE ? reduce_rungs : scan_rungs;
	return N_RUNGS;
}

/* There is nothing to open. */
static GaStatus
cpu_open(int ordinal, uint64_t reserve_bytes, GaDeviceFailure *failure)
{
	(void) ordinal;
	(void) reserve_bytes;
	(void) failure;
	return GA_OK;
}

static void
cpu_close(void)
{
}

static const char *
cpu_device_name(void)
{
	return "cpu";
}

static uint64_t
cpu_used_bytes(void)
{
	return 0;
}

const GaLadderRunner ga_ladder_cpu = {
	.open = cpu_open,
	.close = cpu_close,
	.device_name = cpu_device_name,
	.used_bytes = cpu_used_bytes,
	.rungs = cpu_rungs,
	.run = cpu_run,
};
