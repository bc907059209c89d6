/*
 * emulated_ladder.c
 *		The rungs of the emulated device: the CPU's loops, timed.
 *
 * There are no kernels here; but each rung does what its title says, so that
 * all that is around kernels can be tested.  A rung makes its elements, runs
 * as often as it was asked to and once more, and looks at the last result: each
 * of these goes piece by piece, so that nobody waits for long meanwhile.  The
 * clock is read before and after a piece of a run.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "device/clock.h"
#include "device/device_check.h"
#include "emulated_ladder.h"
#include "emulated_memory.h"
#include "ladder/ladder_cpu.h"

/* Elements of a piece: a fraction of a millisecond. */
#define PIECE (1 << 18)

/* What a rung is at. */
typedef enum Phase
{
	PHASE_FILL, /* makes the elements */
	PHASE_RUN,
	PHASE_CHECK /* looks at the totals of the last run */
} Phase;

struct GaEmulatedRung
{
	GaDevice *device;
	GaRungRequest *request;
	GaDeviceAddress memory;
	char *in;  /* n elements */
	char *out; /* and as many totals or copies, if it makes any */
	Phase phase;
	uint64_t n_done;   /* elements, in this phase or run */
	uint32_t n_runs;   /* that are over */
	GaLadderLoop loop; /* of this run, or of the exact totals */
	double run_ms;
	GaLadderTotal total; /* the last run's */
	uint64_t hash;		 /* of this run's result, and of the first one's */
	uint64_t first_hash;
	double ms[]; /* each run's, but for the first one */
};

/* The next n elements of a run. */
typedef void (*RunPiece)(GaEmulatedRung *rung, const char *in, size_t n,
						 char *out);

static void
run_copy(GaEmulatedRung *rung, const char *in, size_t n, char *out)
{
	memcpy(out, in, n * ga_element_size(rung->request->type));
}

static void
run_loop(GaEmulatedRung *rung, const char *in, size_t n, char *out)
{
	ga_ladder_plain(&rung->loop, in, n, out);
}

static void
run_exact(GaEmulatedRung *rung, const char *in, size_t n, char *out)
{
	ga_ladder_exact(&rung->loop, in, n, out);
}

static void
run_managed(GaEmulatedRung *rung, const char *in, size_t n, char *out)
{
	run_copy(rung, in, n, out);
	run_loop(rung, out, n, NULL);
}

/* In the order of both lists below, of which one has them all. */
static const RunPiece run_pieces[] = {run_copy, run_loop, run_exact,
									  run_managed};

#define COPY                                                            \
	{                                                                   \
		"copy", "a copy of all elements",                               \
			.is_exact = true, .types = GA_LADDER_ALL_TYPES, .passes = 2 \
	}
#define LOOP(n_passes)                                                        \
	{                                                                         \
		"loop", "a loop over the elements, which rounds",                     \
			.is_step = true, .types = GA_LADDER_ALL_TYPES, .passes = n_passes \
	}
#define EXACT(n_passes)                                                        \
	{                                                                          \
		"exact", "the CPU engine's exact sums",                                \
			.is_exact = true, .types = GA_LADDER_ALL_TYPES, .passes = n_passes \
	}

static const GaRung reduce_rungs[] = {
	COPY,
	LOOP(1),
	EXACT(1),
	{"managed", "the loop over elements that each run copies", .is_step = true,
	 .is_managed = true, .types = 1 << GA_float8, .passes = 1}};
static const GaRung scan_rungs[] = {COPY, LOOP(2), EXACT(2)};

#define N_RUNGS(list) ((uint32_t) (sizeof(list) / sizeof(list[0])))

uint32_t
ga_emulated_rungs(GaLadder ladder, const GaRung **rungs)
{
	*rungs = ladder == GA_LADDER_REDUCE ? reduce_rungs : scan_rungs;
	return ladder == GA_LADDER_REDUCE ? N_RUNGS(reduce_rungs) :
										N_RUNGS(scan_rungs);
}

static RunPiece
run_of(const GaRungRequest *request)
{
	return run_pieces[request->rung];
}

/* Does it make n totals, or one? */
static bool
is_scan(const GaRungRequest *request)
{
	return request->ladder != GA_LADDER_REDUCE;
}

static bool
needs_out(const GaRungRequest *request)
{
	return is_scan(request) || run_of(request) == run_copy ||
		   run_of(request) == run_managed;
}

static uint64_t
request_bytes(const GaRungRequest *request)
{
	return request->n * ga_element_size(request->type) *
		   (needs_out(request) ? 2 : 1);
}

/*
 * Begin with a request that keeps the rules, and take memory for it.  GA_OK;
 * GA_NO_MEMORY; GA_DEVICE_FAILED.
 */
GaStatus
ga_emulated_rung_begin(GaDevice *device, GaRungRequest *request,
					   GaEmulatedRung **rung, GaDeviceFailure *failure)
{
	GaDeviceAddress memory;
	GaStatus status = ga_device_emulated.allocate(
		device, request_bytes(request), &memory, failure);

	if (status != GA_OK)
		return status;
	*rung = calloc(1, sizeof(**rung) + request->repeats * sizeof(double));
	if (*rung == NULL)
	{
		ga_device_emulated.free(device, memory);
		ga_device_failure(failure, "emulated rung", "out of memory");
		return GA_NO_MEMORY;
	}
	(*rung)->device = device;
	(*rung)->request = request;
	(*rung)->memory = memory;
	(*rung)->in = ga_emulated_pointer(memory);
	(*rung)->out =
		needs_out(request) ?
			(*rung)->in + request->n * ga_element_size(request->type) :
			NULL;
	return GA_OK;
}

