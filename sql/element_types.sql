@-- element_types.sql: what the install script knows about each element type.
@--
@-- result is the type of a sum, mean that of a mean; family says which sums it
@-- has, final which function ends one, and space how many bytes the state of one
@-- takes.  The last three columns begin comments: floats are exact and rounded once.
@-- The same types are in src/exact/element.h.
@table element_type name | type | result | mean | final | family | space | sum_of | mean_of | totals_of
int2	| smallint			| bigint			| numeric			| bigint	| int	| 40	| sum of						| mean of						| running totals of
int4	| integer			| bigint			| numeric			| bigint	| int	| 40	| sum of						| mean of						| running totals of
int8	| bigint			| numeric			| numeric			| numeric	| int	| 40	| sum of						| mean of						| running totals of
float4	| real				| real				| double precision	| float4	| float	| 144	| exact sum, rounded once, of	| exact mean, rounded once, of	| exact running totals, each rounded once, of
float8	| double precision	| double precision	| double precision	| float8	| float	| 144	| exact sum, rounded once, of	| exact mean, rounded once, of	| exact running totals, each rounded once, of

