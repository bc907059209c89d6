/*
 * fuzz_session.c
 *		A session's side of the protocol, against a gpuaggd that answers
 *		whatever it likes (hostile.c).
 *
 * Whatever it answers, nothing but the values of sums may be wrong: memory,
 * descriptors, the number of inputs of each sum, and the texts that a view
 * shows are as they must be.
 */
#include "postgres.h"

#include "exact/moments.h"
#include "extension/engine/cpu_sums.h"
#include "extension/offload/client.h"
#include "extension/offload/elements.h"
#include "extension/offload/stat_client.h"
#include "extension/offload/stored.h"
#include "extension/offload/totals.h"
#include "extension/sql/engine_resident.h"
#include "extension/sql/ladder_client.h"
#include "elem_job.h"
#include "windows_job.h"
#include "hostile.h"
#include "server_stubs.h"

#define MAX_SUMS 8

static GaOwner owner; /* of all sums */

/* A sum, and its inputs so far. */
typedef struct Sum
{
	GaIntSum ints;
	GaFullSum floats;
	int64 n;	   /* inputs, if all are known */
	int64 n_least; /* otherwise they are between these */
	int64 n_most;
} Sum;

typedef struct Job
{
	Bytes *script;
	GaElementType type;
	Sum sums[MAX_SUMS];
	GaAnyState reduced;
} Job;

static void *
sum_of(Job *job, Sum *sum)
{
	return ga_element_is_float(job->type) ? (void *) ga_full_sum(&sum->floats) :
											(void *) &sum->ints;
}

static int64
n_inputs(Job *job, Sum *sum)
{
	return ga_element_is_float(job->type) ? ga_full_sum(&sum->floats)->n :
											sum->ints.n;
}

/* Elements that all have the type's zero. */
static char zeros[1 << 16];

static void
add_elements(void *argument)
{
	Job *job = argument;
	const Size size = ga_element_size(job->type);
	int n = take_byte(job->script) % 16;

	while (n-- > 0 && ga_client_open(true) == GA_NO_REASON)
	{
		Sum *sum = &job->sums[take_byte(job->script) % MAX_SUMS];
		Size left = take_word(job->script) % (sizeof(zeros) / size);
		bool is_first = true;

		while (left > 0)
		{
			Size done = ga_elements_add(&owner, sum_of(job, sum), job->type,
										zeros, left, is_first);

			must(done <= left);
			sum->n += done;
			left -= done;
			is_first = false;
			if (done == 0)
				break;
		}
	}
	ga_elements_send();
	ga_slots_drain();
}

/* Return a part of an array of n elements, or all of it. */
static GaStoredWanted
wanted_of(uint32 number, uint32 n)
{
	GaStoredWanted wanted = GA_WANTED_ALL;

	if (number % 2 == 0 || n == 0)
		return wanted;
	wanted.elements.from = number % n;
	wanted.elements.n = (n - wanted.elements.from + 1) / 2;
	wanted.part.first = (int) wanted.elements.from + 1;
	wanted.part.last = (int) (wanted.elements.from + wanted.elements.n);
	wanted.is_small = number % 4 == 1;
	return wanted;
}

static void
add_stored(void *argument)
{
	Job *job = argument;
	int n = take_byte(job->script) % 32;

	while (n-- > 0 && ga_client_open(true) == GA_NO_REASON)
	{
		Sum *sum = &job->sums[take_byte(job->script) % MAX_SUMS];
		const uint32 word = take_word(job->script);
		const uint32 raw_bytes = word % 100000;
		const GaStoredKey key = {7, n + 100, raw_bytes, raw_bytes};
		const uint32 n_all = raw_bytes / ga_element_size(job->type);
		const GaStoredWanted wanted = wanted_of(word / 2, n_all);

		sum->n_most +=
			wanted.elements.n > 0 ? wanted.elements.n : (int64) n_all;
		ga_stored_add(&owner, ga_sum_state(sum_of(job, sum), job->type), &key,
					  &wanted);
	}
	ga_stored_finish();
	ga_elements_send();
	ga_slots_drain();
}

