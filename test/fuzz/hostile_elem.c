/*
 * hostile_elem.c
 *		Honest answers about sums by position and windows, of a gpuaggd that
 *		can do otherwise.
 */
#include "postgres.h"

#include "hostile.h"

/* Write results: of integers that are 1, or numbers of positions. */
static void
put_results(const GaRequest *request, char *data)
{
	const uint32 n = request->u.elem.n;
	const uint64 n_refused = 0;
	uint32 i;

	for (i = 0; i < n; i++)
	{
		if (request->u.elem.form != GA_FORM_RECORD)
			((int64 *) data)[i] = request->u.elem.from + i;
		else
			((GaPartialSum *) data)[i] =
				(GaPartialSum){.limb = {request->u.elem.n_arrays}};
	}
	if (request->u.elem.form != GA_FORM_RECORD)
		memcpy(data + n * sizeof(uint64), &n_refused, sizeof(n_refused));
}

/*
 * Say that all arrays are resident, and what is at their positions.  Records
 * are sums of integers that are 1.  Values are the numbers of the positions,
 * for tests of where they go.
 */
void
hostile_answer_elem(const GaRequest *request, GaReply *reply)
{
	GaSlot *slot = hostile_slot(request->slot % GA_LEASE_SLOTS);
	uint32 i;

	if (slot == NULL)
		return;
	for (i = 0; i < request->u.elem.n_arrays; i++)
	{
		slot->refs[i].state = GA_STORED_RESIDENT;
		slot->refs[i].n = request->u.elem.n_all;
	}
	put_results(request, ga_slot_data(slot));
	reply->u.elem.has_results = 1;
}

/* The value of each window is its number. */
void
hostile_answer_window(const GaRequest *request)
{
	GaSlot *slot = hostile_slot(request->slot % GA_LEASE_SLOTS);
	uint64 *values;
	uint32 i;

	if (slot == NULL)
		return;
	values = (uint64 *) ga_slot_data(slot);
	for (i = 0; i < request->u.window.n; i++)
		values[i] = request->u.window.first + i;
	values[i] = 0;
}
