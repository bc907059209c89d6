
\echo
\echo '5. Rollups: sums of months that are not rounded yet'
\echo -------------------------------------------------------------------------------
\echo '   INSERT INTO monthly SELECT ..., gpu_sum_state(precipitation) ... GROUP BY month;'
\echo '   SELECT gpu_merge(mm)::float8 FROM monthly GROUP BY year;'
\echo

CREATE TEMP TABLE monthly AS
	SELECT date_trunc('month', date) AS month, gpu_sum_state(precipitation) AS mm,
		   sum(precipitation) AS rounded
	FROM weather GROUP BY 1;

SELECT year, by_day AS "gpu_sum of the days", by_month AS "gpu_merge of the months",
	   sum_of_days AS "SUM of the days", sum_of_sums AS "SUM of the months' SUM"
FROM (SELECT extract(year FROM month)::int AS year, gpu_merge(mm)::float8 AS by_month,
			 sum(rounded ORDER BY month) AS sum_of_sums FROM monthly GROUP BY 1) m
JOIN (SELECT extract(year FROM date)::int AS year, gpu_sum(precipitation) AS by_day,
			 sum(precipitation ORDER BY date) AS sum_of_days FROM weather GROUP BY 1) d
	USING (year) ORDER BY year;

SELECT gpu_merge(mm) = (SELECT gpu_sum_state(precipitation) FROM weather) AS "the same bytes as from all days",
	   gpu_count(gpu_merge(mm)) AS days, round(avg(pg_column_size(mm))) AS "bytes a month"
FROM monthly;
