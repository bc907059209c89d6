# 043_timescale.pl: sums and variances over the chunks of TimescaleDB, which are those
# of a plain table, and rollups.
#
# Where TimescaleDB is installed.  Partial aggregates of each chunk, continuous
# aggregates and compression are of its edition under the Timescale License; with
# the Apache edition, which Debian has, that part is left out.

use strict;
use warnings;

use FindBin;
use PostgreSQL::Test::Utils;
use Test::More;

use lib $FindBin::RealBin;
use GpuaggCluster;

chomp(my $sharedir = `$ENV{PG_CONFIG} --sharedir`);
plan skip_all => 'TimescaleDB is not installed' if !-e "$sharedir/extension/timescaledb.control";

my $node = GpuaggCluster->create('timescale', preload => 0,
	settings => [ "shared_preload_libraries = 'timescaledb, gpuagg'", 'timescaledb.telemetry_level = off',
		"timezone = 'UTC'", 'max_worker_processes = 32', 'gpuagg.min_gpu_size = 0' ]);
$node->await_daemon;
$node->answer('CREATE EXTENSION timescaledb');
my ($version, $license) = split /\|/, $node->answer(
	q{SELECT extversion, current_setting('timescaledb.license') FROM pg_extension WHERE extname = 'timescaledb'});
note("TimescaleDB $version, license: $license");

# The same rows in a plain table (schema one) and in 14 chunks (schema many).  Arrays
# of sensor 6 are NULL or empty.
$node->answer(<<'SQL');
CREATE SCHEMA one;
CREATE TABLE one.readings (at timestamptz NOT NULL, sensor int, x float8, n bigint, a float8[]);
ALTER TABLE one.readings ALTER a SET STORAGE external;
INSERT INTO one.readings SELECT '2026-01-01'::timestamptz + g * interval '10 minutes', g % 7,
	sin(g) * 10 ^ (g % 30 - 15)::float8, 9223372036854775807 - g,
	CASE WHEN g % 7 <> 6 THEN
		(SELECT array_agg(sin(g * 1000.0 + i) * 10 ^ (i % 40 - 20)::float8) FROM generate_series(1, 500) i)
	WHEN g % 2 = 0 THEN '{}' END
	FROM generate_series(1, 2000) g;
CREATE SCHEMA many;
CREATE TABLE many.readings (LIKE one.readings INCLUDING ALL);
SELECT create_hypertable('many.readings', 'at', chunk_time_interval => interval '1 day');
INSERT INTO many.readings SELECT * FROM one.readings;
ANALYZE one.readings;
ANALYZE many.readings;
SQL
is($node->answer(q{SELECT count(*) FROM show_chunks('many.readings')}), 14, 'a hypertable has chunks');

my @queries = (
	'SELECT gpu_sum(x), gpu_sum(n), gpu_sum(a), gpu_count(a) FROM readings',
	'SELECT sensor, gpu_sum(a) FROM readings GROUP BY sensor ORDER BY sensor',
	q{SELECT time_bucket('1 day', at) AS day, gpu_sum(x), gpu_sum_state(a) FROM readings GROUP BY day ORDER BY day},
	'SELECT gpu_merge(gpu_array_state(a)) FROM readings',
	'SELECT gpu_merge(s)::float8 FROM (SELECT gpu_sum_state(a) AS s FROM readings GROUP BY sensor) q',
	q{SELECT gpu_sum(a) FROM readings WHERE at >= '2026-01-05' AND at < '2026-01-08'},
	'SELECT gpu_var_samp(x), gpu_stddev_pop(n), gpu_stddev_samp(a), gpu_avg(a), gpu_moments_state(a) FROM readings',
	'SELECT sensor, gpu_var_pop(a), gpu_stddev(x), gpu_moments_state(a) FROM readings GROUP BY sensor ORDER BY sensor',
	q{SELECT time_bucket('1 day', at) AS day, gpu_stddev(x) FILTER (WHERE sensor > 4), gpu_moments_state(a) FILTER (WHERE sensor = 6)
		FROM readings GROUP BY day ORDER BY day},
	'SELECT gpu_merge(gpu_array_moments_state(a)) FROM readings',
	'SELECT gpu_stddev_samp(gpu_merge(m)), gpu_avg(gpu_merge(m)) FROM (SELECT gpu_moments_state(a) AS m FROM readings GROUP BY sensor) q',
	# Not ORDER BY at DESC: TimescaleDB 2.29 then hands compressed rows to the window
	# in a wrong order, as count(*) OVER (ORDER BY at) shows.
	'SELECT gpu_cumsum(x) OVER (ORDER BY at) FROM readings ORDER BY at');

