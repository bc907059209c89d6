/*
 * batch.c
 *		Many arrays for one request: where they lie, and what is in them.
 */
#include <stdlib.h>

#include "batch.h"
#include "device/device_check.h"

#define FILLER 0xff /* makes NaN of floats, and -1 of integers */

void
batch_init(Batch *batch, GaElementType type)
{
	memset(batch, 0, sizeof(*batch));
	batch->type = type;
}

void
batch_init_scan(Batch *batch, int mode)
{
	memset(batch, 0, sizeof(*batch));
	batch_set_mode(batch, mode);
}

/* Let a batch that is empty be of another mode. */
void
batch_set_mode(Batch *batch, int mode)
{
	bool is_int128 = mode == SCAN_INT128;

	batch->type = is_int128 ? GA_int8 : (GaElementType) mode;
	batch->totals = is_int128 ? GA_TOTALS_INT128 : GA_TOTALS_PLAIN;
}

const char *
batch_mode_name(int mode)
{
	static const char *const names[SCAN_N_MODES] = {
#define X(name, family, ctype) #name,
		GA_ELEMENT_TYPES(X)
#undef X
			"int8 to 128 bits"};

	return names[mode];
}

/* Empty it, but keep its memory. */
void
batch_clear(Batch *batch)
{
	uint32_t i;

	for (i = 0; i < batch->n_arrays; i++)
		free(batch->arrays[i].before);
	free(batch->hints);
	batch->hints = NULL;
	batch->n_arrays = 0;
	batch->n_bytes = 0;
	batch->out_bytes = 0;
}

void
batch_free(Batch *batch)
{
	batch_clear(batch);
	free(batch->arrays);
	free(batch->image);
}

size_t
batch_total_size(const Batch *batch)
{
	return ga_scan_total_size(batch->type, batch->totals);
}

void *
batch_elements(const Batch *batch, uint32_t i)
{
	return batch->image + batch->arrays[i].at;
}

/* Where something of this alignment goes that begins behind `end`. */
static size_t
place(size_t end, int offset, size_t size, uint32_t i)
{
	if (offset == BATCH_PACKED)
		return (end + size - 1) / size * size + (1 + i % 3) * size;
	return (end + BATCH_ALIGNMENT) / BATCH_ALIGNMENT * BATCH_ALIGNMENT +
		   (size_t) offset;
}

/* Make the image that long; what is new are fillers. */
static void
extend(Batch *batch, size_t n_bytes)
{
	if (n_bytes > batch->image_capacity)
	{
		batch->image_capacity = n_bytes + batch->image_capacity / 2;
		batch->image = realloc(batch->image, batch->image_capacity);
	}
	memset(batch->image + batch->n_bytes, FILLER, n_bytes - batch->n_bytes);
	batch->n_bytes = n_bytes;
}

/* An entry for an array whose elements are in the image already. */
static BatchArray *
add_entry(Batch *batch, const char *name, size_t at, size_t n, int out_offset)
{
	size_t total_size = batch_total_size(batch);
	size_t alignment = total_size < 8 ? total_size : 8;
	BatchArray *array;

	if (batch->n_arrays == batch->capacity)
	{
		batch->capacity = 2 * batch->capacity + 16;
		batch->arrays =
			realloc(batch->arrays, batch->capacity * sizeof(BatchArray));
	}
	array = &batch->arrays[batch->n_arrays];
	memset(array, 0, sizeof(*array));
	array->name = name;
	array->n = n;
	array->at = at;
	array->out_at =
		place(batch->out_bytes, out_offset, alignment, batch->n_arrays);
	batch->n_arrays++;
	batch->out_bytes = array->out_at + n * total_size;
	return array;
}

void *
batch_add(Batch *batch, const char *name, size_t n, int offset, int out_offset)
{
	size_t size = ga_element_size(batch->type);
	size_t at = place(batch->n_bytes, offset, size, batch->n_arrays);

	extend(batch, at + n * size);
	add_entry(batch, name, at, n, out_offset);
	return batch->image + at;
}

void
batch_add_part(Batch *batch, uint32_t of, size_t from, size_t n)
{
	add_entry(batch, batch->arrays[of].name,
			  batch->arrays[of].at + from * ga_element_size(batch->type), n,
			  BATCH_PACKED);
}

void
batch_add_random(Batch *batch, Rng *rng, size_t n, int offset, int out_offset)
{
	void *to = batch_add(batch, "", n, offset, out_offset);

	batch->arrays[batch->n_arrays - 1].name =
		elements_fill(batch->type, rng, n, to);
}

