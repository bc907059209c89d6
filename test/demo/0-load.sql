-- Loads the data and sets the stage.  One row a day comes in; one array a year
-- is what people keep.
\pset pager off
\pset footer off
\pset border 1
SET client_min_messages = warning;
-- The shortest digits that stand for a float8 and for no other.
SET extra_float_digits = 1;

CREATE EXTENSION gpuagg;

-- Everything on the GPU, if there is one that can be used.
DO $$
BEGIN
	PERFORM set_config('gpuagg.engine', 'gpu', false);
	PERFORM gpu_array_sum('{1}'::int[]);
EXCEPTION WHEN system_error THEN
	PERFORM set_config('gpuagg.engine', 'auto', false);
END $$;

CREATE TABLE weather (date date, precipitation float8, temp_max float8,
	temp_min float8, wind float8, weather text);
\copy weather FROM 'test/data/seattle-weather.csv' WITH (FORMAT csv, HEADER)

CREATE TABLE rain AS
	SELECT extract(year FROM date)::int AS year,
		   array_agg(precipitation ORDER BY date) AS mm
	FROM weather GROUP BY 1;

CREATE TABLE sp500 (date date, open float8, high float8, low float8,
	close float8, adjclose float8, volume bigint);
\copy sp500 FROM 'test/data/sp500-2000.csv' WITH (FORMAT csv, HEADER)

CREATE TABLE traded AS
	SELECT extract(year FROM date)::int AS year,
		   array_agg(volume ORDER BY date) AS volumes
	FROM sp500 GROUP BY 1;

SELECT extversion, current_setting('server_version_num')::int / 10000 AS major
FROM pg_extension WHERE extname = 'gpuagg' \gset
\echo
\echo gpuagg :extversion on PostgreSQL :major
\echo ===============================================================================