sub rows_of
{
	my ($schema, $query) = @_;

	return $node->answer("SET search_path = $schema, public; $query");
}

# Check that all queries give the bytes of the plain table.
sub are_same
{
	my ($settings, $what) = @_;

	is(rows_of('many', "$settings $_"), rows_of('one', $_), "$what: $_") foreach @queries;
	return;
}

# --- chunks

my $parallel = 'SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;';
my $serial = 'SET max_parallel_workers_per_gather = 0;';

are_same($serial, 'one process');
are_same($parallel, 'parallel workers');
are_same("SET gpuagg.engine = $_;", "gpuagg.engine = $_") foreach qw(cpu gpu);
foreach my $sum ('gpu_sum(a)', 'gpu_sum_state(x)', 'gpu_merge(gpu_array_state(a))',
	'gpu_stddev_pop(a)', 'gpu_var_samp(n)', 'gpu_moments_state(x)', 'gpu_merge(gpu_array_moments_state(a))')
{
	like(rows_of('many', "$parallel EXPLAIN (COSTS OFF) SELECT $sum FROM readings"),
		qr/Finalize Aggregate.*Gather.*Partial Aggregate.*_chunk/s, "$sum: parallel workers aggregate");
	SKIP:
	{
		skip 'the Apache edition does not aggregate chunk by chunk', 1 if $license ne 'timescale';
		my $plan = rows_of('many', "$serial EXPLAIN (COSTS OFF) SELECT $sum FROM readings");

		is(scalar(() = $plan =~ /Partial Aggregate/g), 14, "$sum: a partial aggregate of each chunk") or diag($plan);
	}
}

# --- a rollup by hand