void
batch_add_family(Batch *batch, Rng *rng, int family, size_t n)
{
	void *to = batch_add(batch, "", n, BATCH_PACKED, BATCH_PACKED);

	batch->arrays[batch->n_arrays - 1].name =
		elements_fill_family(batch->type, rng, family, n, to);
}

void
batch_add_doubles(Batch *batch, const char *name, const double *x, size_t n)
{
	elements_put(batch->type, x, n,
				 batch_add(batch, name, n, BATCH_PACKED, BATCH_PACKED));
}

void
batch_add_ints(Batch *batch, const char *name, const int64_t *x, size_t n)
{
	elements_put_int(batch->type, x, n,
					 batch_add(batch, name, n, BATCH_PACKED, BATCH_PACKED));
}

static void
set_before(Batch *batch, const void *sum, size_t n_bytes)
{
	BatchArray *array = &batch->arrays[batch->n_arrays - 1];

	array->before = malloc(n_bytes);
	array->before_bytes = n_bytes;
	memcpy(array->before, sum, n_bytes);
}

/* Set the sum before the last array, with capacity for its stored cells. */
void
batch_before_float(Batch *batch, const GaExactSum *sum)
{
	GaExactSum *copy;

	set_before(batch, sum, GA_EXACT_SUM_SIZE(sum->n_cells));
	copy = batch->arrays[batch->n_arrays - 1].before;
	copy->capacity = copy->n_cells;
}

void
batch_before_int(Batch *batch, const GaIntSum *sum)
{
	set_before(batch, sum, sizeof(*sum));
}

/*
 * Each piece begins with the sum of those before it.  The last one may be
 * the one that overflows.
 */
void
batch_add_segments(Batch *batch, Rng *rng, uint32_t of)
{
	BatchArray whole = batch->arrays[of];
	char *totals = malloc((whole.n + 1) * batch_total_size(batch));
	size_t end = batch_expect(batch, of, totals);
	int shift = rng_between(rng, 0, whole.n < 500 ? 6 : 2);
	size_t from = 0;
	GaFullSum full;
	GaExactSum *sum = ga_full_sum_init(&full);
	GaIntSum int_sum = {0};

	free(totals);
	while (from < whole.n && from <= end)
	{
		size_t n = rng_below(rng, ((whole.n - from) >> shift) + 2);
		const void *data =
			batch->image + whole.at + from * ga_element_size(batch->type);

		n = n < whole.n - from ? n : whole.n - from;
		batch_add_part(batch, of, from, n);
		batch->arrays[batch->n_arrays - 1].n_before = from;
		if (ga_element_is_float(batch->type))
		{
			batch_before_float(batch, sum);
			elements_sum_float(batch->type, sum, data, n);
		}
		else
		{
			int_sum.n = (int64_t) from;
			batch_before_int(batch, &int_sum);
			elements_sum_int(batch->type, &int_sum, data, n);
		}
		from += n;
	}
}

void
batch_add_hints(Batch *batch)
{
	batch->hints = calloc(batch->n_arrays + 1, sizeof(*batch->hints));
}

static GaScanHint
wrong_hint(const Batch *batch, Rng *rng)
{
	switch (rng_below(rng, 5))
	{
		case 0:
			return (GaScanHint){.n_levels = GA_SCAN_NO_SCALE};
		case 1:
			return batch->hints[rng_below(rng, batch->n_arrays)];
		case 2:
			return (GaScanHint){(int16_t) rng_between(rng, -1100, 1000),
								(uint16_t) rng_between(rng, 2, 3)};
		case 3:
			return (GaScanHint){(int16_t) rng_between(rng, -120, 40), 2};
		default:
			return (GaScanHint){(int16_t) rng_between(rng, -32768, 32767),
								(uint16_t) rng_between(rng, 0, 65535)};
	}
}

void
batch_spoil_hints(Batch *batch, Rng *rng)
{
	uint32_t i;

	for (i = 0; i < batch->n_arrays; i++)
	{
		if (!rng_chance(rng, 4))
			batch->hints[i] = wrong_hint(batch, rng);
	}
}

bool
batch_wants_mpfr(const Batch *batch, uint32_t i)
{
	return batch->mpfr_one_in > 0 && ga_element_is_float(batch->type) &&
		   i % (uint32_t) batch->mpfr_one_in == 0;
}

/* Put the image into the device's memory; returns its address there. */
GaDeviceAddress
batch_copy_in(Rig *rig, const Batch *batch)
{
	GaDeviceAddress address = rig_memory(rig, RIG_IN, batch->n_bytes);

	rig_copy_in(rig, address, batch->image, batch->n_bytes);
	return address;
}
