/*
 * element_datum.h
 *		The element types as PostgreSQL has them: OIDs and Datums.
 *
 * The list below adds to src/exact/element.h what only code with PostgreSQL
 * needs.  Whoever handles Datums of an element type takes it from here.
 */
#ifndef GA_ELEMENT_DATUM_H
#define GA_ELEMENT_DATUM_H

#include "catalog/pg_type_d.h"

#include "exact/element.h"

/* X(name, C type, macros of its Datum, its OID, the OID of sums and totals). */
#define GA_ELEMENT_DATUMS(X)                        \
	X(int2, int16, Int16, INT2OID, INT8OID)         \
	X(int4, int32, Int32, INT4OID, INT8OID)         \
	X(int8, int64, Int64, INT8OID, NUMERICOID)      \
	X(float4, float4, Float4, FLOAT4OID, FLOAT4OID) \
	X(float8, float8, Float8, FLOAT8OID, FLOAT8OID)

/* ga_datum_int2(datum): the element in a Datum. */
#define X(name, ctype, macro, oid, total_oid)        \
	static inline ctype ga_datum_##name(Datum datum) \
	{                                                \
		return DatumGet##macro(datum);               \
	}
GA_ELEMENT_DATUMS(X)
#undef X

/* Return the OID of an element type. */
static inline Oid
ga_element_oid(GaElementType type)
{
	static const Oid oids[] = {
#define X(name, ctype, macro, oid, total_oid) [GA_##name] = oid,
		GA_ELEMENT_DATUMS(X)
#undef X
	};

	StaticAssertStmt(lengthof(oids) == GA_N_ELEMENT_TYPES,
					 "an element type is missing");
	return oids[type];
}

/* Return the OID of the type that sums and running totals have. */
static inline Oid
ga_total_oid(GaElementType type)
{
	static const Oid oids[] = {
#define X(name, ctype, macro, oid, total_oid) [GA_##name] = total_oid,
		GA_ELEMENT_DATUMS(X)
#undef X
	};

	return oids[type];
}

/* Store the element in a Datum as the type's C type. */
static inline void
ga_element_store(GaElementType type, Datum datum, char *to)
{
	switch (ga_element_size(type))
	{
		case sizeof(int16):
			*(int16 *) to = DatumGetInt16(datum);
			break;
		case sizeof(int32):
			*(int32 *) to = DatumGetInt32(datum);
			break;
		default:
			*(int64 *) to = DatumGetInt64(datum);
			break;
	}
}

#endif /* GA_ELEMENT_DATUM_H */
