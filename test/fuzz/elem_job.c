/*
 * elem_job.c
 *		Sums by position, as a job of fuzz_session.c.
 *
 * Whatever is answered, all arrays are added at each position, and counted, and
 * the sums can be stored.
 */
#include "postgres.h"
#include "miscadmin.h"

#include "elem_job.h"
#include "elem_stubs.h"
#include "extension/offload/client.h"
#include "hostile.h"
#include "server_stubs.h"

#define MAX_ARRAYS 4
#define MAX_BYTES  (128 * 1024) /* of an array */

/* Return a state in which arrays of one length are noted. */
static GaElemState *
make_state(Bytes *script, GaElementType type)
{
	const Size size = ga_element_size(type);
	const uint32 raw_bytes =
		size * (1 + take_word(script) % (MAX_BYTES / size));
	GaElemState *state = palloc(sizeof(*state));
	GaStoredKey key = {7, 100, raw_bytes, 0};
	int n = 1 + take_byte(script) % MAX_ARRAYS;

	elem_stubs_init(state, type, stubs_n_elements(raw_bytes, size));
	while (n-- > 0)
	{
		key.value_id++;
		ga_elem_note_key(&state->noted, &key, (uint32) state->sum.n);
	}
	return state;
}

/* The sums have a serialized form, which is that of sums. */
static void
check_bytes(GaElemSum *sum)
{
	const size_t most = ga_elem_max_bytes(sum);
	uint8 *bytes = palloc(most);
	const size_t n_bytes = ga_elem_serialize(sum, bytes);
	GaElemSum copy;

	must(n_bytes <= most);
	elem_stubs_init_sums(&copy, sum->type, sum->n);
	must(ga_elem_deserialize(&copy, bytes, n_bytes) == GA_OK);
	must(copy.n_arrays == sum->n_arrays);
}

/* Have the sums made, and the arrays added then. */
void
elem_job(void *argument)
{
	Bytes *script = argument;
	const GaElementType type =
		(GaElementType) (take_byte(script) % GA_N_ELEMENT_TYPES);
	const GaElemForm form = (GaElemForm) (take_byte(script) % GA_N_ELEM_FORMS);
	const int how = take_byte(script);
	GaElemState *state = make_state(script, type);
	const uint32 n = state->noted.n;
	char *values = palloc(state->sum.n * sizeof(int64));
	int64 n_elements = 0;
	int i;

	if (ga_client_open(true) != GA_NO_REASON)
		return;
	state->noted.has_unseen = how % 2;
	if (form != GA_FORM_RECORD && ga_elem_has_form(type, form))
		(void) ga_elem_values(&state->noted, form,
							  how / 2 % 2 ? 1 : (uint32) state->sum.n, values);
	must(state->noted.n == n && state->sum.n_arrays == 0);
	memset(hostile_n_elements, 0, sizeof(hostile_n_elements));
	ga_elem_finish(&state->noted);
	must(state->noted.n == 0 && state->sum.n_arrays == n);
	for (i = 0; i < GA_N_REASONS; i++)
		n_elements += hostile_n_elements[i];
	must(n_elements == (int64) n * (int64) state->sum.n);
	check_bytes(&state->sum);
}