/* Add pairs: what is answered, or computed, is possible. */
static void
add_pairs(void *argument)
{
	Job *job = argument;
	const uint8_t byte = take_byte(job->script);
	int n = byte % 32;
	const GaState state = {&job->reduced, job->type,
						   byte / 32 % 2 ? GA_REDUCE_DOT : GA_REDUCE_PRODUCTS};
	int64 n_most = 0;
	int64 n_pairs;

	ga_state_init(state);
	while (n-- > 0 && ga_client_open(true) == GA_NO_REASON)
	{
		const uint32 word = take_word(job->script);
		const uint32 raw_bytes = word % 100000;
		const GaStoredKey keys[2] = {
			{7, n + 100, raw_bytes, raw_bytes},
			{7, word % 40 + 90, raw_bytes + word / 2 % 2 * 8, raw_bytes}};

		n_most += raw_bytes / ga_element_size(job->type);
		ga_stored_add_pair(&owner, state, keys);
	}
	ga_stored_finish();
	n_pairs =
		ga_element_is_float(job->type) ?
			ga_sum_pair_products(ga_full_sum_pair(&job->reduced.pair))->n :
			job->reduced.int_products.n;
	if (ga_element_is_float(job->type))
		must(ga_sum_pair_is_valid(ga_full_sum_pair(&job->reduced.pair)));
	must(n_pairs >= 0 && n_pairs <= n_most);
}

/* Find extrema, and add moments: what is answered, or computed, is possible. */
static void
add_reduced(void *argument)
{
	Job *job = argument;
	const GaReduction reduction =
		(GaReduction) (1 + take_byte(job->script) % (GA_N_REDUCTIONS - 1));
	int n = take_byte(job->script) % 32;
	GaAnyState *memory = &job->reduced;
	const GaState state = {memory, job->type, reduction};
	int64 n_most = 0;

	ga_state_init(state);
	while (n-- > 0 && ga_client_open(true) == GA_NO_REASON)
	{
		const uint32 raw_bytes = take_word(job->script) % 100000;
		const GaStoredKey key = {7, n + 100, raw_bytes, raw_bytes};

		n_most += raw_bytes / ga_element_size(job->type);
		ga_stored_add(&owner, state, &key, &GA_WANTED_ALL);
	}
	ga_stored_finish();
	if (reduction != GA_REDUCE_MOMENTS)
		must(ga_extremum_is_valid(&memory->extremum));
	else if (ga_element_is_float(job->type))
		must(ga_moments_is_valid(ga_full_sum_pair(&memory->pair)) &&
			 ga_moments_n(ga_full_sum_pair(&memory->pair)) <= n_most);
	else
		must(memory->ints.n >= 0 && memory->ints.n <= n_most);
}

/* Return how many elements a state has, or -1 if it is an extremum. */
static int64
n_of_state(GaState state)
{
	if (state.reduction == GA_REDUCE_SUM)
		return ga_element_is_float(state.type) ? ((GaExactSum *) state.at)->n :
												 ((GaIntSum *) state.at)->n;
	if (state.reduction != GA_REDUCE_MOMENTS)
	{
		must(ga_extremum_is_valid(state.at));
		return -1;
	}
	if (!ga_element_is_float(state.type))
		return ((GaIntMoments *) state.at)->sum.n;
	must(ga_sum_pair_is_valid(state.at));
	return ga_sum_pair_products(state.at)->n;
}

#define MAX_PARTS 64

/* Wait for parts of an array: each has all of its elements. */
static void
wait_for_parts(void *argument)
{
	Job *job = argument;
	GaStoredPart parts[MAX_PARTS];
	GaResidentRun run = {.type = job->type, .parts = parts};
	int i;

	run.reduction = (GaReduction) (take_byte(job->script) % GA_N_REDUCTIONS);
	run.n = 1 + take_byte(job->script) % MAX_PARTS;
	run.is_small = take_byte(job->script) % 2;
	run.states = palloc(run.n * ga_state_bytes(run.type, run.reduction));
	run.key = (GaStoredKey){7, 100, 80000, 80000};
	for (i = 0; i < run.n; i++)
	{
		const uint32 word = take_word(job->script);

		parts[i] = (GaStoredPart){word % 5000, 1 + word % 4999};
	}
	if (ga_client_open(true) != GA_NO_REASON)
		return;
	if (ga_resident_compute(&run) == GA_NO_REASON)
		must(run.n_done == run.n);
	must(run.n_done >= 0 && run.n_done <= run.n);
	for (i = 0; i < run.n_done; i++)
	{
		const int64 n = n_of_state(ga_resident_state(&run, i));

		must(n == -1 || n == parts[i].n);
	}
}

static void
add_totals(void *argument)
{
	Job *job = argument;
	const bool is_stored = take_byte(job->script) % 2;
	const Size n = take_word(job->script) % (sizeof(zeros) / sizeof(int64));
	GaArray array = {.type = job->type, .n_not_null = n};
	GaTotalsState totals = {.type = job->type,
							.array = is_stored ? &array : NULL,
							.is_resident = is_stored};
	GaTotalsRun run = {.totals = &totals, .in = zeros, .n = n};

	if (is_stored)
		run.in = NULL;
	(void) ga_full_sum_init(&totals.floats);
	run.out = palloc(n * ga_totals_size(job->type) + 1);
	if (ga_client_open(true) != GA_NO_REASON)
		return;
	ga_totals_by_device(&run);
	must(run.n_out <= n);
	if (run.reason != GA_NO_REASON || run.is_missing || run.overflow)
		return;
	must(run.n_out == n);
	must((ga_element_is_float(job->type) ? ga_full_sum(&totals.floats)->n :
										   totals.ints.n) == (int64) n);
}

