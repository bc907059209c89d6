/*
 * windows_job.c
 *		Values of windows, as a job of fuzz_session.c.
 *
 * Whatever is answered, there are all values, or a reason.
 */
#include "postgres.h"

#include "extension/offload/client.h"
#include "extension/sql/engine_windows.h"
#include "hostile.h"
#include "windows_job.h"

void
windows_job(void *argument)
{
	Bytes *script = argument;
	const uint32 n = 1 + take_word(script) % 300000;
	GaWindowsRun run = {
		.type = GA_float8,
		.form = (GaElemForm) (1 + take_byte(script) % (GA_N_ALL_FORMS - 1)),
		.key = {7, 100, 8 * n, 0},
		.windows = {n, 1 + take_byte(script) % 4, 0, 4}};
	GaReason reason;
	uint32 n_windows;

	if (run.form == GA_FORM_DELTA)
		run.windows.size = 2;
	else if (run.windows.step == 1 && run.form == GA_FORM_MAX)
	{
		run.windows.before = n - 1;
		run.windows.size = n;
	}
	n_windows = ga_windows_count(&run.windows);
	run.values = palloc(n_windows * sizeof(uint64));
	if (ga_client_open(true) != GA_NO_REASON)
		return;
	run.is_small = take_byte(script) % 2;
	reason = ga_windows_compute(&run);
	must(run.n_done <= n_windows);
	must(reason != GA_NO_REASON ||
		 run.n_done + (run.form == GA_FORM_DELTA) == n_windows);
}
