/*
 * stored_segments.c
 *		The elements of stored arrays, in slots for gpuaggd to load.
 *
 * They are read right into the slots.  Called by stored_load.c; keeps nothing.
 */
#include "postgres.h"

#include "client.h"
#include "extension/input/array.h"
#include "stored_key.h"
#include "stored_list.h"
#include "wire/route.h"

/*
 * Read elements, from one on, into an open slot, and send it if it is full.
 * Return how many it had capacity for.
 */
static int
put_segment(int i, const GaStored *array, GaArray *reader, int from)
{
	const uint32 at = ga_slots[i].n_bytes;
	GaLoadSegment *segment =
		&ga_client_slot(i)->segments[ga_slots[i].n_entries];
	const Size size = ga_element_size(array->type);
	const int n_all = ga_array_n_not_null(reader);
	const int n = Min(n_all - from, (GA_SEGMENTS_BYTES - at) / size);

	ga_array_read(reader, from, n, ga_client_slot_data(i) + at);
	segment->key = array->keys[0];
	segment->xmin = ga_array_xmin(reader);
	segment->is_settled = ga_array_is_settled(reader);
	segment->is_line = ga_array_is_line(reader);
	segment->at = at;
	segment->n = n;
	segment->from = from;
	segment->n_all = n_all;
	(void) ga_slots_add(i, NULL, NULL,
						TYPEALIGN(GA_LOAD_ALIGN, at + n * size) - at);
	if (ga_slots[i].n_bytes >= GA_SEGMENTS_BYTES)
		ga_slots_send(i);
	return n;
}

/*
 * Send an array's elements to be loaded.  False if there is no lease, or if the
 * connection is lost.
 */
bool
ga_stored_send_segments(const GaStored *array, GaToastRelation *relation)
{
	const uint32 device = ga_route(&array->keys[0], ga_client_devices);
	const struct varatt_external pointer = ga_stored_pointer(&array->keys[0]);
	GaArray reader;
	int from = 0;
	int i;

	ga_array_open_stored(&reader, &pointer, array->type, relation);
	do
	{
		i = ga_slots_open(&ga_segments_kind, array->type, GA_REDUCE_SUM,
						  device);
		if (i >= 0)
			from += put_segment(i, array, &reader, from);
	} while (i >= 0 && from < ga_array_n_not_null(&reader));
	ga_array_close(&reader);
	return i >= 0;
}
