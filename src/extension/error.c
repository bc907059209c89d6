/*
 * error.c
 *		Errors, from a status or for a reason.
 *
 * The one file that turns statuses of the code without PostgreSQL into errors.
 * Every error has an SQLSTATE, and a hint where the user can do something.  The
 * whole extension calls these functions, none of which returns.
 */
#include "postgres.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "error.h"

GA_NORETURN static void report_overflow(GaElementType result);

/* Report a result out of its type's range, with PostgreSQL's messages. */
static void
report_overflow(GaElementType result)
{
	if (result == GA_int8)
		ereport(
			ERROR,
			(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
			 errmsg("bigint out of range"),
			 errhint("Cast the input to bigint: sums of bigint are numeric.")));
	if (result == GA_float4)
		ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
						errmsg("value out of range: overflow"),
						errdetail("The exact sum is beyond the range of real."),
						errhint("Cast the input to double precision.")));
	ereport(
		ERROR,
		(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
		 errmsg("value out of range: overflow"),
		 errdetail("The exact sum is beyond the range of double precision.")));
}

void
ga_report(GaStatus status, GaElementType result)
{
	switch (status)
	{
		case GA_OVERFLOW:
			report_overflow(result);
			break;

		case GA_ZERO_DIVISOR:
			ereport(ERROR,
					(errcode(ERRCODE_DIVISION_BY_ZERO),
					 errmsg("division by zero"),
					 errdetail("The exact sum of the weights is zero.")));
			break;

		case GA_BAD_VERSION:
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
					 errmsg("aggregate state of an unknown version"),
					 errhint("Run the same version of gpuagg on all nodes.")));
			break;

		case GA_BAD_STATE:
			ereport(ERROR, (errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
							errmsg("invalid aggregate state"),
							errdetail("The bytes are not a serialized sum."),
							errhint("The state was damaged on its way, or "
									"belongs to another aggregate.")));
			break;

		case GA_OK:
		case GA_NO_CAPACITY:
			/* statuses of a device; the CPU engine returns none of these */
		case GA_PENDING:
		case GA_BUSY:
		case GA_NO_DRIVER:
		case GA_OLD_DRIVER:
		case GA_NO_DEVICE:
		case GA_NO_MEMORY:
		case GA_BAD_REQUEST:
		case GA_DEVICE_FAILED:
			break;
	}
	ereport(ERROR, (errcode(ERRCODE_INTERNAL_ERROR),
					errmsg("unexpected status %d", (int) status)));
}

/* Report bytes that are no value of a type, which came from elsewhere. */
void
ga_report_value(GaStatus status, const char *type)
{
	if (status == GA_BAD_VERSION)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
				 errmsg("%s of an unknown version", type),
				 errhint("A later version of gpuagg may have written it.")));
	ereport(ERROR, (errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
					errmsg("invalid %s", type),
					errhint("The bytes were damaged on their way, or belong "
							"to another type.")));
}

/* Report a stored value of a type whose bytes are none. */
void
ga_report_damaged_value(const char *type)
{
	ereport(
		ERROR,
		(errcode(ERRCODE_DATA_CORRUPTED), errmsg("invalid %s", type),
		 errhint("The stored value may be damaged; restore it from a backup, "
				 "or compute it again.")));
}

/* Report values of a type with more inputs together than there can be. */
void
ga_report_many_inputs(const char *type)
{
	ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
					errmsg("%s has too many inputs", type),
					errdetail("There can be 2^56.")));
}

/*
 * Report a value of a type that was to be taken away, and is no part; hint may
 * be NULL.
 */
void
ga_report_not_contained(const char *type, const char *hint)
{
	ereport(
		ERROR,
		(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
		 errmsg("%s is not part of the one that it is subtracted from", type),
		 errdetail("The difference of a and b has the inputs of a without "
				   "those of b."),
		 hint != NULL ? errhint("%s", hint) : 0));
}

/* Report a variance or deviation out of the range of double precision. */
void
ga_report_variance_overflow(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
			 errmsg("value out of range: overflow"),
			 errdetail(
				 "The exact result is beyond the range of double precision.")));
}

/* Report arrays that an aggregate cannot match position by position. */
void
ga_report_shapes(const char *one, const char *other)
{
	ereport(
		ERROR,
		(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
		 errmsg("cannot aggregate arrays of different dimensions by position"),
		 errdetail("One has the dimensions %s, another %s.", one, other),
		 errhint("Lengths and lower bounds must agree.  Group by "
				 "array_dims(), or take the same part of each array.")));
}

