/*
 * bucket_windows.h
 *		Buckets as windows over an array, whose values the device makes.
 */
#ifndef GA_BUCKET_WINDOWS_H
#define GA_BUCKET_WINDOWS_H

#include "bucket_value.h"
#include "engine_resident.h"
#include "engine_windows.h"

extern GaAhead *ga_bucket_ahead(FunctionCallInfo fcinfo, const GaBucket *bucket,
								int width);
extern bool ga_bucket_take(GaAhead *ahead, const GaBucket *bucket, int width,
						   Datum array, Datum *datum);
extern GaReason ga_bucket_windows(const GaBucket *bucket, int width,
								  const GaItems *items, GaResidentRun *run,
								  GaAhead *ahead, Datum *datum);

#endif /* GA_BUCKET_WINDOWS_H */
