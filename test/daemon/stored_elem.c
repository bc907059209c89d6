/*
 * stored_elem.c
 *		Sums of stored arrays by position, as a backend asks for them.
 */
#include <string.h>

#include "exact/partial_sum.h"
#include "form_value.h"
#include "stored_elem.h"
#include "tap.h"

/* Longer arrays are filled quickly. */
#define SHORT 5000

/* What no result has in each of its bytes. */
#define UNTOUCHED 0xa5

void
elem_fill(ArraySet *set, Rng *rng, GaElementType type, uint32_t n_arrays,
		  uint32_t n)
{
	const int family = (int) rng_below(rng, (uint64_t) n_families);
	uint32_t i;

	array_set_init(set, type);
	for (i = 0; i < n_arrays; i++)
	{
		if (n <= SHORT)
			array_set_add_family(set, rng, family, n);
		else
			elements_fill_fast(type, rng, n,
							   array_set_add(set, "plain", n, 0, 0));
	}
}

uint32_t
elem_most(void)
{
	return ga_slot_positions(GA_FORM_RECORD);
}

GaRequest
elem_name(Client *client, uint32_t slot, const StoredArray *arrays,
		  uint32_t n_arrays, uint32_t from, uint32_t n)
{
	GaStoredLookup lookup = stored_lookup_next();
	uint32_t i;

	for (i = 0; i < n_arrays; i++)
		client_slot(client, slot)->refs[i] =
			(GaStoredRef){.key = arrays[i].key,
						  .xmin = arrays[i].lookup_xmin,
						  .is_settled = arrays[i].is_settled,
						  .is_missed = arrays[i].is_missed,
						  .state = UINT32_MAX,
						  .n = UINT32_MAX};
	memset(client_data(client, slot), UNTOUCHED,
		   (n < elem_most() ? n + 1 : n) * sizeof(GaPartialSum));
	lookup.loads = 0;
	return (GaRequest){
		.opcode = GA_ELEM,
		.slot = slot,
		.u.elem = {.type = arrays->set->type,
				   .n_arrays = n_arrays,
				   .n_all = (uint32_t) arrays->set->arrays[arrays->i].n,
				   .from = from,
				   .n = n,
				   .lookup = lookup}};
}

const GaStoredRef *
elem_ref(const Client *client, uint32_t slot, uint32_t i)
{
	return &client_slot(client, slot)->refs[i];
}

/* Make an array of the elements of a position, in a set of its own. */
static void
gather(ArraySet *to, const StoredArray *arrays, uint32_t n_arrays,
	   uint32_t position)
{
	const size_t size = ga_element_size(to->type);
	char *elements;
	uint32_t i;

	array_set_clear(to);
	elements = array_set_add(to, "a position", n_arrays, 0, 0);
	for (i = 0; i < n_arrays; i++)
		memcpy(elements + i * size,
			   (char *) array_set_elements(arrays[i].set, arrays[i].i) +
				   position * size,
			   size);
}

/*
 * Make the value of a position.  False if a device may have none: the emulated
 * one has all that a record can have.
 */
static bool
make_value(const ArraySet *elements, GaElemForm form, uint64_t *bits)
{
	const void *data = array_set_elements(elements, 0);
	const size_t n = elements->arrays[0].n;
	GaFullSum full;
	GaExactSum *sum = ga_full_sum_init(&full);
	GaPartialSum record;

	if (!form_value(elements->type, form, data, n, bits))
		return false;
	if (ga_elem_is_extreme(form) || !ga_element_is_float(elements->type))
		return true;
	elements_sum_float(elements->type, sum, data, n);
	return ga_partial_from_sum(&record, sum);
}

/* Check the record of a position; returns whether it was refused. */
static bool
check_record(const ArraySet *elements, const GaPartialSum *record)
{
	uint64_t bits;

	if (record->kind != GA_PARTIAL_REFUSED)
	{
		array_set_check_sum(elements, 0, record, NULL);
		return false;
	}
	tap_check(ga_element_is_float(elements->type) &&
				  (!daemon_is_emulated() ||
				   !make_value(elements, GA_FORM_MEAN, &bits)),
			  "a sum is refused");
	return true;
}

