# 002_cumsum.pl: running totals that are long.
#
# They can be cancelled in the middle, a window's memory does not grow with its
# partition, and arrays of a hundred million elements go through; as rows so many
# only in the long form.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time);

my $node = PostgreSQL::Test::Cluster->new('cumsum');
$node->init;
$node->append_conf('postgresql.conf', "max_parallel_workers_per_gather = 0\n");
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION gpuagg');

# Cancelled in the middle, in both ways of returning rows.
for my $query (
	'SELECT count(*) FROM (SELECT gpu_cumsum(a) FROM a) q',
	'SELECT count(*) FROM a, gpu_cumsum(a) t',
	'SELECT cardinality(gpu_array_cumsum(a::bigint[])) FROM a')
{
	my $begin = time;
	my ($status, $out, $err) = $node->psql('postgres', qq{
		CREATE TEMP TABLE a AS SELECT array_fill(1.0::float8, ARRAY[30000000]) AS a;
		SET statement_timeout = '300ms';
		$query;});

	like($err, qr/canceling statement due to statement timeout/, "cancelled: $query");
	cmp_ok(time - $begin, '<', 60, '... and soon');
}

# NULLs alone can be cancelled, too.
for my $query ('SELECT count(*) FROM a, gpu_cumsum(a) t',
	'SELECT cardinality(gpu_array_cumsum(a, true)) FROM a')
{
	my ($status, $out, $err) = $node->psql('postgres', qq{
		CREATE TEMP TABLE a AS SELECT array_fill(NULL::float8, ARRAY[60000000]) AS a;
		SET statement_timeout = '200ms';
		$query;});
	like($err, qr/canceling statement due to statement timeout/, "NULLs cancelled: $query");
}

# A window over a million rows, with work_mem for a few hundred: nothing is
# written to disk.
$node->safe_psql('postgres',
	'CREATE TABLE rows AS SELECT i / 2.0::float8 AS x FROM generate_series(1, 1000000) i');
my $spilled = 'SELECT temp_bytes FROM pg_stat_database WHERE datname = current_database()';
my $before = $node->safe_psql('postgres', $spilled);
is( $node->safe_psql('postgres', q{
		SET work_mem = '64kB';
		SELECT max(t) FROM (SELECT gpu_cumsum(x) OVER () AS t FROM rows) q}),
	'250000250000', 'a window over a million rows');
is($node->safe_psql('postgres', $spilled) - $before, 0, '... keeps its rows in memory');

# A hundred million elements: 800 MB in, 800 MB out.
my $n_rows = $ENV{GPUAGG_TEST_LONG} ? 100_000_000 : 10_000_000;
my $available = 0;
if (open my $in, '<', '/proc/meminfo')
{
	while (<$in>) { $available = $1 if /^MemAvailable:\s+(\d+) kB/ }
}
SKIP:
{
	skip 'less than 5 GB of memory', 3 if $available < 5 * 1024 * 1024;
	is( $node->safe_psql('postgres', q{
			SELECT t[100000000], cardinality(t), gpu_array_sum(t)
			FROM (SELECT gpu_array_cumsum(array_fill(0.5::float8, ARRAY[100000000])) AS t) q}),
		'50000000|100000000|2.500000025e+15', 'an array of a hundred million elements');
	is( $node->safe_psql('postgres', qq{
			SELECT max(t), count(*)
			FROM (SELECT gpu_cumsum(array_fill(0.5::float8, ARRAY[$n_rows])) AS t) q}),
		$n_rows / 2 . "|$n_rows", '... as rows');
	my ($status, $out, $err) = $node->psql('postgres',
		'SELECT gpu_array_cumsum(array_fill(1, ARRAY[150000000]))');
	like($err, qr/array size exceeds the maximum allowed/,
		'a result that no array can hold is an error');
}

$node->stop;
done_testing();
