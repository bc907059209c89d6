# 046_parts.pl: parts of stored arrays, by the device and by the CPU.
#
# A part of a resident array is summed by the device, without the array being
# read.  An array is loaded for a large part; a small one of an array that is not
# resident is read by the CPU.  Whoever computes, the bits are the same.

use strict;
use warnings;

use FindBin;
use PostgreSQL::Test::Utils;
use Test::More;

use lib $FindBin::RealBin;
use GpuaggCluster qw(is_cuda);

my $node = GpuaggCluster->create('parts',
	settings => [ 'gpuagg.min_gpu_size = 0', 'gpuagg.cache_packing = off', 'max_parallel_workers_per_gather = 0', "default_toast_compression = 'pglz'" ]);

# In `t` a is as it is, b has NULLs, c is compressed, and d has two dimensions;
# lower bounds are the row's number.
$node->answer(<<'SQL');
CREATE TABLE t (i int, a float8[], b float8[], c int8[], d float4[]);
ALTER TABLE t ALTER a SET STORAGE EXTERNAL, ALTER b SET STORAGE EXTERNAL, ALTER d SET STORAGE EXTERNAL;
SELECT setseed(0.25);
INSERT INTO t
	SELECT i, format('[%s:%s]=%s', i, i + 99999, f8)::float8[], format('[%s:%s]=%s', i, i + 99999, nulls)::float8[],
		format('[%s:%s]=%s', i, i + 99999, i8)::int8[], format('[%s:%s][2:3]=%s', i, i + 49999, f4)::float4[]
	FROM (SELECT i, array_agg(random() * power(10, floor(random() * 30))) AS f8,
			array_agg(CASE WHEN random() < 0.4 THEN NULL ELSE random() - 0.5 END) AS nulls,
			array_agg((i * k * 7919::int8) % 1000003) AS i8,
			(SELECT array_agg(ARRAY[(random() * 9)::float4, j % 7]) FROM generate_series(1, 50000) j) AS f4
		  FROM generate_series(1, 8) i, generate_series(1, 100000) k GROUP BY i) q;
CREATE TABLE s AS SELECT i, c FROM t;
SQL
is($node->answer('SELECT count(*) FROM t WHERE pg_column_compression(c) IS NOT NULL AND pg_column_compression(a) IS NULL'), 8,
	'arrays are stored as they should be');