/* Report a pair of arrays, given by their elements and dimensions. */
void
ga_report_unlike_arrays(int n_one, int n_dims_one, int n_other,
						int n_dims_other)
{
	ereport(ERROR,
			(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
			 errmsg("cannot pair arrays of different dimensions"),
			 errdetail("One has %d elements in %d dimensions, the other %d in "
					   "%d.",
					   n_one, n_dims_one, n_other, n_dims_other),
			 errhint("Elements are paired by their positions.  Take the same "
					 "part of both arrays.")));
}

/* Report an array that PostgreSQL cannot have written. */
void
ga_report_bad_array(const char *detail)
{
	ereport(
		ERROR,
		(errcode(ERRCODE_DATA_CORRUPTED), errmsg("invalid array"),
		 errdetail_internal("%s", detail),
		 errhint(
			 "The stored value may be damaged; restore it from a backup.")));
}

/* Report an array of elements that the function was not declared for. */
void
ga_report_element_type(Oid found, Oid expected)
{
	ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
					errmsg("array of %s where %s is expected",
						   format_type_be(found), format_type_be(expected)),
					errhint("Cast the array to %s.",
							format_type_be(get_array_type(expected)))));
}

/* Report a support function that was called outside of an aggregate. */
void
ga_report_not_aggregate(void)
{
	ereport(
		ERROR,
		(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
		 errmsg("aggregate support function called outside of an aggregate"),
		 errhint("Call the aggregate gpu_sum instead.")));
}

/* Report that the SQL objects are not those of the library, of this version. */
void
ga_report_other_version(const char *version)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("the extension gpuagg in this database and its library are "
					"of different versions"),
			 errdetail("The library is of version %s.", version),
			 errhint("Run ALTER EXTENSION gpuagg UPDATE, and reconnect.")));
}

/*
 * Report that gpuagg.engine is gpu without a device; detail may be empty.  Of
 * gpuaggd and the session one may have been upgraded.
 */
void
ga_report_no_device(const char *reason, const char *detail, bool is_upgraded)
{
	ereport(ERROR,
			(errcode(ERRCODE_SYSTEM_ERROR),
			 errmsg("gpuagg.engine is gpu, but the device cannot be used: %s",
					reason),
			 detail[0] ? errdetail_internal("%s", detail) : 0,
			 is_upgraded ?
				 errhint("After an upgrade reconnect, and end the gpuaggd that "
						 "ran before: set gpuagg.device to none, reload, and "
						 "set it back.") :
				 errhint("Set gpuagg.engine to auto or cpu. gpuagg_devices "
						 "tells more; pg_reload_conf() has the device tried "
						 "again.")));
}

/* The ladder is the device's, and there is none; or it is set aside. */
void
ga_report_no_ladder(const char *reason, const char *detail, bool is_set)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("the ladder needs a device: %s", reason),
			 detail[0] ? errdetail_internal("%s", detail) : 0,
			 is_set ? errhint("Set gpuagg.engine to auto or gpu.") :
					  errhint("gpuagg_devices tells more; pg_reload_conf() has "
							  "the device tried again.")));
}

/* Resident arrays that were to be removed may still be there. */
void
ga_report_not_cleared(const char *reason, const char *detail)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("resident arrays were not removed: %s", reason),
			 detail[0] ? errdetail_internal("%s", detail) : 0,
			 errhint("Try again. If gpuaggd does not answer, end its process, "
					 "which gpuagg_devices shows: all resident arrays end "
					 "with it.")));
}

/* A rung of the ladder that was not timed; an empty name is any. */
void
ga_report_rung(const char *name, const char *reason, bool is_memory,
			   const char *detail)
{
	ereport(ERROR,
			(errcode(is_memory ? ERRCODE_OUT_OF_MEMORY : ERRCODE_SYSTEM_ERROR),
			 name[0] ? errmsg("kernel \"%s\" was not timed: %s", name, reason) :
					   errmsg("kernels were not timed: %s", reason),
			 detail[0] ? errdetail_internal("%s", detail) : 0,
			 is_memory ?
				 errhint("Take fewer elements, or lower gpuagg.cache_size: "
						 "that memory of the device is left to the cache.") :
				 errhint("The server's log may tell more.  Other queries that "
						 "use the device go on.")));
}
