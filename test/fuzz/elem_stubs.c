/*
 * elem_stubs.c
 *		What the extension's sums by position need of their state's functions,
 *		without arrays.
 */
#include "postgres.h"

#include "cpu/elem_add.h"
#include "extension/input/array.h"
#include "extension/offload/stored_key.h"
#include "extension/settings.h"
#include "extension/sql/elem_state.h"

/* Add an array of the stubs, whose shape is the state's. */
int64
ga_elem_add_stored(GaElemState *state, const GaStoredKey *key,
				   GaToastRelation *relation)
{
	const struct varatt_external pointer = ga_stored_pointer(key);
	const int n = (int) state->sum.n;
	char *elements = palloc(n * ga_element_size(state->type));
	GaArray array;

	ga_array_open_stored(&array, &pointer, state->type, relation);
	ga_array_read(&array, 0, n, elements);
	ga_elem_add(ga_cpu, &state->sum, 0, elements, n, 1);
	ga_array_close(&array);
	pfree(elements);
	state->sum.n_arrays++;
	return n;
}
