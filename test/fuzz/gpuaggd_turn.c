/*
 * gpuaggd_turn.c
 *		gpuaggd in this process, a turn of its loop at a time.
 *
 * main.c is its own, and so is the loop, which comes back here after each turn.
 * The linker has a few functions end here: _exit(), since no client may end
 * gpuaggd; the clock; the log; the start of gpuagg-ladder; and that of a
 * request, so that an input has always the same turns.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <time.h>
#include <unistd.h>

#include "bytes.h"
#include "daemon/session.h"
#include "device/emulated/emulated_thread.h"
#include "gpuaggd_turn.h"

static jmp_buf after_turn;
int64_t gpuaggd_passed_ns;
static void (*end_turn)(void);
static bool (*is_polling)(void);

extern int gpuaggd_main(int argc, char **argv);
extern void __real_ga_loop_run(int (*timeout_ms)(int64_t now_ns),
							   bool (*is_polling)(void), void (*end_turn)(void))
	__attribute__((noreturn));
extern void __wrap_ga_loop_run(int (*timeout_ms)(int64_t now_ns),
							   bool (*is_polling)(void), void (*end_turn)(void))
	__attribute__((noreturn));
extern void __wrap__exit(int status) __attribute__((noreturn));
extern int __wrap_clock_gettime(clockid_t clock, struct timespec *now);
extern GaStatus __wrap_ga_ladder_start(GaSession *session,
									   const GaLadderCall *call,
									   GaDeviceFailure *failure);
extern void __real_ga_emulated_start(GaDeviceQueue *queue,
									 const GaEmulatedWork *work,
									 GaQueueState state);
extern void __wrap_ga_emulated_start(GaDeviceQueue *queue,
									 const GaEmulatedWork *work,
									 GaQueueState state);
extern void __wrap_ga_log(const char *format, ...);
extern void __wrap_ga_log_warning(const char *format, ...);

void
__wrap_ga_loop_run(int (*timeout_ms)(int64_t now_ns), bool (*polling)(void),
				   void (*end)(void))
{
	(void) timeout_ms;
	end_turn = end;
	is_polling = polling;
	longjmp(after_turn, 1);
}

static int
sleep_never(int64_t now_ns)
{
	(void) now_ns;
	return 0;
}

static void
end_turn_here(void)
{
	end_turn();
	longjmp(after_turn, 1);
}

/* Have the loop take one turn, without sleep. */
void
gpuaggd_turn(void)
{
	if (setjmp(after_turn) == 0)
		__real_ga_loop_run(sleep_never, is_polling, end_turn_here);
}

/* No client may end gpuaggd. */
void
__wrap__exit(int status)
{
	(void) status;
	abort();
}

int
__wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
	(void) clock;
	gpuaggd_passed_ns += 1000;
	now->tv_sec = 1000 + gpuaggd_passed_ns / 1000000000;
	now->tv_nsec = gpuaggd_passed_ns % 1000000000;
	return 0;
}

/* Programs are not started. */
GaStatus
__wrap_ga_ladder_start(GaSession *session, const GaLadderCall *call,
					   GaDeviceFailure *failure)
{
	(void) session;
	(void) failure;
	return call->repeats % 2 ? GA_NO_MEMORY : GA_NO_CAPACITY;
}

/* The device computes at once. */
void
__wrap_ga_emulated_start(GaDeviceQueue *queue, const GaEmulatedWork *work,
						 GaQueueState state)
{
	__real_ga_emulated_start(queue, work, state);
	ga_emulated_await(queue);
}

/* Lines of the log are made, but not written. */
#define DEFINE_LOG(name)                             \
	void name(const char *format, ...)               \
	{                                                \
		char text[2000];                             \
		va_list args;                                \
                                                     \
		va_start(args, format);                      \
		vsnprintf(text, sizeof(text), format, args); \
		va_end(args);                                \
	}

DEFINE_LOG(__wrap_ga_log)
DEFINE_LOG(__wrap_ga_log_warning)

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	static char *arguments[] = {"gpuaggd",
								"--socket=fuzz.sock",
								"--boot-token=77",
								"--device=emulated",
								"--cache-size=3",
								"--staging-size=16",
								"--request-timeout=100000000",
								NULL};
	sigset_t none;

	(void) argc;
	(void) argv;
	if (setjmp(after_turn) == 0)
		gpuaggd_main(sizeof(arguments) / sizeof(arguments[0]) - 1, arguments);
	unlink("fuzz.sock");
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	return 0;
}

/* Is a request on the device? */
bool
gpuaggd_is_busy(void)
{
	return is_polling();
}
