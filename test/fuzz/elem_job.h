/*
 * elem_job.h
 *		Sums by position, as a job of fuzz_session.c.
 */
#ifndef ELEM_JOB_H
#define ELEM_JOB_H

#include "bytes.h"

/* The argument is a script: Bytes. */
extern void elem_job(void *argument);

#endif /* ELEM_JOB_H */
