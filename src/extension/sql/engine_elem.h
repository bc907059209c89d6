/*
 * engine_elem.h
 *		Arrays that aggregates by position have noted, by the engine that the
 *		settings choose.
 */
#ifndef GA_ENGINE_ELEM_H
#define GA_ENGINE_ELEM_H

#include "postgres.h"

#include "extension/input/array_items.h"
#include "extension/offload/elem_sums.h"

/* What to do if a result is too large for an array. */
#define GA_ELEM_HINT "Aggregate parts of the arrays, as array[first:last]."

/* What differs between states; these functions may throw. */
typedef struct GaElemNotedKind
{
	/* Have the shape of an array, which has to be the state's. */
	void (*take_shape)(void *owner, const GaArray *array);

	/*
	 * Have the CPU take an array, which may be of another shape, or have NULLs;
	 * return how many elements it has.
	 */
	int64 (*add_stored)(void *owner, const GaStoredKey *key,
						GaToastRelation *relation);

	/* Have arrays taken that one device may have, and count who took them. */
	void (*add_group)(void *owner, GaStoredKey *keys, uint32 n);
} GaElemNotedKind;

/*
 * Stored arrays that a state has not taken yet; ga_elem_finish() has it take
 * them.  They have the state's shape, and no NULLs.  If there are some that
 * nobody has looked at, the shape is a line, and these have the size of such an
 * array.
 */
typedef struct GaElemNoted
{
	const GaElemNotedKind *kind;
	void *owner; /* the state */
	GaElementType type;
	MemoryContext context;
	GaStoredKey *keys;
	uint32 n;
	uint32 capacity;
	uint32 n_items; /* of each, if there are any */
	bool has_unseen;
	bool was_asked;	  /* the device was asked, and loaded what it had not */
	bool is_refused;  /* it made no values of them, */
	GaReason failure; /* since it failed, if there is one */
} GaElemNoted;

extern void ga_elem_noted_init(GaElemNoted *noted, const GaElemNotedKind *kind,
							   void *owner, GaElementType type,
							   MemoryContext context);
extern GaReason ga_elem_note(GaElemNoted *noted, const GaArrayShape *shape,
							 Datum value);
extern void ga_elem_note_key(GaElemNoted *noted, const GaStoredKey *key,
							 uint32 n_items);
extern GaElemRun ga_elem_begin_run(const GaElemNoted *noted,
								   const GaStoredKey *keys, uint32 n);
extern void ga_elem_ask(const GaElemNoted *noted, GaElemRun *run,
						GaStoredKey *keys);
extern void ga_elem_by_cpu(const GaElemNoted *noted, const GaStoredKey *keys,
						   uint32 n, GaReason reason);
extern void ga_elem_finish(GaElemNoted *noted);
extern bool ga_elem_values(GaElemNoted *noted, GaElemForm form, uint32 n,
						   char *values);
extern bool ga_elem_make_values(GaElemNoted *noted, GaElemForm form,
								const GaArrayShape *shape, Oid type,
								Datum *datum);
extern bool ga_elem_look(GaElemNoted *noted);

#endif /* GA_ENGINE_ELEM_H */