# Runs queries with an engine in a session of its own; returns their answers, and
# how many arrays who computed, and why.
sub by
{
	my ($engine, @queries) = @_;
	my @lines = split /\n/, $node->answer(join ";\n", "SET gpuagg.engine = $engine", 'SET extra_float_digits = 3', @queries,
		"SELECT 'by ' || coalesce(string_agg(format('%s %s%s', engine, arrays, ' (' || reason || ')'), ', ' ORDER BY engine, reason), 'none')
		 FROM gpuagg_session_stat WHERE arrays > 0");
	my $by = pop @lines;

	return (join("\n", @lines), $by);
}

# The answers by an engine are those of the CPU, and these computed.
sub agrees
{
	my ($engine, $by, $what, @queries) = @_;
	my ($answer, $who) = by($engine, @queries);
	my ($cpu) = by('cpu', @queries);

	is($answer, $cpu, "$what: the answer");
	is($who, "by $by", "$what: who computed");
}

sub resident
{
	return $node->answer('SELECT coalesce(sum(entries), 0) FROM gpuagg_cache');
}

# The blocks that a query reads.
sub blocks
{
	my $plan = $node->answer("SET gpuagg.engine = auto; EXPLAIN (ANALYZE, BUFFERS, COSTS OFF, TIMING OFF) $_[0]");

	return ($1 // 0) + ($2 // 0) if $plan =~ /Buffers: shared(?: hit=(\d+))?(?: read=(\d+))?/;
	return -1;
}

my $small = 'SELECT gpu_sum(a, 500, 1499) FROM t';
my $large = 'SELECT gpu_sum(a, 10, 60000) FROM t';
agrees('auto', 'cpu 8 (a small part of an array)', 'a small part, not resident', $small);
is(resident(), 0, '... nothing was loaded for it');
agrees('auto', 'gpu 8', 'a large part', $large);
is(resident(), 8, '... all arrays were loaded');
agrees('auto', 'gpu 8', 'a small part, resident', $small);
agrees('auto', 'gpu 8', 'an empty part', 'SELECT gpu_sum(a, 200000, 300000) FROM t');
agrees('auto', 'gpu 8', 'groups', 'SELECT i, gpu_sum(a, 7, 50000), gpu_count(a, 7, 50000) FROM t GROUP BY i ORDER BY i');
agrees('auto', 'gpu 8', 'other bounds in each row', 'SELECT gpu_sum(a, i * 999, i * 5000) FROM t');
agrees('auto', 'gpu 8', 'a part alone', 'SELECT i, gpu_array_sum(a[20000:40000]) FROM t ORDER BY i');
agrees('auto', 'cpu 8 (less than 64 kB, and not in an aggregate)', 'a small part alone',
	'SELECT i, gpu_array_sum(a[20000:20999]) FROM t ORDER BY i');
agrees('auto', 'gpu 8', 'totals', 'SELECT i, gpu_array_cumsum(a[20000:60000]) FROM t ORDER BY i');
agrees('auto', 'cpu 8 (a small part of an array)', 'totals of a small part',
	'SELECT i, gpu_array_cumsum(a[20000:40000]) FROM t ORDER BY i');
cmp_ok(blocks($small), '<', 8 * 12, 'a part of resident arrays reads heads only');
cmp_ok(blocks($large), '<', 8 * 12, '... also a large one');

# Every kind, in all engines; also while few or all are resident.
for my $pass ('first', 'again')
{
	for my $c (qw(b c d))
	{
		agrees('gpu', 'gpu 24', "$c, $pass", map { "SELECT gpu_sum($c, $_), gpu_count($c, $_) FROM t" }
			  '3, 3', '-5, 1000', '49000, 2147483647');
	}
}
agrees('auto', 'gpu 16', 'two arrays of different kinds', 'SELECT gpu_sum(b, 9, 20), gpu_sum(c, 9, 2000) FROM t');
my @random = map
{
	my ($c, $from) = ((qw(a b c d))[$_ % 4], int(rand(110000)) - 5000);

	"SELECT gpu_sum($c, $from, $from + @{[int(rand(10 ** rand(5.2)))]}) FROM t WHERE i % @{[1 + $_ % 3]} = 0";
} 1 .. 60;
is((by('auto', @random))[0], (by('cpu', @random))[0], 'random parts by auto');
is((by('gpu', @random))[0], (by('cpu', @random))[0], 'random parts by the device');

# A part whose array is loaded by helpers, and one that they read.
$node->answer('SELECT gpuagg_cache_clear()');
agrees('auto', 'gpu 8', 'helpers', 'SET max_parallel_workers_per_gather = 4', $large);
$node->answer('SELECT gpuagg_cache_clear()');
agrees('auto', 'cpu 8 (a small part of an array)', 'helpers of small parts', 'SET max_parallel_workers_per_gather = 4', $small);

# An array that was deleted has no part.
$node->answer('UPDATE t SET a = a[i:i + 99998] || 1::float8');
agrees('gpu', 'gpu 8', 'after an update', 'SELECT gpu_sum(a, 1, 100000) FROM t');

# The device fails: the CPU reads the parts.
SKIP:
{
	skip 'faults are the emulated device\'s', 3 if is_cuda;
	$node->with_faults('fail_launch=1');
	my ($answer, $who) = by('auto', 'SET client_min_messages = error', 'SELECT gpu_sum(a, 10, 60000) FROM t');

	is($answer, (by('cpu', 'SELECT gpu_sum(a, 10, 60000) FROM t'))[0], 'the device fails: the answer');
	like($who, qr/cpu 8 \(the device failed\)/, '... who computed');
	$node->with_faults('');
	agrees('auto', 'gpu 8', 'after that', $large);
}

$node->stop;
done_testing();
