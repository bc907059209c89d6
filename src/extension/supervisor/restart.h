/*
 * restart.h
 *		When gpuaggd is started again.
 */
#ifndef GA_RESTART_H
#define GA_RESTART_H

/* All times are by ga_clock_ms(). */
typedef struct GaRestart
{
	int n_failures; /* in a row */
	int64 start_at; /* when to start, while there is no gpuaggd */
	int64 up_at;	/* since when it is up, and is to be; or 0 */
} GaRestart;

extern void ga_restart_now(GaRestart *restart);
extern void ga_restart_end_run(GaRestart *restart);
extern void ga_restart_later(GaRestart *restart, const char *event,
							 bool is_orderly);

#endif /* GA_RESTART_H */
