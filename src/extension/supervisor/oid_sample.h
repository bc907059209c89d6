/*
 * oid_sample.h
 *		Samples of the OID counter, for gpuaggd.
 */
#ifndef GA_OID_SAMPLE_H
#define GA_OID_SAMPLE_H

#include "wire/oid_guard.h"

extern void ga_oid_sample_take(GaOidSample *sample);
extern bool ga_oid_sample_try(GaOidSample *sample);

#endif /* GA_OID_SAMPLE_H */
