# 043_timescale.pl: sums over the chunks of TimescaleDB, which are those of a plain
# table, and rollups.
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

# The same rows in a plain table (schema one) and in 14 chunks (schema many).
$node->answer(<<'SQL');
CREATE SCHEMA one;
CREATE TABLE one.readings (at timestamptz NOT NULL, sensor int, x float8, n bigint, a float8[]);
ALTER TABLE one.readings ALTER a SET STORAGE external;
INSERT INTO one.readings SELECT '2026-01-01'::timestamptz + g * interval '10 minutes', g % 7,
	sin(g) * 10 ^ (g % 30 - 15)::float8, 9223372036854775807 - g,
	(SELECT array_agg(sin(g * 1000.0 + i) * 10 ^ (i % 40 - 20)::float8) FROM generate_series(1, 500) i)
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
foreach my $sum ('gpu_sum(a)', 'gpu_sum_state(x)', 'gpu_merge(gpu_array_state(a))')
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

# Add the rows of a time to the sums of hours; schema one has them at once.
sub add_hours
{
	my ($where) = @_;

	return rows_of('many', "INSERT INTO hours SELECT time_bucket('1 hour', at), sensor, gpu_sum_state(x), gpu_sum_state(a)
		FROM readings WHERE $where GROUP BY 1, 2 ON CONFLICT (hour, sensor) DO UPDATE SET x = hours.x + excluded.x, a = hours.a + excluded.a");
}

rows_of('many', q{CREATE TABLE hours (hour timestamptz NOT NULL, sensor int, x exactsum, a exactsum, UNIQUE (hour, sensor));
	SELECT create_hypertable('hours', 'hour', chunk_time_interval => interval '1 week')});
add_hours("extract(minute FROM at) = $_") foreach 0, 10, 20, 30, 40, 50;
my $of_hours = q{SELECT time_bucket('1 day', hour) AS day, sensor, gpu_merge(x), gpu_merge(a), gpu_merge(a)::float8
	FROM hours GROUP BY day, sensor ORDER BY day, sensor};
my $of_rows = q{SELECT time_bucket('1 day', at) AS day, sensor, gpu_sum_state(x), gpu_sum_state(a), gpu_sum(a)
	FROM readings GROUP BY day, sensor ORDER BY day, sensor};
is(rows_of('many', $of_hours), rows_of('one', $of_rows), 'hours in a hypertable, added ON CONFLICT, are the sums of days');
is(rows_of('many', 'SELECT gpu_merge(x)::float8, gpu_merge(a)::float8 FROM hours'),
	rows_of('one', 'SELECT gpu_sum(x), gpu_sum(a) FROM readings'), '... and of all');

# --- of the edition under the Timescale License

check_continuous_aggregate() if $license eq 'timescale';
check_compression() if $license eq 'timescale';
$node->stop;
done_testing();

sub check_continuous_aggregate
{
	my $merged = q{SELECT day, sensor, a, gpu_merge(a) OVER (ORDER BY day, sensor), a::float8 FROM days ORDER BY day, sensor};
	my $right = q{SELECT day, sensor, a, gpu_merge(a) OVER (ORDER BY day, sensor), a::float8 FROM
		(SELECT time_bucket('1 day', at) AS day, sensor, gpu_sum_state(a) AS a FROM readings GROUP BY 1, 2) q ORDER BY day, sensor};

	rows_of('many', $_) foreach q{CREATE MATERIALIZED VIEW by_hour WITH (timescaledb.continuous) AS
		SELECT time_bucket('1 hour', at) AS hour, sensor, gpu_sum_state(x) AS x, gpu_sum_state(a) AS a, gpu_sum(a) AS total
		FROM readings GROUP BY 1, 2},
	  q{CREATE MATERIALIZED VIEW days WITH (timescaledb.continuous) AS
		SELECT time_bucket('1 day', hour) AS day, sensor, gpu_merge(x) AS x, gpu_merge(a) AS a FROM by_hour GROUP BY 1, 2};
	is(rows_of('many', $merged), rows_of('one', $right), 'a continuous aggregate of hours, and one of days over it');
	is(rows_of('many', 'SELECT gpu_merge(a)::float8, gpu_sum(n) FROM by_hour, (SELECT 1 AS n) q'),
		rows_of('one', q{SELECT gpu_sum(a), count(DISTINCT (sensor, time_bucket('1 hour', at))) FROM readings}), '... merged');
	is(rows_of('many', 'SELECT bool_and(total = a::float8) FROM by_hour'), 't', '... with gpu_sum beside it');

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
