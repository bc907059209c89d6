/*
 * request_scan.h
 *		What both halves of a request for running totals share.
 */
#ifndef GA_REQUEST_SCAN_H
#define GA_REQUEST_SCAN_H

#include "device_cuda.h"
#include "scan/scan.h"

/* This marks a result for which no grid did yet, until another pass has it. */
constexpr uint8_t kRefused = 255;

/* Is there anything before this piece? */
static inline bool
has_before(const GaScanRequest *request, const GaScanArray &array)
{
	if (array.before == nullptr)
		return false;
	return ga_element_is_float(request->type) ?
			   ((const GaExactSum *) array.before)->n != 0 :
			   ((const GaIntSum *) array.before)->n != 0;
}

/* How many totals there are, from an outcome. */
static inline uint64_t
count_totals(const ScanOutcome &outcome, uint64_t n)
{
	return outcome.overflow != 0 ? ~outcome.overflow : n;
}

static inline ScanKind
kind_of(const GaDeviceQueue *queue, const GaScanRequest *request)
{
	return ScanKind{request->type, request->totals, request->exclusive,
					queue->device->large_tiles};
}

/* Tiles of a long array. */
extern uint32_t count_tiles(const GaDeviceQueue *queue,
							const GaScanRequest *request,
							const GaScanArray &array);

/* Words of the state of a tile, for all grids that elements may have. */
extern int state_words(GaElementType type);

/*
 * Where the totals of a long array start, with the grid that its hint names; but
 * for what is known of floats before it.
 */
extern ScanStart start_of(const GaScanRequest *request,
						  const GaScanArray &array, bool with_hint);

/* The step after the first pass with grids; its outcomes are home. */
extern GaStatus finish_first_pass(GaDeviceQueue *queue,
								  GaDeviceFailure *failure);

/*
 * request_alone.cu: is it one long array, with nothing before it if it is of
 * floats?  Submit that; after GA_NO_MEMORY it may be submitted like others.
 */
extern bool is_long_alone(const GaScanRequest *request);
extern GaStatus submit_alone(GaDeviceQueue *queue, GaDeviceFailure *failure);

/* request_exact.cu: submit what the grids refused; answers GA_PENDING. */
extern GaStatus submit_wide_pass(GaDeviceQueue *queue,
								 GaDeviceFailure *failure);

#endif /* GA_REQUEST_SCAN_H */
