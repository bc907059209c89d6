/*
 * server_stubs.c
 *		What the extension's offload/ needs of a server, without one.
 *
 * The functions of the server, and of those files of the extension that know
 * its catalogs and tables, as far as they are called; link-with-stubs makes the
 * others.  Linked with the files of offload/ by the fuzzers
 * and tests of replies.
 */
#include "postgres.h"

#include "access/parallel.h"
#include "access/xact.h"
#include "miscadmin.h"
#include "storage/fd.h"
#include "storage/latch.h"
#include "utils/memutils.h"
#include "utils/wait_event.h"

#include "extension/engine/cpu_pairs.h"
#include "extension/engine/execution.h"
#include "extension/engine/session_counters.h"
#include "extension/input/array.h"
#include "extension/input/toast.h"
#include "extension/offload/helpers.h"
#include "extension/offload/stored_key.h"
#include "extension/wait_event.h"
#include "extension/supervisor/oid_sample.h"
#include "extension/settings.h"
#include "hostile.h"
#include "server_stubs.h"

/* The C library's, not the server's. */
#undef vsnprintf

/* --- variables */

sigjmp_buf *PG_exception_stack;
ErrorContextCallback *error_context_stack;
volatile sig_atomic_t InterruptPending = true;
struct Latch *MyLatch;
Oid MyDatabaseId = 5;
int ParallelWorkerNumber = -1;
int MyProcPid = 1;
char *DatabasePath = "none";
TimestampTz PgStartTime;
pid_t PostmasterPid;
void *UsedShmemSegAddr;
const GaCpuEngine *ga_cpu = &ga_cpu_baseline;
bool ga_allow_device = true;
int ga_engine = GA_ENGINE_GPU;
int ga_min_gpu_size;
int ga_request_timeout = 30000;
char *ga_device = "emulated";

int stubs_n_looks;
int stubs_cancel_at;
int stubs_fail_at;
int stubs_level = 1;
int stubs_n_warnings;
int64 stubs_looked_at;
int64 stubs_first_look;
static int64 n_numbers; /* of samples and looks at chunks */

/* --- helpers, which are allowed at most, but do not come */

bool stubs_allow_helpers;

bool
ga_helpers_are_allowed(void)
{
	return stubs_allow_helpers;
}

bool
ga_helpers_read(void)
{
	return false;
}

/* --- errors */

void
pg_re_throw(void)
{
	if (PG_exception_stack == NULL)
		abort();
	siglongjmp(*PG_exception_stack, 1);
}

bool
stubs_try(void (*call)(void *argument), void *argument)
{
	volatile bool is_well = true;

	PG_TRY();
	{
		call(argument);
	}
	PG_CATCH();
	{
		is_well = false;
	}
	PG_END_TRY();
	return is_well;
}

static int error_level;

bool
errstart(int level, const char *domain)
{
	error_level = level;
	stubs_n_warnings += level == WARNING;
	return true;
}

bool
errstart_cold(int level, const char *domain)
{
	return errstart(level, domain);
}

void
errfinish(const char *file, int line, const char *function)
{
	if (error_level >= ERROR)
		pg_re_throw();
}

int
errcode(int code)
{
	return 0;
}

int
errcode_for_file_access(void)
{
	return 0;
}

/* Texts are read to their ends. */
#define DEFINE_TEXT(name)                                 \
	int name(const char *format, ...)                     \
	{                                                     \
		char text[4096];                                  \
		va_list arguments;                                \
                                                          \
		va_start(arguments, format);                      \
		vsnprintf(text, sizeof(text), format, arguments); \
		va_end(arguments);                                \
		return 0;                                         \
	}

DEFINE_TEXT(errmsg)
DEFINE_TEXT(errmsg_internal)
DEFINE_TEXT(errdetail)
DEFINE_TEXT(errdetail_internal)
DEFINE_TEXT(errhint)

/* --- processes, time and files */

int
pg_vsnprintf(char *text, size_t n_bytes, const char *format, va_list arguments)
{
	return vsnprintf(text, n_bytes, format, arguments);
}

int
pg_snprintf(char *text, size_t n_bytes, const char *format, ...)
{
	va_list arguments;
	int n;

	va_start(arguments, format);
	n = pg_vsnprintf(text, n_bytes, format, arguments);
	va_end(arguments);
	return n;
}

size_t
strlcpy(char *to, const char *from, size_t n_bytes)
{
	size_t n = strlen(from);

	if (n_bytes > 0)
	{
		memcpy(to, from, Min(n, n_bytes - 1));
		to[Min(n, n_bytes - 1)] = '\0';
	}
	return n;
}

static XactCallback at_end[4];
static int n_at_end;
static SubXactCallback at_level_end;

void
RegisterXactCallback(XactCallback callback, void *argument)
{
	Assert(n_at_end < (int) lengthof(at_end));
	at_end[n_at_end++] = callback;
}

void
RegisterSubXactCallback(SubXactCallback callback, void *argument)
{
	at_level_end = callback;
}

void
stubs_end_transaction(void)
{
	int i;

	for (i = 0; i < n_at_end; i++)
		at_end[i](XACT_EVENT_ABORT, NULL);
}

void
stubs_end_level(bool is_commit)
{
	at_level_end(is_commit ? SUBXACT_EVENT_COMMIT_SUB : SUBXACT_EVENT_ABORT_SUB,
				 2, 1, NULL);
	stubs_level--;
}

int
GetCurrentTransactionNestLevel(void)
{
	return stubs_level;
}

void
ProcessInterrupts(void)
{
	if (++stubs_n_looks == stubs_cancel_at)
		pg_re_throw();
}