/* Check a value, unless there may be none; returns whether there may. */
static bool
check_value(const ArraySet *elements, GaElemForm form, uint64_t value)
{
	uint64_t bits;

	if (!make_value(elements, form, &bits))
		return true;
	tap_check(value == bits, "a value is %llx, must be %llx",
			  (unsigned long long) value, (unsigned long long) bits);
	return false;
}

/* Check the states of all arrays. */
static void
check_refs(const Client *client, const GaRequest *request)
{
	uint32_t i;

	for (i = 0; i < request->u.elem.n_arrays; i++)
	{
		const GaStoredRef *ref = elem_ref(client, request->slot, i);

		tap_check(ref->state == GA_STORED_RESIDENT &&
					  ref->n == request->u.elem.n_all,
				  "array %u: state %u, %u elements", i, ref->state, ref->n);
	}
}

/* Of n positions those at the ends are checked, and some between them. */
static uint32_t
next_checked(uint32_t i, uint32_t n, uint32_t one_in)
{
	if (i == n - 1)
		return n;
	return n - i > one_in ? i + one_in : n - 1;
}

/* Check the results that are in a slot; returns how many were refused. */
static uint64_t
check_results(const Client *client, const GaRequest *request,
			  const StoredArray *arrays, uint32_t one_in, uint64_t *n_checked)
{
	const char *data = client_data(client, request->slot);
	const GaElemForm form = (GaElemForm) request->u.elem.form;
	const uint32_t n = request->u.elem.n;
	uint64_t n_refused = 0;
	ArraySet elements;
	uint32_t i;

	array_set_init(&elements, (GaElementType) request->u.elem.type);
	for (i = 0; i < n; i = next_checked(i, n, one_in))
	{
		gather(&elements, arrays, request->u.elem.n_arrays,
			   request->u.elem.from + i);
		n_refused +=
			form == GA_FORM_RECORD ?
				check_record(&elements, (const GaPartialSum *) data + i) :
				check_value(&elements, form, ((const uint64_t *) data)[i]);
		++*n_checked;
	}
	array_set_free(&elements);
	return n_refused;
}

void
elem_check(Client *client, const GaRequest *request, const GaReply *reply,
		   const StoredArray *arrays, uint32_t one_in, ElemResults *results)
{
	const unsigned char *data =
		(const unsigned char *) client_data(client, request->slot);
	const GaElemForm form = (GaElemForm) request->u.elem.form;
	const uint32_t n = request->u.elem.n;
	const uint64_t n_bytes = ga_elem_all_bytes(form, n);
	uint64_t n_refused;

	tap_check(reply->opcode == GA_ELEM && reply->status == GA_OK &&
				  reply->slot == request->slot &&
				  reply->u.elem.has_results == 1,
			  "status %d, %s, slot %u, results: %u", reply->status,
			  reply->reason, reply->slot, reply->u.elem.has_results);
	if (reply->status != GA_OK || reply->u.elem.has_results != 1)
		return;
	check_refs(client, request);
	n_refused = check_results(client, request, arrays, one_in, &results->n);
	results->n_refused += n_refused;
	if (form != GA_FORM_RECORD && one_in == 1 && daemon_is_emulated())
		tap_check(memcmp(data + n * sizeof(n_refused), &n_refused,
						 sizeof(n_refused)) == 0,
				  "not %llu are refused", (unsigned long long) n_refused);
	tap_check(n >= elem_most() || data[n_bytes] == UNTOUCHED,
			  "more than %u results", n);
}

void
elem_request(Client *client, const GaRequest *request,
			 const StoredArray *arrays, uint32_t one_in, ElemResults *results)
{
	const GaReply reply = client_call(client, request);

	elem_check(client, request, &reply, arrays, one_in, results);
}

void
elem_check_none(Client *client, const GaRequest *request)
{
	const GaReply reply = client_call(client, request);
	const char *data = client_data(client, request->slot);

	tap_check(reply.status == GA_OK && reply.u.elem.has_results == 0,
			  "status %d, %s, results: %u", reply.status, reply.reason,
			  reply.u.elem.has_results);
	tap_check((unsigned char) data[0] == UNTOUCHED, "there are results");
}
