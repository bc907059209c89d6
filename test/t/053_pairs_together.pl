# 053_pairs_together.pl: pairs of stored arrays that an aggregate notes, and the
# device adds up together: what is missing, in doubt, or no pair; helpers;
# parallel plans.
#
# Whatever happens, a query has the bits of the CPU.  Faults of the device are in
# 047_pairs_buckets.pl.

use strict;
use warnings;

use FindBin;
use Test::More;

use lib $FindBin::RealBin;
use GpuaggCluster qw(is_cuda);

my $n = 300;
my $node = GpuaggCluster->create('pairs_together',
	settings => [ 'gpuagg.min_gpu_size = 0', 'gpuagg.engine = gpu', 'gpuagg.cache_packing = off', "gpuagg.cache_size = '512MB'", 'jit = off',
		'max_worker_processes = 16', 'max_parallel_workers_per_gather = 0', 'autovacuum = off', "default_toast_compression = 'pglz'" ]);

$node->answer(<<SQL);
CREATE TABLE t (i int, x float8[], y float8[], v int8[], w int8[]);
ALTER TABLE t ALTER x SET STORAGE EXTERNAL, ALTER y SET STORAGE EXTERNAL, ALTER v SET STORAGE EXTERNAL, ALTER w SET STORAGE EXTERNAL;
SELECT setseed(0.5);
INSERT INTO t SELECT i, array_agg(random() - 0.5), array_agg(random() * 100), array_agg((random() * 1e12)::int8), array_agg((random() * 1e6)::int8)
	FROM generate_series(1, $n) i, LATERAL (SELECT generate_series(1, 1000 + i * 7)) k GROUP BY i;
-- arrays of two dimensions, subscripts that do not begin with 1, NULLs, nothing else, none
CREATE TABLE odd (LIKE t INCLUDING STORAGE);
INSERT INTO odd SELECT * FROM t WHERE i <= 20;
UPDATE odd SET x = ARRAY[x, x], y = ARRAY[y, y], v = ARRAY[w, v], w = ARRAY[v, v] WHERE i = 2;
UPDATE odd SET x = format('[0:%s]=%s', cardinality(x) - 1, x)::float8[] WHERE i = 5;
UPDATE odd SET x[7] = NULL, y[3] = NULL, v[5] = NULL, w[9] = NULL WHERE i = 8; -- as many in both
UPDATE odd SET x = array_fill(NULL::float8, ARRAY[20000]), y = array_fill(1::float8, ARRAY[20000]) WHERE i = 9;
UPDATE odd SET x = NULL WHERE i = 11;
UPDATE odd SET x = '{}', y = '{}', v = '{}', w = '{}' WHERE i = 12;
UPDATE odd SET x = '{1.5}', y = '{2.5}', v = '{3}', w = '{4}' WHERE i = 13;
-- one pair of different lengths, and one of as many elements in two dimensions
CREATE TABLE unlike (LIKE t INCLUDING STORAGE);
INSERT INTO unlike SELECT * FROM t WHERE i <= 20;
UPDATE unlike SET y = y || 1::float8, v = v[1:1000], w = ARRAY[w[1:500], w[501:1000]] WHERE i = 7;
-- a page has few rows
CREATE TABLE parallel (LIKE t INCLUDING STORAGE, filler text);
ALTER TABLE parallel ALTER filler SET STORAGE PLAIN, SET (parallel_workers = 2);
INSERT INTO parallel SELECT *, repeat('x', 3000) FROM t;
-- compressed, which makes them large enough for helpers
CREATE TABLE large (i int, x float8[], y float8[]);
INSERT INTO large SELECT i, array_fill((i / 7.0)::float8, size), array_fill((1 / i::float8), size)
	FROM generate_series(1, 24) i, LATERAL (SELECT ARRAY[250000 + i]) s (size);
VACUUM ANALYZE;
SQL

# The reasons why the CPU computed arrays for a session, and the device's.
my $by = q{SELECT string_agg(coalesce(reason, engine) || ' ' || arrays, ', ' ORDER BY reason NULLS FIRST) FROM gpuagg_session_stat WHERE arrays > 0};
my $looked_up = q{SELECT hits || ' ' || misses FROM gpuagg_session_stat WHERE engine = 'gpu' AND reason IS NULL};
my $requests = 'SELECT requests FROM gpuagg_stat';
my $all = 'gpu_dot(x, y), gpu_weighted_avg(x, y), gpu_dot(v, w), gpu_weighted_avg(v, w)';

