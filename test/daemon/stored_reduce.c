/*
 * stored_reduce.c
 *		Any reduction of stored arrays, as a backend asks for it.
 */
#include <string.h>

#include "stored_reduce.h"
#include "tap.h"

void
stored_fill_set(ArraySet *set, Rng *rng, GaElementType type, int n)
{
	const size_t size = ga_element_size(type);
	int i;

	array_set_init(set, type);
	array_set_add(set, "nothing", 0, 0, 0);
	for (i = 0; i < n; i++)
		array_set_add_random(set, rng, array_set_mixed_length(rng),
							 ARRAY_SET_PACKED, ARRAY_SET_PACKED);
	elements_fill_fast(type, rng, (2 << 20) / size,
					   array_set_add(set, "plain", (2 << 20) / size, 0, 0));
}

StoredResults
stored_check_reduction(Client *client, const GaReply *reply,
					   GaReduction reduction, const StoredArray *arrays,
					   uint32_t n)
{
	const GaLookupSlot lookup = client_lookup(client, CLIENT_LOOKUP);
	const GaPartialSum *records = lookup.sums;
	StoredResults results = {0, 0};
	uint32_t i;

	if (reduction == GA_REDUCE_SUM)
		return (StoredResults){stored_check(client, reply, arrays, n), 0};
	tap_check(reply->opcode == GA_REDUCE_STORED && reply->status == GA_OK,
			  "status %d, %s", reply->status, reply->reason);
	for (i = 0; i < n && reply->status == GA_OK; i++)
	{
		const uint32_t n_elements =
			(uint32_t) arrays[i].set->arrays[arrays[i].i].n;

		tap_check(stored_state(client, i) <= GA_STORED_MISSING,
				  "state %u of array %u", stored_state(client, i),
				  arrays[i].key.value_id);
		if (stored_state(client, i) != GA_STORED_RESIDENT)
			continue;
		tap_check(lookup.refs[i].n == n_elements,
				  "array %u: %u elements, must be %u", arrays[i].key.value_id,
				  lookup.refs[i].n, n_elements);
		results.n_refused += !array_set_check_records(
			arrays[i].set, arrays[i].i, reduction, records);
		records += ga_reduction_records(reduction);
		results.n_resident++;
	}
	return results;
}

StoredResults
stored_reduce(Client *client, GaReduction reduction, const StoredArray *arrays,
			  uint32_t n, const GaStoredLookup *lookup)
{
	GaRequest request = stored_name(client, arrays, n, lookup);
	GaReply reply;

	memset(client_lookup(client, CLIENT_LOOKUP).sums, 0xa5,
		   n * ga_reduction_records(reduction) * sizeof(GaPartialSum));
	request.u.stored.reduction = reduction;
	reply = client_call(client, &request);
	return stored_check_reduction(client, &reply, reduction, arrays, n);
}

void
stored_reduce_all(Client *client, const StoredArray *arrays, uint32_t n)
{
	const GaStoredLookup lookup = stored_lookup_next();
	int reduction;

	for (reduction = GA_REDUCE_MIN; reduction < GA_N_REDUCTIONS; reduction++)
	{
		const StoredResults results =
			stored_reduce(client, (GaReduction) reduction, arrays, n, &lookup);

		tap_check(results.n_resident == n, "%u of %u are resident",
				  results.n_resident, n);
	}
}
