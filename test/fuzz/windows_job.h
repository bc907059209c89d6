/*
 * windows_job.h
 *		Values of windows, as a job of fuzz_session.c.
 */
#ifndef WINDOWS_JOB_H
#define WINDOWS_JOB_H

#include "postgres.h"

#include "bytes.h"

/* The argument is a script: Bytes. */
extern void windows_job(void *argument);

#endif /* WINDOWS_JOB_H */
