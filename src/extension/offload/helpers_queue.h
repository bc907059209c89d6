/*
 * helpers_queue.h
 *		What a query's helpers share: the arrays to read, and where they go.
 *
 * All of it is in the dynamic shared memory of a parallel context.  Its process
 * that leads fills it in before there are helpers; then only the ranges of
 * portions and the helpers' figures change.  A process that takes a portion has
 * to read all its arrays.  States come back as messages, one for each target
 * that a helper has added anything to, and at last an end.
 *
 * Arrays are in the order of their OIDs, which is mostly that of their pages,
 * and each process has a range of its own: neighbouring pages are read by one
 * process, which has to map them only once.  One whose range is done takes half
 * of another.
 *
 * Of helper*.c alone.
 */
#ifndef GA_HELPERS_QUEUE_H
#define GA_HELPERS_QUEUE_H

#include "access/parallel.h"
#include "port/atomics.h"
#include "utils/hsearch.h"

#include "extension/engine/session_counters.h"
#include "stored_list.h"

/* Keys of the table of contents. */
#define GA_HELPERS_KEY(n)	UINT64CONST(0x67707561676700##n)
#define GA_HELPERS_QUEUE	GA_HELPERS_KEY(01)
#define GA_HELPERS_ARRAYS	GA_HELPERS_KEY(02) /* GaHelpersArray */
#define GA_HELPERS_PORTIONS GA_HELPERS_KEY(03) /* first arrays, and the end */
#define GA_HELPERS_NODES	GA_HELPERS_KEY(04) /* GaCounters */
#define GA_HELPERS_ANSWERS	GA_HELPERS_KEY(05) /* shm_mq each */
#define GA_HELPERS_BUFFERS	GA_HELPERS_KEY(06) /* BufferUsage each */
#define GA_HELPERS_WAL		GA_HELPERS_KEY(07) /* WalUsage each */
#define GA_HELPERS_QUERY	GA_HELPERS_KEY(08) /* its text */

/* Bytes of the queue that a helper's answers go through. */
#define GA_HELPERS_ANSWER_BYTES ((Size) 32 * 1024)

/* Portions that a process takes, in order; others take the second half. */
typedef struct GaHelpersRange
{
	uint32 next;
	uint32 end;
} GaHelpersRange;

typedef struct GaHelpersQueue
{
	uint32 n_portions;
	uint32 n_targets;
	uint32 n_nodes;
	int32 waiting_node;	 /* of which waiting is counted; -1: none */
	bool needs_device;	 /* for any array */
	uint64 execution_id; /* of the query */
	uint32 n_ranges;	 /* the query's process first, then each helper */
	pg_atomic_uint64 ranges[FLEXIBLE_ARRAY_MEMBER]; /* GaHelpersRange */
} GaHelpersQueue;

/* An array, or a pair of them, to read. */
typedef struct GaHelpersArray
{
	GaStoredKey keys[GA_MAX_ARRAYS];
	GaStoredWanted wanted;
	uint32 target;	 /* whose state it is added to */
	int16 node;		 /* that counts it, or -1 */
	uint8 type;		 /* a GaElementType */
	uint8 reduction; /* a GaReduction */
	uint8 step;		 /* the GaStoredStep to take */
	uint8 reason;	 /* a GaReason, of STEP_COMPUTE */
	bool is_missed;
	bool only_loads;
} GaHelpersArray;

/*
 * The head of an answer; behind it the state of the target, or a GaHelperEnd.
 */
typedef struct GaHelperAnswer
{
	uint64 target; /* or GA_HELPER_ENDS */
} GaHelperAnswer;

#define GA_HELPER_ENDS UINT64_MAX

typedef struct GaHelperEnd
{
	uint64 n_arrays;   /* that it has read */
	GaFailure failure; /* the first one, to be reported */
} GaHelperEnd;

/* The state of some arrays, by its address, in the query's process. */
typedef struct GaTarget
{
	void *at; /* the key */
	uint32 number;
	GaState state;
	GaState total; /* of what helpers have read; nowhere at first */
} GaTarget;

/* The queue in the query's process. */
typedef struct GaHelpers
{
	uint32 n_arrays;
	uint32 n_portions;
	uint32 *by_place;	/* arrays of the session's list, by their places */
	uint32 *in_order;	/* the places of arrays, as the query came to them */
	uint32 n_own;		/* arrays that this process took */
	uint32 n_answered;	/* arrays that helpers have read */
	HTAB *by_state;		/* GaTarget */
	GaTarget **targets; /* by number */
	List *nodes;		/* GaCounters of aggregate nodes */
	ParallelContext *context;
	GaHelpersQueue *queue;
	GaHelpersArray *arrays;
	uint32 *portions;
} GaHelpers;

extern uint64 ga_helpers_cost(const GaStored *array);
extern int ga_helpers_n_worth(void);
extern void ga_helpers_share(GaHelpers *helpers);
extern void ga_helpers_take_back(uint32 from, uint32 to);
extern void ga_helpers_describe(GaHelpers *helpers);
extern void ga_helpers_estimate(const GaHelpers *helpers, int n);
extern void ga_helpers_put(GaHelpers *helpers, int n);

/* Return a new state of no elements, and full capacity. */
static inline GaState
ga_helpers_create_state(GaElementType type, GaReduction reduction)
{
	const GaState state = {palloc0(ga_state_bytes(type, reduction)), type,
						   reduction};

	ga_state_init(state);
	return state;
}

extern bool ga_helpers_take(GaHelpersQueue *queue, uint32 own, uint32 *portion);

#endif /* GA_HELPERS_QUEUE_H */
