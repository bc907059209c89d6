/*
 * set.c
 *		Many arrays for one request: where they lie, and what is in them.
 */
#include <stdlib.h>

#include "array_set.h"
#include "device/device_check.h"

#define FILLER 0xff /* makes NaN of floats, and -1 of integers */

#define MIXED_LENGTH 20000

size_t
array_set_mixed_length(Rng *rng)
{
	if (rng_chance(rng, 10))
		return 0;
	return rng_below(rng, MIXED_LENGTH + 1) >> rng_below(rng, 12);
}

void
array_set_init(ArraySet *set, GaElementType type)
{
	memset(set, 0, sizeof(*set));
	set->type = type;
}

void
array_set_init_scan(ArraySet *set, int mode)
{
	memset(set, 0, sizeof(*set));
	array_set_set_mode(set, mode);
}

/* Let a set that is empty be of another mode. */
void
array_set_set_mode(ArraySet *set, int mode)
{
	bool is_int128 = mode == SCAN_INT128;

	set->type = is_int128 ? GA_int8 : (GaElementType) mode;
	set->totals = is_int128 ? GA_TOTALS_INT128 : GA_TOTALS_PLAIN;
}

const char *
array_set_mode_name(int mode)
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
array_set_clear(ArraySet *set)
{
	uint32_t i;

	for (i = 0; i < set->n_arrays; i++)
		free(set->arrays[i].before);
	free(set->hints);
	set->hints = NULL;
	set->n_arrays = 0;
	set->n_bytes = 0;
	set->out_bytes = 0;
}

void
array_set_free(ArraySet *set)
{
	array_set_clear(set);
	free(set->arrays);
	free(set->image);
}

size_t
array_set_total_size(const ArraySet *set)
{
	return ga_scan_total_size(set->type, set->totals);
}

void *
array_set_elements(const ArraySet *set, uint32_t i)
{
	return set->image + set->arrays[i].at;
}

/* Where something of this alignment goes that begins behind `end`. */
static size_t
place(size_t end, int offset, size_t size, uint32_t i)
{
	if (offset == ARRAY_SET_PACKED)
		return (end + size - 1) / size * size + (1 + i % 3) * size;
	return (end + ARRAY_SET_ALIGNMENT) / ARRAY_SET_ALIGNMENT *
			   ARRAY_SET_ALIGNMENT +
		   (size_t) offset;
}

/* Make the image that long; what is new are fillers. */
static void
extend(ArraySet *set, size_t n_bytes)
{
	if (n_bytes > set->image_capacity)
	{
		set->image_capacity = n_bytes + set->image_capacity / 2;
		set->image = realloc(set->image, set->image_capacity);
	}
	memset(set->image + set->n_bytes, FILLER, n_bytes - set->n_bytes);
	set->n_bytes = n_bytes;
}

/* An entry for an array whose elements are in the image already. */
static ArraySetMember *
add_entry(ArraySet *set, const char *name, size_t at, size_t n, int out_offset)
{
	size_t total_size = array_set_total_size(set);
	size_t alignment = total_size < 8 ? total_size : 8;
	ArraySetMember *array;

	if (set->n_arrays == set->capacity)
	{
		set->capacity = 2 * set->capacity + 16;
		set->arrays =
			realloc(set->arrays, set->capacity * sizeof(ArraySetMember));
	}
	array = &set->arrays[set->n_arrays];
	memset(array, 0, sizeof(*array));
	array->name = name;
	array->n = n;
	array->at = at;
	array->out_at = place(set->out_bytes, out_offset, alignment, set->n_arrays);
	set->n_arrays++;
	set->out_bytes = array->out_at + n * total_size;
	return array;
}

void *
array_set_add(ArraySet *set, const char *name, size_t n, int offset,
			  int out_offset)
{
	size_t size = ga_element_size(set->type);
	size_t at = place(set->n_bytes, offset, size, set->n_arrays);

	extend(set, at + n * size);
	add_entry(set, name, at, n, out_offset);
	return set->image + at;
}

void
array_set_add_part(ArraySet *set, uint32_t of, size_t from, size_t n)
{
	add_entry(set, set->arrays[of].name,
			  set->arrays[of].at + from * ga_element_size(set->type), n,
			  ARRAY_SET_PACKED);
}

