\echo
\echo '2. Shares traded in the S&P 500: one bigint[] of daily volumes for each year'
\echo -------------------------------------------------------------------------------
\echo '   SELECT year, gpu_sum(volumes) FROM traded GROUP BY ROLLUP (year);'
\echo

SELECT coalesce(a.year::text, 'all') AS year, n AS days, by_sum AS "SUM",
	   by_gpu_sum AS "gpu_sum"
FROM (SELECT year, count(*) AS n, sum(x) AS by_sum
	  FROM traded, unnest(volumes) x GROUP BY ROLLUP (year)) a
JOIN (SELECT year, gpu_sum(volumes) AS by_gpu_sum
	  FROM traded GROUP BY ROLLUP (year)) b
	ON a.year IS NOT DISTINCT FROM b.year
WHERE a.year % 5 = 0 OR a.year IS NULL
ORDER BY a.year;

\echo 'Integers give what SUM gives, in the type that SUM gives: here numeric.'