/* Give back what it has taken. */
void
ga_emulated_rung_end(GaEmulatedRung *rung)
{
	ga_device_emulated.free(rung->device, rung->memory);
	free(rung);
}

/* The next phase, or the next run. */
static void
begin_phase(GaEmulatedRung *rung, Phase phase)
{
	rung->phase = phase;
	rung->n_done = 0;
	rung->run_ms = 0;
	rung->hash = 0;
	ga_ladder_begin(&rung->loop, rung->request->ladder, rung->request->type);
}

/* Elements from the caller, or made. */
static void
fill(GaEmulatedRung *rung, char *in, size_t n)
{
	const GaRungRequest *request = rung->request;
	const size_t size = ga_element_size(request->type);

	if (request->in != NULL)
		memcpy(in, (const char *) request->in + rung->n_done * size, n * size);
	else
		ga_ladder_fill(request->type, rung->n_done, n, in);
}

/* A piece of a run.  The hash of totals is not timed. */
static void
run(GaEmulatedRung *rung, const char *in, size_t n, char *out)
{
	int64_t start_ns = ga_now_ns();

	run_of(rung->request)(rung, in, n, out);
	rung->run_ms += ga_ms_since(start_ns);
	if (is_scan(rung->request) || run_of(rung->request) == run_copy)
		rung->hash = ga_ladder_hash(rung->hash, rung->request->type, out, n);
}

/* How far a piece of the last run's totals, or of the copy, is off. */
static double
error_of(GaEmulatedRung *rung, const char *in, size_t n, const char *out)
{
	if (run_of(rung->request) != run_copy)
		return ga_ladder_error(&rung->loop, in, n, out);
	return memcmp(in, out, n * ga_element_size(rung->request->type)) == 0 ?
			   0 :
			   INFINITY;
}

/* A run is over: what it was like.  The first one only warms up. */
static void
end_run(GaEmulatedRung *rung)
{
	GaRungRequest *request = rung->request;

	rung->hash =
		ga_ladder_hash(rung->hash, request->type, &rung->loop.total, 1);
	if (rung->n_runs == 0)
	{
		rung->first_hash = rung->hash;
		request->same_bits = true;
	}
	else
		rung->ms[rung->n_runs - 1] = rung->run_ms;
	if (rung->hash != rung->first_hash)
		request->same_bits = false;
	rung->n_runs++;
}

/* All runs are over: give the result of the last one, before it is looked at. */
static void
give_result(GaEmulatedRung *rung)
{
	GaRungRequest *request = rung->request;
	const size_t size = ga_element_size(request->type);

	request->ms = ga_ladder_median(rung->ms, request->repeats);
	request->max_error = 0;
	rung->total = rung->loop.total;
	if (request->out != NULL)
		memcpy(request->out,
			   is_scan(request) || run_of(request) == run_copy ?
				   rung->out :
				   (char *) &rung->loop.total,
			   is_scan(request) ? request->n * size : size);
}

/* What comes after all elements of a phase. */
static GaEmulatedNext
end_phase(GaEmulatedRung *rung)
{
	GaRungRequest *request = rung->request;

	switch (rung->phase)
	{
		case PHASE_FILL:
			/* its launch was that of the request */
			begin_phase(rung, PHASE_RUN);
			return GA_EMULATED_GOES_ON;
		case PHASE_RUN:
			end_run(rung);
			if (rung->n_runs <= request->repeats)
			{
				begin_phase(rung, PHASE_RUN);
				return GA_EMULATED_NEXT_RUN;
			}
			give_result(rung);
			begin_phase(rung, PHASE_CHECK);
			return GA_EMULATED_GOES_ON;
		case PHASE_CHECK:
			break;
	}
	if (!is_scan(request) && run_of(request) != run_copy)
		request->max_error =
			ga_ladder_distance(request->type, &rung->total, &rung->loop.total);
	return GA_EMULATED_DONE;
}

/* Do the next piece, and say what comes after it. */
GaEmulatedNext
ga_emulated_rung_advance(GaEmulatedRung *rung)
{
	GaRungRequest *request = rung->request;
	const size_t size = ga_element_size(request->type);
	uint64_t left = request->n - rung->n_done;
	size_t n = left < PIECE ? left : PIECE;
	char *in = rung->in + rung->n_done * size;
	char *out = rung->out ? rung->out + rung->n_done * size : NULL;

	switch (rung->phase)
	{
		case PHASE_FILL:
			fill(rung, in, n);
			break;
		case PHASE_RUN:
			run(rung, in, n, out);
			break;
		case PHASE_CHECK:
			request->max_error = ga_ladder_larger(request->max_error,
												  error_of(rung, in, n, out));
			break;
	}
	rung->n_done += n;
	return rung->n_done < request->n ? GA_EMULATED_GOES_ON : end_phase(rung);
}
