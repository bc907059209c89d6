/*
 * oid_sample.h
 *		Samples of the OID counter, for gpuaggd.
 */
#ifndef GA_OID_SAMPLE_H
#define GA_OID_SAMPLE_H

#include "wire/oid_guard.h"

/* By sessions. */
extern void ga_oid_sample_take(GaOidSample *sample);

/* By the supervisor. */
extern bool ga_oid_sample_is_due(bool is_up);
extern void ga_oid_sample_skip(void);
extern void ga_oid_sample_send(int pipe);
extern long ga_oid_sample_wait_ms(void);

#endif /* GA_OID_SAMPLE_H */
