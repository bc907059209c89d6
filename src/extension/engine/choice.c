/*
 * choice.c
 *		The choice of an engine, by the settings and an array's size.
 *
 * "auto" chooses the device for large stored arrays, and the CPU for what can
 * be computed where it lies; "gpu" chooses the device for everything.  Looks at
 * nothing else: offload.c finds out if there is a device.  Never throws.
 */
#include "postgres.h"
#include "access/detoast.h"

#include "extension/pg_compat.h"
#include "choice.h"

/*
 * What the CPU reads and sums in the time of a round trip to gpuaggd, which
 * nothing hides if the query waits for each array.
 */
#define ALONE_BYTES (64 * 1024)

/*
 * An array is loaded for a part of at least a quarter of it: the CPU reads less
 * of it for others, until there are as many of them as that.
 */
#define PARTS_OF_LOADED 4

/*
 * Return GA_NO_REASON if an array is to go to the device, or why not.
 * is_alone: the query waits for its result before it sends another one.  So
 * many bytes are wanted of it, unless it has fewer.  The array is looked at
 * only if gpuagg.engine is auto.
 */
GaReason
ga_choose_engine(Datum array, bool is_alone, uint64 n_bytes)
{
	struct varlena *given = (struct varlena *) DatumGetPointer(array);
	struct varatt_external pointer;

	switch ((GaEngineChoice) ga_engine)
	{
		case GA_ENGINE_CPU:
			return GA_REASON_SETTING;
		case GA_ENGINE_GPU:
			return ga_allow_device ? GA_NO_REASON : GA_REASON_NOT_ALLOWED;
		case GA_ENGINE_AUTO:
			break;
	}
	if (!VARATT_IS_EXTERNAL_ONDISK(given))
		return GA_REASON_NOT_STORED;
	VARATT_EXTERNAL_GET_POINTER(pointer, given);
	if (ga_min_gpu_size < 0 || pointer.va_rawsize / 1024 < ga_min_gpu_size)
		return GA_REASON_SMALL;
	if (is_alone && Min(n_bytes, (uint64) pointer.va_rawsize) < ALONE_BYTES)
		return GA_REASON_ALONE;
	return ga_allow_device ? GA_NO_REASON : GA_REASON_NOT_ALLOWED;
}

/*
 * Is a part of so many bytes too small to load its array of array_bytes to the
 * device?
 */
bool
ga_choose_is_small(uint64 n_bytes, uint64 array_bytes)
{
	return ga_engine == GA_ENGINE_AUTO &&
		   (n_bytes / 1024 < (uint64) ga_min_gpu_size ||
			n_bytes < array_bytes / PARTS_OF_LOADED);
}
