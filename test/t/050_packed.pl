# 050_packed.pl: packed arrays, and the same ones with gpuagg.cache_packing = off.
#
# A reload changes the setting, and restarts gpuaggd.  Whichever way arrays are
# kept, all results have the same bits, and the CPU's.

use strict;
use warnings;

use FindBin;
use PostgreSQL::Test::Utils;
use Test::More;

use lib $FindBin::RealBin;
use GpuaggCluster;

my $node = GpuaggCluster->create('packed', settings => [ 'gpuagg.min_gpu_size = 0', 'max_parallel_workers_per_gather = 2' ]);

$node->answer(<<'SQL');
CREATE TABLE t (i int, g int, f8 float8[], f4 float4[], i8 int8[], i4 int4[], i2 int2[]);
ALTER TABLE t ALTER f8 SET STORAGE EXTERNAL, ALTER f4 SET STORAGE EXTERNAL, ALTER i8 SET STORAGE EXTERNAL, ALTER i4 SET STORAGE EXTERNAL,
	ALTER i2 SET STORAGE EXTERNAL;
INSERT INTO t
	SELECT i, i % 2, array_agg(CASE WHEN k % 5000 = 7 THEN sin(k) * i ELSE (k * 7919 % 20011 - 9000) / 100.0::float8 END ORDER BY k),
		array_agg((k * 31 % 997 / 10.0::float8)::float4 ORDER BY k), array_agg(i * 1000000000000 - k * 17 ORDER BY k),
		array_agg(k * k % 99991 ORDER BY k), array_agg((k % 50)::int2 ORDER BY k)
	FROM generate_series(1, 4) i, generate_series(1::bigint, 150000) k GROUP BY i;
SQL

my @columns = qw(f8 f4 i8 i4 i2);
my @functions = (
	'gpu_sum(%)', 'gpu_avg(%)', 'gpu_min(%)', 'gpu_max(%)', 'gpu_var_samp(%)', 'gpu_dot(%, %)', 'gpu_norm(%)', 'gpu_sum(%, 1000, 140000)',
	'gpu_elem_sum(%)', 'gpu_elem_avg(%)', 'gpu_elem_max(%)');
my @of_array = (
	'gpu_array_sum(%)', 'gpu_array_cumsum(%)', 'gpu_array_moving_sum(%, 30)', 'gpu_array_moving_max(%, 200)', 'gpu_array_cummin(%)',
	'gpu_array_delta(%)', 'gpu_array_bucket_avg(%, 600)', 'gpu_array_dot(%, %)', 'gpu_array_min(%, 77, 149000)');
my @queries = map {
	my $column = $_;
	map { s/%/$column/gr } map({ "SELECT md5(string_agg(r, ',' ORDER BY g)) FROM (SELECT g, $_\::text AS r FROM t GROUP BY g) q" } @functions),
	  map({ "SELECT md5(string_agg($_\::text, ',' ORDER BY i)) FROM t" } @of_array)
} @columns;

# Returns the answers of all queries: arrays are loaded, and then found.
sub answers
{
	my ($engine) = @_;

	return $node->answer(join ";\n", "SET gpuagg.engine = $engine", 'SET extra_float_digits = 3', @queries);
}

# Returns what the resident arrays take, and what their elements would.
sub bytes
{
	return split /\|/, $node->answer('SELECT cache_used, cache_plain FROM gpuagg_stat');
}

my $must = answers('cpu');
is(answers('auto'), $must, 'packed arrays have the results of the CPU');
my ($packed, $plain) = bytes();
cmp_ok($packed, '<', $plain * 0.7, "they take less memory: $packed of $plain bytes");
my $allocated = $node->answer('SELECT cache_allocated FROM gpuagg_stat');
cmp_ok($allocated, '>=', $packed, 'pages take as much, or more');
is($allocated % 262144, 0, 'all of them');
is($node->answer('SELECT sum(packed_bytes), sum(bytes) FROM gpuagg_cache'), "$packed|$plain", 'which both views show');

my $pid = $node->daemon_pid;
$node->reload_with('gpuagg.cache_packing = off');
$node->await_daemon($pid);
is(answers('auto'), $must, 'plain arrays have the same results');
is(join(' ', bytes()), "$plain $plain", 'and take the memory of their elements');
cmp_ok($node->answer('SELECT cache_allocated FROM gpuagg_stat'), '>', $allocated, 'in more pages');

$pid = $node->daemon_pid;
$node->reload_with('gpuagg.cache_packing = on');
$node->await_daemon($pid);
is(answers('gpu'), $must, 'packed again');
is(join(' ', bytes()), "$packed $plain", 'they take as much as before');

is($node->answer('SELECT gpuagg_cache_clear() > 0'), 't', 'they are removed');
is($node->answer('SELECT cache_used, cache_plain FROM gpuagg_stat'), '0|0', 'and nothing of them is left');

$node->stop;
done_testing();
