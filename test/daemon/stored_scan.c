/*
 * stored_scan.c
 *		Running totals of stored arrays as a backend requests them.
 */
#include <string.h>

#include "tap.h"
#include "stored_scan.h"

GaRequest
stored_scan(const StoredArray *array, uint64_t statement_id, uint32_t slot,
			size_t from, size_t n)
{
	const ArraySet *set = array->set;
	GaRequest request = {
		.opcode = GA_SCAN,
		.slot = slot,
		.u.scan = {.type = set->type,
				   .n = (uint32_t) n,
				   .is_int128 = set->totals == GA_TOTALS_INT128,
				   .is_stored = 1,
				   .from = (uint32_t) from,
				   .lookup = stored_lookup(statement_id)}};

	request.u.scan.stored.key = array->key;
	request.u.scan.lookup.loads = 0;
	return request;
}

size_t
stored_scan_limit(const ArraySet *set, bool is_staged)
{
	return (GA_SLOT_DATA_BYTES - 16) /
		   (array_set_total_size(set) +
			(is_staged ? ga_element_size(set->type) : 0));
}

bool
stored_check_scan(Client *who, const GaRequest *request, ArraySet *set,
				  const char *must, size_t n_must)
{
	const size_t size = array_set_total_size(set);
	const size_t from = request->u.scan.from;
	const size_t n = request->u.scan.n;
	const size_t n_here = n_must - from < n ? n_must - from : n;
	const char *totals = client_data(who, request->slot) +
						 (request->u.scan.is_stored ?
							  0 :
							  GA_TOTALS_AT(n * ga_element_size(set->type)));
	GaReply reply;

	if (!client_receive(who, &reply))
	{
		tap_check(false, "no reply");
		return false;
	}
	tap_check(reply.status == GA_OK && reply.opcode == GA_SCAN &&
				  reply.slot == request->slot &&
				  reply.u.scan.state == GA_STORED_RESIDENT &&
				  (!request->u.scan.is_stored ||
				   reply.u.scan.n_all == set->arrays[0].n),
			  "status %d, slot %u, %s", reply.status, reply.slot, reply.reason);
	tap_check(reply.u.scan.n_totals == n_here,
			  "%s, %zu from %zu: %llu totals, "
			  "must be %zu",
			  set->arrays[0].name, n, from,
			  (unsigned long long) reply.u.scan.n_totals, n_here);
	tap_check(memcmp(totals, must + from * size, n_here * size) == 0,
			  "%s, %s, %zu from %zu: totals differ", ga_element_name(set->type),
			  set->arrays[0].name, n, from);
	if (n_here < n)
		return false;
	array_set_add_part(set, 0, from, n);
	array_set_check_sum(set, set->n_arrays - 1, &reply.u.scan.sum,
						client_slot(who, request->slot)->full);
	return true;
}
