\echo
\echo '3. The same 1461 days of rain, added in three orders'
\echo -------------------------------------------------------------------------------
\echo '   SELECT sum(x ORDER BY ...), gpu_sum(x ORDER BY ...) FROM ...;'
\echo

CREATE VIEW pg_temp.in_order AS
	SELECT 1 AS n, 'ascending' AS "order",
		   sum(precipitation ORDER BY precipitation) AS s,
		   gpu_sum(precipitation ORDER BY precipitation) AS g FROM weather
	UNION ALL
	SELECT 2, 'descending',
		   sum(precipitation ORDER BY precipitation DESC),
		   gpu_sum(precipitation ORDER BY precipitation DESC) FROM weather
	UNION ALL
	SELECT 3, 'shuffled',
		   sum(precipitation ORDER BY md5(date::text)),
		   gpu_sum(precipitation ORDER BY md5(date::text)) FROM weather;

SELECT "order", s AS "SUM", encode(float8send(s), 'hex') AS "its bits",
	   g AS "gpu_sum", encode(float8send(g), 'hex') AS "its bits"
FROM in_order ORDER BY n;

\echo 'Whatever the order of rows, the plan, or the number of workers: gpu_sum gives'
\echo 'the same 64 bits.'
