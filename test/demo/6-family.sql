\echo
\echo '6. More than sums: means, volatility, moving averages, the mean year'
\echo -------------------------------------------------------------------------------
\echo '   SELECT gpu_array_avg(mm), gpu_array_max(mm), gpu_array_stddev_samp(mm) FROM rain;'
\echo '   SELECT gpu_array_stddev_samp(gpu_array_delta(logs)) * sqrt(252) FROM closes;'
\echo '   SELECT gpu_array_moving_avg(closes, 49), gpu_array_bucket_avg(closes, 21) FROM closes;'
\echo '   SELECT gpu_array_bucket_sum(gpu_elem_avg(mm[1:365]), 73) FROM rain;'
\echo

CREATE TEMP TABLE closes AS
	SELECT extract(year FROM date)::int AS year, array_agg(close ORDER BY date) AS closes,
		   array_agg(ln(close) ORDER BY date) AS logs
	FROM sp500 GROUP BY 1;

SELECT year, gpu_array_avg(mm)::numeric(6, 3) AS "mean mm a day",
	   gpu_array_max(mm) AS "most", gpu_array_stddev_samp(mm)::numeric(6, 3) AS "deviation",
	   gpu_array_count(mm, 1, 31) AS "days in January",
	   gpu_array_sum(mm, 1, 31) AS "mm in January"
FROM rain ORDER BY year;

SELECT year, gpu_array_avg(closes)::numeric(8, 2) AS "mean close",
	   gpu_array_min(closes)::numeric(8, 2) AS "lowest",
	   (100 * gpu_array_stddev_samp(gpu_array_delta(logs)) * sqrt(252))::numeric(5, 1) AS "volatility, %",
	   (gpu_array_moving_avg(closes, 49))[cardinality(closes)]::numeric(8, 2) AS "50 days",
	   gpu_array_bucket_avg(closes, 63)::numeric(8, 1)[] AS "by quarter of 63 days"
FROM closes WHERE year IN (2005, 2008, 2009, 2015, 2020) ORDER BY year;

SELECT n * 73 - 72 || ' to ' || n * 73 AS "days of the mean year", mm::numeric(6, 1),
	   repeat('#', (mm / 10)::int) AS "rain"
FROM (SELECT gpu_array_bucket_sum(gpu_elem_avg(mm[1:365]), 73) AS parts FROM rain) q,
	unnest(parts) WITH ORDINALITY u(mm, n);

\echo 'Each mean, deviation and moving average is the exact one, rounded once.'
