/*
 * request_scan.h
 *		What the two files of a request for running totals share.
 */
#ifndef GA_REQUEST_SCAN_H
#define GA_REQUEST_SCAN_H

#include "device_cuda.h"
#include "scan/scan.h"

/* Return how many totals there are, of n elements. */
static inline uint64_t
count_totals(const ScanOutcome &outcome, uint64_t n)
{
	return outcome.overflow != 0 ? ~outcome.overflow : n;
}

/* request_scan.cu: describe the request to the kernels, but for its memory. */
extern ScanJob make_scan_job(const GaScanRequest *request);

/*
 * request_exact.cu: submit the exact fallback for an array of floats.  It ends
 * the request, and the request's time ends with it.
 */
extern GaStatus submit_exact_scan(GaDeviceQueue *queue,
								  GaDeviceFailure *failure);

#endif /* GA_REQUEST_SCAN_H */
