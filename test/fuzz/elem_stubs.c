/*
 * elem_stubs.c
 *		What the extension's sums by position need of their state's functions,
 *		without arrays.
 */
#include "postgres.h"
#include "miscadmin.h"

#include "cpu/elem_add.h"
#include "elem_stubs.h"
#include "extension/input/array.h"
#include "extension/offload/stored_key.h"
#include "extension/settings.h"
#include "extension/sql/elem_state.h"

static void *
provide(void *context, size_t n_bytes)
{
	(void) context;
	return palloc0(n_bytes);
}

static void
look(void)
{
	CHECK_FOR_INTERRUPTS();
}

void
elem_stubs_init_sums(GaElemSum *sum, GaElementType type, size_t n)
{
	const GaElemMemory memory = {NULL, provide, pfree, look};

	ga_elem_init(sum, type, n, memory);
}

/* Add an array of the stubs, whose shape is the state's. */
static int64
add_stored(void *owner, const GaStoredKey *key, GaToastRelation *relation)
{
	GaElemState *state = owner;
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

static const GaElemNotedKind noted_kind = {
	.add_stored = add_stored,
	.add_group = ga_elem_add_group,
};

void
elem_stubs_init(GaElemState *state, GaElementType type, size_t n)
{
	memset(state, 0, sizeof(*state));
	state->type = type;
	state->has_shape = true;
	state->context = CurrentMemoryContext;
	elem_stubs_init_sums(&state->sum, type, n);
	ga_elem_noted_init(&state->noted, &noted_kind, state, type,
					   CurrentMemoryContext);
}