# Add the rows of a time to the sums and moments of quarters of a day; schema one has them at once.
sub add_quarters
{
	my ($where) = @_;

	return rows_of('many', "INSERT INTO quarters SELECT time_bucket('6 hours', at), sensor, gpu_sum_state(x), gpu_sum_state(a),
			gpu_moments_state(x), gpu_moments_state(a)
		FROM readings WHERE $where GROUP BY 1, 2 ON CONFLICT (quarter, sensor) DO UPDATE SET x = quarters.x + excluded.x,
			a = quarters.a + excluded.a, moments_x = quarters.moments_x + excluded.moments_x, moments_a = quarters.moments_a + excluded.moments_a");
}

rows_of('many', q{CREATE TABLE quarters (quarter timestamptz NOT NULL, sensor int, x exactsum, a exactsum,
		moments_x exactmoments, moments_a exactmoments, UNIQUE (quarter, sensor));
	SELECT create_hypertable('quarters', 'quarter', chunk_time_interval => interval '1 week')});
add_quarters("extract(minute FROM at) = $_") foreach 0, 10, 20, 30, 40, 50;
cmp_ok(rows_of('many', 'SELECT max(gpu_count(x)) FROM quarters'), '>', 1, 'ON CONFLICT adds to sums');
my $of_quarters = q{SELECT time_bucket('1 day', quarter) AS day, sensor, gpu_merge(x), gpu_merge(a), gpu_merge(a)::float8,
	gpu_merge(moments_x), gpu_merge(moments_a), gpu_var_samp(gpu_merge(moments_a)), gpu_avg(gpu_merge(moments_a))
	FROM quarters GROUP BY day, sensor ORDER BY day, sensor};
my $of_rows = q{SELECT time_bucket('1 day', at) AS day, sensor, gpu_sum_state(x), gpu_sum_state(a), gpu_sum(a),
	gpu_moments_state(x), gpu_moments_state(a), gpu_var_samp(a), gpu_avg(a)
	FROM readings GROUP BY day, sensor ORDER BY day, sensor};
is(rows_of('many', $of_quarters), rows_of('one', $of_rows), 'quarters of a day in a hypertable, added ON CONFLICT, are the sums and moments of days');
is(rows_of('many', 'SELECT gpu_merge(x)::float8, gpu_merge(a)::float8, gpu_stddev(gpu_merge(moments_x)), gpu_stddev(gpu_merge(moments_a)) FROM quarters'),
	rows_of('one', 'SELECT gpu_sum(x), gpu_sum(a), gpu_stddev(x), gpu_stddev(a) FROM readings'), '... and of all');

# --- of the edition under the Timescale License

check_continuous_aggregate() if $license eq 'timescale';
check_compression() if $license eq 'timescale';
$node->stop;
done_testing();

sub check_continuous_aggregate
{
	my $columns = 'day, sensor, a, gpu_merge(a) OVER (ORDER BY day, sensor), a::float8, m, gpu_stddev(gpu_merge(m) OVER (ORDER BY day, sensor))';
	my $merged = "SELECT $columns FROM days ORDER BY day, sensor";
	my $right = "SELECT $columns FROM (SELECT time_bucket('1 day', at) AS day, sensor, gpu_sum_state(a) AS a, gpu_moments_state(a) AS m
		FROM readings GROUP BY 1, 2) q ORDER BY day, sensor";

	rows_of('many', $_) foreach q{CREATE MATERIALIZED VIEW by_hour WITH (timescaledb.continuous) AS
		SELECT time_bucket('1 hour', at) AS hour, sensor, gpu_sum_state(x) AS x, gpu_sum_state(a) AS a, gpu_sum(a) AS total,
			gpu_moments_state(a) AS m, gpu_stddev_pop(a) AS deviation
		FROM readings GROUP BY 1, 2},
	  q{CREATE MATERIALIZED VIEW days WITH (timescaledb.continuous) AS
		SELECT time_bucket('1 day', hour) AS day, sensor, gpu_merge(x) AS x, gpu_merge(a) AS a, gpu_merge(m) AS m
		FROM by_hour GROUP BY 1, 2};
	is(rows_of('many', $merged), rows_of('one', $right), 'a continuous aggregate of hours, and one of days over it');
	is(rows_of('many', 'SELECT gpu_merge(a)::float8, gpu_sum(n), gpu_stddev_pop(gpu_merge(m)) FROM by_hour, (SELECT 1 AS n) q'),
		rows_of('one', q{SELECT gpu_sum(a), count(DISTINCT (sensor, time_bucket('1 hour', at))), gpu_stddev_pop(a) FROM readings}), '... merged');
	is(rows_of('many', 'SELECT bool_and(total = a::float8 AND deviation = gpu_stddev_pop(m)) FROM by_hour'), 't',
		'... with gpu_sum and gpu_stddev_pop beside it');

	# Late rows, and others that go.
	foreach my $schema (qw(one many))
	{
		rows_of($schema, q{INSERT INTO readings SELECT at + interval '1 second', sensor, x / 3, n, a || x FROM readings WHERE sensor = 2;
			DELETE FROM readings WHERE sensor = 3});
	}
	rows_of('many', "CALL refresh_continuous_aggregate('$_', NULL, NULL)") foreach qw(by_hour days);
	is(rows_of('many', $merged), rows_of('one', $right), '... after a refresh');
	rows_of($_, q{INSERT INTO readings SELECT at + interval '20 days', sensor, x, n, a FROM readings WHERE sensor = 1})
	  foreach qw(one many);
	rows_of('many', "ALTER MATERIALIZED VIEW $_ SET (timescaledb.materialized_only = false)") foreach qw(by_hour days);
	is(rows_of('many', $merged), rows_of('one', $right), '... with rows that are not materialized yet');
	return;
}

sub check_compression
{
	rows_of('many', q{ALTER TABLE readings SET (timescaledb.compress, timescaledb.compress_segmentby = 'sensor');
		SELECT compress_chunk(c) FROM show_chunks('readings') c;});
	are_same($serial, 'compressed');
	are_same($parallel, 'compressed, parallel workers');
	return;
}