/* Is there an end in these bytes? */
static void
check_text(const char *text, Size n_bytes)
{
	must(memchr(text, '\0', n_bytes) != NULL);
}

static void
ask_views(void *argument)
{
	Job *job = argument;
	const GaRequest request = {.opcode = GA_STAT};
	GaDeviceRow *devices;
	GaCacheRow *rows;
	GaReply reply;
	int64 n;
	int64 i;

	switch (take_byte(job->script) % 3)
	{
		case 0:
			n = ga_stat_client_devices(&devices);
			for (i = 0; i < n; i++)
			{
				check_text(devices[i].name, sizeof(devices[i].name));
				check_text(devices[i].id, sizeof(devices[i].id));
				check_text(devices[i].kind, sizeof(devices[i].kind));
			}
			break;
		case 1:
			n = ga_stat_client_cache(&rows);
			for (i = 0; i < n; i++)
				must(memchr(&rows[i], 1, sizeof(rows[i])) != &reply);
			break;
		default:
			if (ga_stat_client_ask(&request, &reply))
				check_text(reply.reason, sizeof(reply.reason));
	}
}

/* A GaTakeLadderRow. */
static void
take_row(const GaLadderRow *row, void *to)
{
	(void) to;
	check_text(row->rung.name, sizeof(row->rung.name));
	must(row->rung.is_step == true || row->rung.is_step == false);
	must(row->same_bits <= 1 || row->same_bits > 1);
}

static void
ask_ladder(void *argument)
{
	const GaLadderCall call = {.n = 1, .type = GA_int4, .repeats = 1};

	(void) argument;
	ga_ladder_fetch(&call, take_row, NULL);
}

/* Get and release a lease and lookup slots several times. */
static void
open_often(void *argument)
{
	Job *job = argument;
	int n = take_byte(job->script) % 8;

	while (n-- > 0)
	{
		GaReason reason = ga_client_open(n % 2);

		if (reason == GA_NO_REASON)
			reason = ga_client_lease(n % GA_LEASE_SLOTS + 1, n % 2);
		if (reason == GA_NO_REASON)
			reason = ga_client_enlarge_lookups();
		if (reason == GA_NO_REASON)
			ga_client_rest();
		else if (reason != GA_REASON_STAGING)
			ga_client_close();
		ga_client_check();
		check_text(ga_client_trouble(), sizeof(((GaReply *) 0)->reason));
		if (ga_client_device_kind() != NULL)
			check_text(ga_client_device_kind(),
					   sizeof(((GaDeviceRow *) 0)->kind));
	}
}

/* All inputs were added, once: by the device, or by the CPU. */
static void
check_sums(Job *job)
{
	int i;

	for (i = 0; i < MAX_SUMS; i++)
	{
		const int64 n = n_inputs(job, &job->sums[i]);

		must(n >= job->sums[i].n && n <= job->sums[i].n + job->sums[i].n_most);
	}
}

static void (*const jobs[])(void *argument) = {
	add_elements, add_stored, add_totals,  ask_views,
	ask_ladder,	  open_often, add_reduced, wait_for_parts};

/* The jobs of inputs that begin with one of the highest numbers. */
#define FIRST_PAIRS		  208
#define FIRST_WINDOWS	  224
#define FIRST_BY_POSITION 240

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes)
{
	Bytes bytes = {data, n_bytes};
	Bytes own;
	static Job job;
	uint8_t which = take_byte(&bytes);
	int i;

	/* the first half says what the session does, the other what it gets */
	own = (Bytes){bytes.next, bytes.left / 4};
	bytes.next += own.left;
	bytes.left -= own.left;
	memset(&job, 0, sizeof(job));
	job.script = &own;
	job.type = (GaElementType) (which / 8 % GA_N_ELEMENT_TYPES);
	for (i = 0; i < MAX_SUMS; i++)
		(void) ga_full_sum_init(&job.sums[i].floats);
	hostile_begin(&bytes);
	ga_slots_init(ga_stored_connection_lost);
	if (which < FIRST_PAIRS)
	{
		if (stubs_try(jobs[which % lengthof(jobs)], &job))
			check_sums(&job);
	}
	else if (which < FIRST_WINDOWS)
		(void) stubs_try(add_pairs, &job);
	else
		(void) stubs_try(which < FIRST_BY_POSITION ? windows_job : elem_job,
						 &own);
	(void) ga_stored_reset();
	ga_slots_reset();
	hostile_end();
	stubs_reset();
	return 0;
}