# Have a query in a new session; returns the session's counters as well.
sub ask
{
	my ($query, $counters, $settings) = @_;
	my $session = $node->session($settings // ());
	my $found = $session->ask($query);
	my $counted = $session->ask($counters // $by);

	$session->close;
	return ($found, $counted);
}

sub is_right
{
	my ($what, $query, $counted) = @_;
	my ($right) = ask("SET gpuagg.engine = cpu; $query");

	isnt($right, '', "$what has a result");
	is_deeply([ ask($query) ], [ $right, $counted ], "$what: by the device, with the bits of the CPU");
}

# --- together

my $streamed = $node->answer('SELECT streamed FROM gpuagg_stat');
is_right('all pairs, which are loaded', "SELECT $all FROM t", 'gpu ' . 4 * $n);
is($node->answer('SELECT streamed FROM gpuagg_stat'), $streamed, '... and not streamed');
my $before = $node->answer($requests);
is_right('all pairs, resident', "SELECT $all FROM t", 'gpu ' . 4 * $n);
cmp_ok($node->answer($requests) - $before, '<=', 12, 'in few requests');
is_right('groups', "SELECT i % 70 AS g, $all FROM t GROUP BY g ORDER BY g", 'gpu ' . 4 * $n);
is_right('a filter', 'SELECT gpu_dot(x, y) FILTER (WHERE i % 3 = 0) FROM t', 'gpu ' . 2 * $n / 3);
is_right('an array with itself, and one array with all', 'SELECT gpu_dot(x, x), gpu_dot(v, v) FROM t', 'gpu ' . 4 * $n);
is_right('sums of the same arrays', 'SELECT gpu_dot(x, y), gpu_sum(x), gpu_sum(y), gpu_max(x) FROM t', 'gpu ' . 5 * $n);
is_right('a moving frame', 'SELECT md5(string_agg(s::text, $$ $$ ORDER BY i)) FROM (SELECT i, gpu_dot(v, w) OVER (ORDER BY i ROWS 3 PRECEDING) s FROM t) q',
	'gpu ' . 2 * ($n + $n - 4));

is((ask("SELECT $all FROM t", $looked_up))[1], 4 * $n . ' 0', 'resident arrays are hits');
$node->answer('SELECT gpuagg_cache_clear()');
is((ask("SELECT $all FROM t", $looked_up))[1], '0 ' . 4 * $n, 'and others misses, once');
$node->answer('SELECT gpuagg_cache_clear(); SELECT gpu_sum(x) FROM t');
is((ask('SELECT gpu_dot(x, y) FROM t', $looked_up))[1], "$n $n", 'one of a pair is resident');
$node->answer('SELECT gpuagg_cache_clear()');
is((ask('SELECT gpu_dot(x, x) FROM t', $looked_up))[1], "0 $n", 'an array that is paired with itself is missed once');

# --- in doubt, or no lines

$node->answer('BEGIN; DELETE FROM t WHERE i % 2 = 0; ROLLBACK; BEGIN; DELETE FROM parallel; ROLLBACK');
is_right('arrays in doubt', "SELECT $all FROM t", 'gpu ' . 4 * $n);
{
	my $session = $node->session('BEGIN; CREATE TABLE own AS SELECT * FROM t WHERE i <= 4; UPDATE own SET x = ARRAY[x, x], y = ARRAY[y, y] WHERE i = 2');
	my ($right) = ask('SET gpuagg.engine = cpu; SELECT gpu_dot(x, y) FROM (SELECT x, y FROM t WHERE i <= 4 UNION ALL SELECT x, y FROM t WHERE i = 2) q');

	is($session->ask('SELECT gpu_dot(x, y) FROM own'), $right, "a transaction's own arrays, of which some are no lines") for 1 .. 2;
	is($session->ask($by), 'gpu 16', '... by the device');
	$session->close;
}
foreach my $how ('loaded', 'resident')
{
	# 8 has NULLs, and so has x of 9; 11 has no x; 12 and 13 are not stored
	$node->answer('SELECT gpu_sum(x), gpu_sum(y), gpu_sum(v), gpu_sum(w) FROM odd') if $how eq 'resident';
	is_right("odd arrays, $how", "SELECT $all FROM odd",
		'gpu ' . (2 * 15 + 2 * 17) . ', NULL elements 6, not computed by the device 8');
}
foreach my $pair ('x, y', 'v, w')
{
	my $session = $node->session;

	foreach my $how ('loaded', 'resident')
	{
		$session->ask('SELECT gpu_sum(x), gpu_sum(y), gpu_sum(v), gpu_sum(w) FROM unlike') if $how eq 'resident';
		is($session->ask("SELECT gpu_dot($pair) FROM unlike"), '', "$pair of different dimensions, $how");
		like($session->{err}, qr/ERROR:  2202E: /, '... are an error');
	}
	like($session->ask("SELECT gpu_dot($pair) IS NOT NULL FROM unlike WHERE i <> 7; $by"), qr/^t\ngpu \d+$/, '... and the session goes on');
	$session->close;
}

# --- parallel plans, helpers

foreach my $how ('loaded', 'resident')
{
	my $settings = 'SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0';
	my ($right) = ask("SET gpuagg.engine = cpu; SELECT $all FROM parallel");

	like((ask("EXPLAIN SELECT $all FROM parallel", $by, $settings))[0], qr/Partial Aggregate/, 'a parallel plan');
	is((ask("SELECT $all FROM parallel", $by, $settings))[0], $right, "... of pairs, $how");
}
foreach my $engine ('gpu', 'cpu')
{
	foreach my $workers (0, 1, 4)
	{
		my ($right) = ask('SET gpuagg.engine = cpu; SELECT gpu_dot(x, y), gpu_dot(y, y) FROM large');
		my $session = $node->session("SET gpuagg.engine = $engine; SET max_parallel_workers_per_gather = $workers; SET client_min_messages = debug1");

		$node->answer('SELECT gpuagg_cache_clear()');
		is($session->ask('SELECT gpu_dot(x, y), gpu_dot(y, y) FROM large'), $right, "$engine: pairs with $workers helpers");
		is(($session->{err} =~ /gpuagg: (\d+) of \d+ helpers started/)[0] // 0, $workers, '... which read the arrays');
		is($session->ask($by), $engine eq 'gpu' ? 'gpu 96' : 'gpuagg.engine is cpu 96', '... of which all are counted');
		$session->ask('CREATE TEMP TABLE own AS TABLE large');
		is($session->ask('SELECT gpu_dot(l.x, o.y), gpu_dot(o.y, l.y) FROM large l JOIN own o USING (i)'), $right, '... one array of each pair is temporary');
		$session->close;
	}
}

# --- others at the same arrays, and a cache that has no room for a pair

{
	my @sessions = map { $node->session } 1 .. 4;
	my ($right) = ask("SET gpuagg.engine = cpu; SELECT $all FROM t");

	for (1 .. 3)
	{
		$node->answer('SELECT gpuagg_cache_clear()');
		$_->begin("SELECT $all FROM t") foreach @sessions;
		is($_->end(60), $right, 'one of four sessions at the same arrays') foreach @sessions;
	}
	like($_->ask($by), qr/^gpu \d+$/, '... by the device') foreach @sessions;
	$_->close foreach @sessions;
}
SKIP:
{
	skip 'what follows is of emulated devices', 4 if is_cuda();

	$node->configure("gpuagg.cache_size = '1MB'");
	$node->with_faults('slow_launch=0');
	my ($right) = ask("SET gpuagg.engine = cpu; SELECT $all FROM t");
	my ($found, $counted) = ask("SELECT $all FROM t");
	is($found, $right, 'pairs in a small cache');
	like($counted, qr/not kept in the cache/, '... with a reason');
	$node->configure("gpuagg.cache_size = '512MB'");
	$node->configure("gpuagg.device = 'emulated:2'");
	$node->with_faults('slow_launch=0');
	($found, $counted) = ask("SELECT $all FROM t");
	is($found, $right, 'pairs on two devices');
	like($counted, qr/^gpu \d+, a pair on different devices \d+$/, '... with a reason');
}

$node->stop;
done_testing();
