/*
 * heartbeat.h
 *		Does gpuaggd answer?  The judgement, from what is seen of it.
 */
#ifndef GA_HEARTBEAT_H
#define GA_HEARTBEAT_H

#include <stdbool.h>
#include <stdint.h>

/* How long gpuaggd may be silent until sessions avoid it, and until it ends. */
#define GA_SILENT_MS 400
#define GA_HUNG_MS	 1200

/* What is seen of gpuaggd at one time. */
typedef struct GaHeartbeatLook
{
	int64_t now_ms;
	int n_unread;	  /* bytes that wait for it in its input */
	bool is_traced;	  /* by a debugger */
	bool is_runnable; /* it runs, or waits for a processor */
	int64_t cpu_ms;	  /* processor time that it has used so far */
} GaHeartbeatLook;

/* Zero when gpuaggd starts. */
typedef struct GaHeartbeat
{
	GaHeartbeatLook last; /* look that counted */
	int64_t silent_ms;	  /* how long it has not read, as far as was seen */
} GaHeartbeat;

typedef enum GaHeartbeatState
{
	GA_HEARTBEAT_ALIVE = 0,
	GA_HEARTBEAT_SILENT, /* sessions had better not wait for it */
	GA_HEARTBEAT_HUNG	 /* it will not answer any more */
} GaHeartbeatState;

extern GaHeartbeatState ga_heartbeat_judge(GaHeartbeat *heartbeat,
										   const GaHeartbeatLook *look);

#endif /* GA_HEARTBEAT_H */
