\echo
\echo '4. Rain so far this year: Seattle, 2014, at the end of each month'
\echo -------------------------------------------------------------------------------
\echo '   array    SELECT gpu_array_cumsum(mm) FROM rain;'
\echo '   rows     SELECT * FROM gpu_cumsum((SELECT mm ...)) WITH ORDINALITY;'
\echo '   window   SELECT gpu_cumsum(precipitation) OVER (ORDER BY date) FROM weather;'
\echo '   SUM      SELECT sum(precipitation) OVER (ORDER BY date) FROM weather;'
\echo

CREATE TEMP TABLE so_far AS
	WITH a AS MATERIALIZED
		(SELECT gpu_array_cumsum(mm) AS as_array FROM rain WHERE year = 2014)
	SELECT date, as_array[day] AS "array", rows.total AS "rows", w.total AS "window",
		   w.by_sum AS "SUM() OVER"
	FROM (SELECT date, row_number() OVER (ORDER BY date) AS day,
				 gpu_cumsum(precipitation) OVER (ORDER BY date) AS total,
				 sum(precipitation) OVER (ORDER BY date) AS by_sum
		  FROM weather WHERE extract(year FROM date) = 2014) w
	JOIN (SELECT total, day
		  FROM gpu_cumsum((SELECT mm FROM rain WHERE year = 2014))
			WITH ORDINALITY u(total, day)) rows USING (day), a;

SELECT to_char(date, 'DD Mon') AS day, "array", "rows", "window", "SUM() OVER",
	   repeat('#', ("window" / 60)::int) AS "mm so far"
FROM so_far WHERE extract(day FROM date + 1) = 1 ORDER BY date;

SELECT count(*) AS days,
	   count(*) FILTER (WHERE "array" = "rows" AND "rows" = "window") AS "all three agree",
	   count(*) FILTER (WHERE "SUM() OVER" <> "window") AS "SUM() OVER is off"
FROM so_far;

\echo 'Each total is exact and rounded once; the drift of SUM() OVER grows as it goes.'
