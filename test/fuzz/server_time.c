/*
 * server_time.c
 *		The time of a session that is tested, and what makes it pass.
 *
 * Linked in the place of the C library's functions.
 */
#include "postgres.h"

#include <time.h>

#include "server_stubs.h"

int64 stubs_yield_us;
int stubs_n_naps;
void (*stubs_at_pause)(void);

static int64 passed_us;

extern int __wrap_clock_gettime(clockid_t clock, struct timespec *now);
extern int __wrap_sched_yield(void);
extern int __wrap_nanosleep(const struct timespec *time, struct timespec *left);

void
stubs_pass_ms(int64 ms)
{
	passed_us += 1000 * ms;
}

/* Each look takes a while. */
int
__wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
	passed_us += 200;
	now->tv_sec = passed_us / 1000000;
	now->tv_nsec = passed_us % 1000000 * 1000;
	return 0;
}

/* The session lets others run, for so long. */
static void
pause_for(int64 us)
{
	passed_us += us;
	if (stubs_at_pause != NULL)
		stubs_at_pause();
}

int
__wrap_sched_yield(void)
{
	pause_for(stubs_yield_us);
	return 0;
}

int
__wrap_nanosleep(const struct timespec *time, struct timespec *left)
{
	stubs_n_naps++;
	pause_for((int64) time->tv_sec * 1000000 + time->tv_nsec / 1000);
	return 0;
}
