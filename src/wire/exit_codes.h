/*
 * exit_codes.h
 *		The exit codes of gpuaggd, by which the supervisor decides what to do.
 */
#ifndef GA_EXIT_CODES_H
#define GA_EXIT_CODES_H

typedef enum GaExit
{
	GA_EXIT_STOPPED = 0, /* by a signal */
	GA_EXIT_USAGE = 2,
	GA_EXIT_IDLE = 3,		 /* no session used it for long */
	GA_EXIT_NO_DRIVER = 10,	 /* one was asked for; or it is too old */
	GA_EXIT_NO_DEVICE = 11,	 /* that can be used */
	GA_EXIT_NO_STAGING = 12, /* no memory for it; or the socket has no path */
	GA_EXIT_ABSENT = 13,	 /* no driver, no GPU, or built without CUDA, and
							  * no device was asked for: nothing is wrong */
	GA_EXIT_FAILED = 20,	 /* the device did, or the system, which may have
							  * had no disk space or descriptors left: another
							  * start may help */

	/* The supervisor's child ends so if it cannot execute gpuaggd. */
	GA_EXIT_NOT_EXECUTED = 127
} GaExit;

#endif /* GA_EXIT_CODES_H */