void
ResetLatch(Latch *latch)
{
}

/* No limit of descriptors is tested here. */
void
ReserveExternalFD(void)
{
}

/* Whoever waits gives gpuaggd its turn. */
int
WaitLatchOrSocket(Latch *latch, int events, pgsocket fd, long ms,
				  uint32 wait_event)
{
	hostile_is_awaited(fd);
	return WL_SOCKET_READABLE;
}

int
WaitLatch(Latch *latch, int events, long ms, uint32 wait_event)
{
	return WL_TIMEOUT;
}

/* Servers from 17 on have it, and it is called there only. */
extern uint32 WaitEventExtensionNew(const char *name);

uint32
WaitEventExtensionNew(const char *name)
{
	return PG_WAIT_EXTENSION;
}

uint64
hash_bytes_extended(const unsigned char *key, int n_bytes, uint64 seed)
{
	return 1;
}

TimestampTz
GetCurrentTimestamp(void)
{
	return 1;
}

/* --- of the extension */

uint64
ga_execution_id(void)
{
	return 1;
}

void
ga_oid_sample_take(GaOidSample *sample)
{
	memset(sample, 0, sizeof(*sample));
	sample->taken_ms = ++n_numbers;
}

int
stubs_n_elements(uint32 raw_bytes, size_t size)
{
	return (int) (Min(raw_bytes, 1 << 20) / size);
}

void
ga_toast_open(GaToastRelation *relation, Oid relid)
{
	relation->relid = relid;
}

void
ga_toast_close(GaToastRelation *relation)
{
	relation->relid = InvalidOid;
}

TransactionId
ga_toast_xmin(GaToastRelation *relation, const struct varatt_external *pointer)
{
	stubs_looked_at = ++n_numbers;
	if (stubs_first_look == 0)
		stubs_first_look = stubs_looked_at;
	return (TransactionId) pointer->va_valueid % 8;
}

void
ga_array_init(GaArray *array, GaElementType type)
{
	memset(array, 0, sizeof(*array));
	array->type = type;
}

void
ga_array_stored_open(GaArray *array, const struct varatt_external *pointer,
					 GaToastRelation *relation, int32 n_first)
{
	array->n_items = array->n_limit = array->n_not_null =
		stubs_n_elements(pointer->va_rawsize, ga_element_size(array->type));
}

/* Subscripts of the stub's arrays begin with 1. */
void
ga_array_stored_open_part(GaArray *array, const struct varatt_external *pointer,
						  GaPart part, GaToastRelation *relation)
{
	ga_array_stored_open(array, pointer, relation, 0);
	if (ga_part_is_whole(part))
		return;
	array->n_limit = Min(array->n_limit, part.last);
	array->n_returned = Min(array->n_limit, part.first - 1);
}

void
ga_array_open_stored(GaArray *array, const struct varatt_external *pointer,
					 GaElementType type, GaToastRelation *relation)
{
	ga_array_init(array, type);
	ga_array_stored_open(array, pointer, relation, 0);
}

/* Write n elements that are 1. */
static void
put_ones(GaElementType type, int n, void *to)
{
	int i;

	for (i = 0; i < n; i++)
	{
		switch (type)
		{
			case GA_int2:
				((int16 *) to)[i] = 1;
				break;
			case GA_int4:
				((int32 *) to)[i] = 1;
				break;
			case GA_int8:
				((int64 *) to)[i] = 1;
				break;
			case GA_float4:
				((float4 *) to)[i] = 1;
				break;
			default:
				((float8 *) to)[i] = 1;
				break;
		}
	}
}

/* An array is read, or an error is thrown. */
static void
fail_if_told(void)
{
	if (stubs_fail_at > 0 && --stubs_fail_at == 0)
		pg_re_throw();
}

/* Return the elements of an array that is stored. */
static int
n_stored(Datum array, GaElementType type)
{
	struct varatt_external pointer;

	VARATT_EXTERNAL_GET_POINTER(pointer,
								(struct varlena *) DatumGetPointer(array));
	return stubs_n_elements(pointer.va_rawsize, ga_element_size(type));
}

/* Arrays of different lengths are for the CPU. */
GaReason
ga_pairs_reason(Datum x, Datum y, GaElementType type)
{
	fail_if_told();
	return n_stored(x, type) == n_stored(y, type) ? GA_NO_REASON :
													GA_REASON_NULLS;
}

/* The shorter array's elements are paired. */
void *
ga_cpu_reduce_pairs(GaPairReduction add, void *state, GaElementType type,
					Datum x, Datum y, GaReason reason, GaCounters *counters)
{
	const int n = Min(n_stored(x, type), n_stored(y, type));
	void *ones = palloc(n * ga_element_size(type) + 1);

	fail_if_told();
	put_ones(type, n, ones);
	state = add(state, type, ones, ones, n);
	ga_session_count(counters, reason, type, 2, 2 * (int64) n);
	pfree(ones);
	return state;
}

void
ga_array_read(GaArray *array, int from, int n, void *to)
{
	fail_if_told();
	if (from < 0 || n < 0 || from > array->n_not_null - n)
		abort();
	put_ones(array->type, n, to);
}

/* Runs of 1000 elements; n_returned counts them. */
int
ga_array_next_run(GaArray *array, const void **run)
{
	static int64 ones[1000];
	const int n = Min(array->n_limit - array->n_returned, lengthof(ones));

	fail_if_told();
	put_ones(array->type, n, ones);
	array->n_returned += n;
	*run = ones;
	return n;
}

void
ga_array_close(GaArray *array)
{
}