void
array_set_add_random(ArraySet *set, Rng *rng, size_t n, int offset,
					 int out_offset)
{
	void *to = array_set_add(set, "", n, offset, out_offset);

	set->arrays[set->n_arrays - 1].name = elements_fill(set->type, rng, n, to);
}

void
array_set_add_family(ArraySet *set, Rng *rng, int family, size_t n)
{
	void *to = array_set_add(set, "", n, ARRAY_SET_PACKED, ARRAY_SET_PACKED);

	set->arrays[set->n_arrays - 1].name =
		elements_fill_family(set->type, rng, family, n, to);
}

void
array_set_add_doubles(ArraySet *set, const char *name, const double *x,
					  size_t n)
{
	elements_put(
		set->type, x, n,
		array_set_add(set, name, n, ARRAY_SET_PACKED, ARRAY_SET_PACKED));
}

void
array_set_add_ints(ArraySet *set, const char *name, const int64_t *x, size_t n)
{
	elements_put_int(
		set->type, x, n,
		array_set_add(set, name, n, ARRAY_SET_PACKED, ARRAY_SET_PACKED));
}

static void
set_before(ArraySet *set, const void *sum, size_t n_bytes)
{
	ArraySetMember *array = &set->arrays[set->n_arrays - 1];

	array->before = malloc(n_bytes);
	array->before_bytes = n_bytes;
	memcpy(array->before, sum, n_bytes);
}

/* Set the sum before the last array, with capacity for its stored cells. */
void
array_set_before_float(ArraySet *set, const GaExactSum *sum)
{
	GaExactSum *copy;

	set_before(set, sum, GA_EXACT_SUM_SIZE(sum->n_cells));
	copy = set->arrays[set->n_arrays - 1].before;
	copy->capacity = copy->n_cells;
}

void
array_set_before_int(ArraySet *set, const GaIntSum *sum)
{
	set_before(set, sum, sizeof(*sum));
}

/*
 * Each segment begins with the sum of those before it.  The last one may be
 * the one that overflows.
 */
void
array_set_add_segments(ArraySet *set, Rng *rng, uint32_t of)
{
	ArraySetMember whole = set->arrays[of];
	char *totals = malloc((whole.n + 1) * array_set_total_size(set));
	size_t end = array_set_expect(set, of, totals);
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
			set->image + whole.at + from * ga_element_size(set->type);

		n = n < whole.n - from ? n : whole.n - from;
		array_set_add_part(set, of, from, n);
		set->arrays[set->n_arrays - 1].n_before = from;
		if (ga_element_is_float(set->type))
		{
			array_set_before_float(set, sum);
			elements_sum_float(set->type, sum, data, n);
		}
		else
		{
			int_sum.n = (int64_t) from;
			array_set_before_int(set, &int_sum);
			elements_sum_int(set->type, &int_sum, data, n);
		}
		from += n;
	}
}

void
array_set_add_hints(ArraySet *set)
{
	set->hints = calloc(set->n_arrays + 1, sizeof(*set->hints));
}

static GaScanHint
wrong_hint(const ArraySet *set, Rng *rng)
{
	switch (rng_below(rng, 5))
	{
		case 0:
			return (GaScanHint){.n_levels = GA_SCAN_NO_SCALE};
		case 1:
			return set->hints[rng_below(rng, set->n_arrays)];
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
array_set_spoil_hints(ArraySet *set, Rng *rng)
{
	uint32_t i;

	for (i = 0; i < set->n_arrays; i++)
	{
		if (!rng_chance(rng, 4))
			set->hints[i] = wrong_hint(set, rng);
	}
}

bool
array_set_wants_mpfr(const ArraySet *set, uint32_t i)
{
	return set->mpfr_one_in > 0 && ga_element_is_float(set->type) &&
		   i % (uint32_t) set->mpfr_one_in == 0;
}

/*
 * Put the image into the device's memory; returns its address there, from which
 * offsets lead to the arrays, packed or not.
 */
GaDeviceAddress
array_set_copy_in(Fixture *fixture, const ArraySet *set)
{
	GaDeviceAddress address = fixture_memory(fixture, FIXTURE_IN, set->n_bytes);

	fixture_copy_in(fixture, address, set->image, set->n_bytes);
	if ((set->is_packed || fixture_packs()) && set->n_bytes > 0)
		address = fixture_pack_image(fixture, set->type, address, set->n_bytes);
	return address;
}
