/*
 * reason.h
 *		Why the CPU computed something, one word for each case.
 *
 * gpuagg_session_stat shows the texts.  From MEMORY on they are failures: of a
 * device that had begun, or that should have.
 */
#ifndef GA_REASON_H
#define GA_REASON_H

#define GA_REASONS(X)                                    \
	X(SETTING, "gpuagg.engine is cpu")                   \
	X(NOT_ALLOWED, "gpuagg.allow_device is off")         \
	X(FUNCTION, "not computed by the device")            \
	X(NOT_STORED, "not stored out of line")              \
	X(SMALL, "smaller than gpuagg.min_gpu_size")         \
	X(ALONE, "less than 64 kB, and not in an aggregate") \
	X(NUMERIC, "elements are numeric")                   \
	X(PART, "a small part of an array")                  \
	X(REFUSED, "the device cannot compute it exactly")   \
	X(CACHE, "not kept in the cache")                    \
	X(DEVICES, "a pair on different devices")            \
	X(NULLS, "NULL elements")                            \
	X(LITTLE, "too little to add by position")           \
	X(NO_DEVICE, "no device")                            \
	X(STARTING, "gpuaggd is starting")                   \
	X(NO_WORKER, "no background worker slot")            \
	X(VERSION, "gpuaggd of another version")             \
	X(STAGING, "no staging memory")                      \
	X(SESSIONS, "gpuaggd has too many sessions")         \
	X(DESCRIPTORS, "no file descriptors")                \
	X(RECORDS, "too many full records in a request")     \
	X(ERROR, "an error came in between")                 \
	X(MEMORY, "out of device memory")                    \
	X(FAILED, "the device failed")                       \
	X(GONE, "gpuaggd went away")                         \
	X(HUNG, "gpuaggd does not answer")                   \
	X(TIMEOUT, "a request took too long")

typedef enum GaReason
{
	GA_NO_REASON = 0, /* the device computes it */
#define X(name, text) GA_REASON_##name,
	GA_REASONS(X)
#undef X
	GA_N_REASONS
} GaReason;

/* Is that a failure, and not a choice? */
static inline bool
ga_reason_is_failure(GaReason reason)
{
	return reason >= GA_REASON_MEMORY;
}

#endif /* GA_REASON_H */
