/*
 * oid_clock.h
 *		The newest known state of the server's OID counter.
 */
#ifndef GA_OID_CLOCK_H
#define GA_OID_CLOCK_H

#include "wire/oid_guard.h"

extern void ga_oid_clock_open(void);
extern uint64_t ga_oid_clock_sample(const GaOidSample *sample);
extern uint64_t ga_oid_clock_now(void);

#endif /* GA_OID_CLOCK_H */
