\echo
\echo '1. Rain in Seattle, mm a year: one float8[] of daily values for each year'
\echo -------------------------------------------------------------------------------
\echo '   SELECT year, sum(x)      FROM rain, unnest(mm) x  GROUP BY year;'
\echo '   SELECT year, gpu_sum(mm) FROM rain                GROUP BY year;'
\echo

SELECT year, n AS days, by_sum AS "SUM", by_gpu_sum AS "gpu_sum",
	   by_hand AS "by hand"
FROM (SELECT year, count(*) AS n, sum(x) AS by_sum, sum(x::numeric) AS by_hand
	  FROM rain, unnest(mm) x GROUP BY year) a
JOIN (SELECT year, gpu_sum(mm) AS by_gpu_sum FROM rain GROUP BY year) b
	USING (year)
ORDER BY year;

\echo 'SUM rounds after every addition; gpu_sum rounds once, at the end: its result is'
\echo 'the exactly rounded one. "By hand" adds the decimals as they are written down.'
