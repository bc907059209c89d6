/*
 * ladder_runner.c
 *		The rules for requests that all runners share.
 */
#include "device/device_check.h"
#include "ladder_runner.h"

/* Check a request for a rung.  GA_OK, or GA_BAD_REQUEST and the reason. */
GaStatus
ga_rung_check(const GaLadderRunner *runner, const GaRungRequest *request,
			  GaDeviceFailure *failure)
{
	const GaLadderCall call = {.ladder = request->ladder,
							   .type = request->type,
							   .repeats = request->repeats,
							   .n = request->n};
	const char *fault = ga_ladder_call_fault(&call);
	const GaRung *rungs;

	if (fault == NULL &&
		request->rung >= runner->rungs(request->ladder, &rungs))
		fault = "no such rung";
	if (fault == NULL && (rungs[request->rung].types >> request->type & 1) == 0)
		fault = "the rung does not take this type";
	if (fault == NULL)
		return GA_OK;
	ga_device_failure(failure, "rung", "%s", fault);
	return GA_BAD_REQUEST;
}
