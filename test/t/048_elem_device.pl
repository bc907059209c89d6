# 048_elem_device.pl: sums and extremes by position of stored arrays, by the device.
#
# Whatever the device computes or refuses, and whoever takes part, results have the
# bits of the CPU, shapes are compared, and a session goes on after errors.

use strict;
use warnings;

use FindBin;
use Test::More;

use lib $FindBin::RealBin;
use GpuaggCluster;

my $node = GpuaggCluster->create('elem_device',
	settings => [ 'gpuagg.min_gpu_size = 0', 'gpuagg.engine = gpu', 'max_parallel_workers_per_gather = 0',
		"shared_buffers = '256MB'", 'dynamic_shared_memory_type = mmap', "default_toast_compression = 'pglz'" ]);

# `t` has arrays whose records need two requests, `wide` such whose values do.  In
# `special` some positions are not the device's; `nulls` has NULLs in each third
# row; in `many` small arrays are stored out of line; those of `packed` are
# compressed, and enough for helpers.  Those of `alike` have as many bytes each, and
# different shapes: no one looks at the heads of arrays of a size.
my $n = 70000;
$node->answer(<<SQL);
SELECT setseed(0.75);
CREATE TABLE t (i int, g int, f8 float8[], f4 float4[], i8 int8[], i4 int4[], i2 int2[]);
ALTER TABLE t ALTER f8 SET STORAGE EXTERNAL, ALTER f4 SET STORAGE EXTERNAL, ALTER i8 SET STORAGE EXTERNAL, ALTER i4 SET STORAGE EXTERNAL, ALTER i2 SET STORAGE EXTERNAL;
INSERT INTO t SELECT i, i % 3, a, a::float4[], a::int8[], a::int4[], a::int2[]
	FROM (SELECT i, array_agg((random() - 0.5) * 60000) AS a FROM generate_series(1, 10) i, generate_series(1, $n) GROUP BY i) q;
UPDATE t SET i8 = ARRAY(SELECT x << 40 FROM unnest(i8) x);
CREATE TABLE wide (i int, a float4[]);
ALTER TABLE wide ALTER a SET STORAGE EXTERNAL;
INSERT INTO wide SELECT i, f4 || f4 || f4 || f4 || f4 FROM t WHERE i <= 3;
CREATE TABLE special (i int, a float8[]);
ALTER TABLE special ALTER a SET STORAGE EXTERNAL;
INSERT INTO special SELECT i, f8[1:99] || CASE i % 4 WHEN 0 THEN '{NaN,Infinity,1e300,-0,0}' WHEN 1 THEN '{1,-Infinity,1e-300,-0,-0}'
	ELSE '{3,1,-1e300,-0,-0}' END::float8[] || f8[105:$n] FROM t;
CREATE TABLE nulls (i int, a float8[]);
ALTER TABLE nulls ALTER a SET STORAGE EXTERNAL;
INSERT INTO nulls SELECT i, CASE WHEN i % 3 = 0 THEN f8[1:20000] || NULL::float8 || f8[1:100 * i] || f8[20002 + 100 * i:$n] ELSE f8 END FROM t;
CREATE TABLE many (i int, a float8[]);
ALTER TABLE many ALTER a SET STORAGE EXTERNAL;
INSERT INTO many SELECT k, f8[1 + k % 60000:300 + k % 60000] FROM generate_series(1, 9000) k, t WHERE i = 1;
CREATE TABLE packed (i int, a float8[]);
INSERT INTO packed SELECT i, array_fill(i / 8.0::float8, ARRAY[300000]) FROM generate_series(1, 30) i;
CREATE TABLE shapes (i int, a int4[]);
ALTER TABLE shapes ALTER a SET STORAGE EXTERNAL;
INSERT INTO shapes SELECT 1, i4 FROM t WHERE i = 1;
INSERT INTO shapes SELECT 2, i4[2:$n] FROM t WHERE i = 2;
INSERT INTO shapes SELECT 3, format('[0:%s]=%s', $n - 1, i4)::int4[] FROM t WHERE i = 3;
INSERT INTO shapes SELECT 4, ARRAY[i4[1:$n / 2], i4[$n / 2 + 1:$n]] FROM t WHERE i = 4;
CREATE TABLE alike (i int, a float8[]);
ALTER TABLE alike ALTER a SET STORAGE EXTERNAL;
INSERT INTO alike SELECT i, CASE i
	WHEN 3 THEN array_fill(NULL::float8, ARRAY[400]) || f8[1:63000] || array_fill(NULL::float8, ARRAY[600])
	WHEN 4 THEN ARRAY[f8[1:21333], f8[21334:42666], f8[42667:63999]]
	WHEN 5 THEN format('[0:63999]=%s', f8[1:64000])::float8[] ELSE f8[1:64000] END FROM t WHERE i < 8;
CREATE TABLE parallel (LIKE t INCLUDING STORAGE);
ALTER TABLE parallel ADD filler text, ALTER filler SET STORAGE PLAIN, SET (parallel_workers = 2);
INSERT INTO parallel SELECT t.*, repeat('x', 3000) FROM t;
CREATE FUNCTION caught(query text) RETURNS text LANGUAGE plpgsql AS \$\$
DECLARE result text;
BEGIN
	EXECUTE query INTO result;
	RETURN result;
EXCEPTION WHEN OTHERS OR query_canceled THEN RETURN SQLSTATE;
END \$\$;
VACUUM ANALYZE;
SQL

# Who computed for a session, and why: arrays and elements.
my $by = q{SELECT string_agg(concat_ws(' ', coalesce(reason, engine), arrays, elements), ', ' ORDER BY reason NULLS FIRST) FROM gpuagg_session_stat WHERE elements > 0};

my %by_cpu;

sub by_cpu
{
	my ($query) = @_;

	return $by_cpu{$query} //= $node->answer("SET gpuagg.engine = cpu; $query");
}

# A query has the same result by the CPU and by the device, and was computed by
# these.  Returns the session, which the caller may go on with.
sub agrees
{
	my ($what, $query, $who, $settings) = @_;
	my $session = $node->session('SET client_min_messages = error;' . ($settings // ''));

	is($session->ask($query), by_cpu($query), $what);
	is($session->{err}, '', "$what: no error");
	my $found = $session->ask($by);
	ref $who ? like($found, $who, "$what: who computed") : is($found, $who, "$what: who computed");
	return $session;
}

sub clear
{
	$node->answer('SELECT gpuagg_cache_clear()');
}

sub md5_of
{
	my ($from, @results) = @_;

	return 'SELECT ' . join(', ', map { "md5($_\::text)" } @results) . " FROM $from";
}

# --- all kinds of results: cold, and of resident arrays

my $elements = 10 * $n;
my $wide = 15 * $n;
my %queries = (
	'a rounded sum' => [ md5_of('t', 'gpu_elem_sum(f8)'), "gpu 10 $elements" ],
	'a rounded mean' => [ md5_of('t', 'gpu_elem_avg(f4)'), "gpu 10 $elements" ],
	'a numeric sum' => [ md5_of('t', 'gpu_elem_sum(i8)'), "gpu 10 $elements" ],
	'a count' => [ md5_of('t', 'gpu_elem_count(i2)'), "gpu 10 $elements" ],
	'sum, mean and count' => [ md5_of('t', 'gpu_elem_sum(f8)', 'gpu_elem_avg(f8)', 'gpu_elem_count(f8)'), qr/^gpu \d+ \d+$/ ],
	'a least element' => [ md5_of('t', 'gpu_elem_min(f8)'), "gpu 10 $elements" ],
	'greatest elements of all types' => [ md5_of('t', map { "gpu_elem_max($_)" } qw(f8 f4 i8 i4 i2)), "gpu 50 @{[5 * $elements]}" ],
	'least elements of all types, in groups' => [ md5_of('(SELECT g, ' . join(', ', map { "gpu_elem_min($_) $_" } qw(f8 f4 i8 i4 i2)) . ' FROM t GROUP BY g) q', 'array_agg((g, f8, f4, i8, i4, i2) ORDER BY g)'), "gpu 50 @{[5 * $elements]}" ],
	'all types' => [ md5_of('t', map { ("gpu_elem_sum($_)", "gpu_elem_avg($_)") } qw(f8 f4 i8 i4 i2)), qr/^gpu \d+ \d+$/ ],
	'values in several segments' => [ md5_of('wide', 'gpu_elem_sum(a)', 'gpu_elem_avg(a)', 'gpu_elem_max(a)'), "gpu 9 @{[3 * $wide]}" ],
	'groups' => [ md5_of('(SELECT g, gpu_elem_sum(f8) s, gpu_elem_avg(i4) a FROM t GROUP BY g) q', 'array_agg((g, s, a) ORDER BY g)'), "gpu 20 @{[2 * $elements]}" ],
	'a filter, and an order' => [ md5_of('t', 'gpu_elem_sum(f8 ORDER BY i DESC) FILTER (WHERE i % 2 = 0)'), "gpu 5 @{[5 * $n]}" ],
	'DISTINCT' => [ md5_of('(SELECT * FROM t UNION ALL SELECT * FROM t WHERE i < 3) q', 'gpu_elem_sum(DISTINCT i4)'), qr/^gpu 10 $elements$/ ],
	'one array twice' => [ md5_of('t, generate_series(1, 2)', 'gpu_elem_sum(f4)'), "gpu 20 @{[2 * $elements]}" ],
	'one array' => [ md5_of('t WHERE i = 3', 'gpu_elem_sum(f4)'), "gpu 1 $n" ],
	'parts of arrays' => [ md5_of('t', 'gpu_elem_sum(f8[1:40000])'), qr/not stored out of line|not computed by the device/ ]);
foreach my $what (sort keys %queries)
{
	my ($query, $who) = @{ $queries{$what} };

	clear();
	agrees("$what, cold", $query, $who)->close;
	agrees("$what, resident", $query, $who)->close;
}

# A statement that finds all arrays counts each of them once, and so does gpuaggd.
clear();
$node->answer('SELECT gpuagg_stat_reset()');
my $lookups = q{SELECT hits, misses FROM gpuagg_session_stat WHERE engine = 'gpu'};
is($node->answer("$queries{'a rounded sum'}[0] \\g /dev/null\n $lookups"), '0|10', 'arrays that are missing are counted so');
is($node->answer("$queries{'a rounded sum'}[0] \\g /dev/null\n $lookups"), '10|0', 'and resident ones');
is($node->answer("$queries{'a numeric sum'}[0] \\g /dev/null\n $lookups"), '0|10', 'for records, too');
is($node->answer("$queries{'a numeric sum'}[0] \\g /dev/null\n $lookups"), '10|0', 'once, though they are asked for twice');
is($node->answer('SELECT hits, misses FROM gpuagg_stat'), '20|20', 'as gpuaggd counts');

# Only the results that are wanted are asked for, four requests for those of all
# positions.
foreach my $case ([ 'sum', 4 ], [ 'count', 1 ])
{
	my ($function, $n_requests) = @$case;
	my $query = "SELECT cardinality(gpu_elem_$function(a)) FROM wide";

	is($node->answer("$query; SELECT gpuagg_stat_reset() \\g /dev/null\n $query; SELECT requests FROM gpuagg_stat"),
		join("\n", $wide / 3, $wide / 3, $n_requests), "requests of a $function of resident arrays");
}

# --- positions, arrays and queries that are the CPU's

clear();
my $refused = 'the device cannot compute it exactly';
foreach my $when ('cold', 'resident')
{
	# of the five the last one, of zeros, is the device's
	agrees("NaN, infinities and exponents far apart, $when", md5_of('special', 'gpu_elem_sum(a)', 'gpu_elem_avg(a)', 'gpu_elem_count(a)'),
		"gpu 10 @{[10 * ($n - 3)]}, $refused 0 30")->close;
	agrees("counts of them, $when", md5_of('special', 'gpu_elem_count(a)'), "gpu 10 @{[10 * $n]}")->close;
	agrees("extremes of them, $when", md5_of('special', 'gpu_elem_min(a)', 'gpu_elem_max(a)'), "gpu 20 @{[20 * $n]}")->close;
	agrees("extremes of NULLs, $when", md5_of('nulls', 'gpu_elem_max(a ORDER BY i)', 'gpu_elem_min(a ORDER BY i DESC)'),
		"gpu 14 @{[14 * $n]}, NULL elements 6 @{[6 * $n - 6]}")->close;
	agrees("NULLs, $when", md5_of('nulls', 'gpu_elem_sum(a)', 'gpu_elem_avg(a)', 'gpu_elem_count(a)'),
		qr/^gpu 7 @{[7 * $n]}, NULL elements 3 @{[3 * $n - 3]}$/)->close;
}
agrees('sums out of range', 'SELECT caught($$' . md5_of('(SELECT f8 || 1e308::float8 AS a FROM t) q', 'gpu_elem_sum(a)') . '$$)', qr/^not/)->close;
$node->answer(q{CREATE TABLE large AS SELECT i, f8 || 1e308::float8 AS a FROM t; ALTER TABLE large ALTER a SET STORAGE EXTERNAL; UPDATE large SET a = a || 0::float8});
is($node->answer('SELECT caught($$SELECT gpu_elem_sum(a) FROM large$$)'), '22003', 'a sum that is out of range');
agrees('the mean of it', md5_of('large', 'gpu_elem_avg(a)'), qr/^gpu 10 \d+/)->close;

my $session = agrees('a moving frame', md5_of('(SELECT i, gpu_elem_sum(f8) OVER (ORDER BY i ROWS 2 PRECEDING) s FROM t) q', 'array_agg(s ORDER BY i)'),
	qr/^not computed by the device \d+ \d+$/);
$session->close;
agrees('a partition', md5_of('(SELECT i, gpu_elem_avg(i4) OVER (PARTITION BY g) s FROM t) q', 'array_agg(s ORDER BY i)'), qr/^not computed by the device \d+ \d+$/)->close;
agrees('least elements of a partition', md5_of('(SELECT i, gpu_elem_min(i4) OVER (PARTITION BY g) s FROM t) q', 'array_agg(s ORDER BY i)'), qr/^not computed by the device \d+ \d+$/)->close;

# auto notes large arrays, and asks for those of half a megabyte together
agrees('auto', $queries{'a rounded sum'}[0], "gpu 10 $elements", 'SET gpuagg.engine = auto')->close;
agrees('auto: extremes', $queries{'a least element'}[0], "gpu 10 $elements", 'SET gpuagg.engine = auto')->close;
agrees('auto: extremes of small arrays', md5_of('many WHERE i < 300', 'gpu_elem_max(a)'), qr/^too little to add by position 299 \d+$/, 'SET gpuagg.engine = auto')->close;
agrees('auto: small arrays', md5_of('many WHERE i < 300', 'gpu_elem_sum(a)'), qr/^too little to add by position 299 \d+$/, 'SET gpuagg.engine = auto')->close;
agrees('auto: one array', md5_of('t WHERE i = 3', 'gpu_elem_sum(i2)'), "too little to add by position 1 $n", 'SET gpuagg.engine = auto')->close;

# More arrays than a request names: the first ones are added before the others.
clear();
agrees('9,000 arrays', md5_of('many', 'gpu_elem_sum(a)', 'gpu_elem_avg(a)'), 'gpu 9000 2700000')->close;
agrees('9,000 resident arrays', md5_of('many', 'gpu_elem_sum(a)'), 'gpu 9000 2700000')->close;
agrees('the least of 9,000', md5_of('many', 'gpu_elem_min(a)'), 'gpu 9000 2700000')->close;
agrees('in a group of three', md5_of('(SELECT i % 3 g, gpu_elem_sum(a) s FROM many WHERE i < 9000 OR i % 2 = 0 GROUP BY 1) q', 'array_agg(s ORDER BY g)'), 'gpu 9000 2700000')->close;

# --- shapes

foreach my $pair ('1,2', '1,3', '1,4', '3,1')
{
	$session = $node->session;
	$session->ask("SELECT gpu_elem_sum(a ORDER BY array_position(ARRAY[$pair], i)) FROM shapes WHERE i IN ($pair)");
	like($session->{err}, qr/ERROR:  2202E: /, "arrays $pair have different shapes");
	is($session->ask($queries{'a rounded sum'}[0]), by_cpu($queries{'a rounded sum'}[0]), '... and the session goes on');
	$session->close;
}
is($node->answer('SELECT count(*), count(DISTINCT pg_column_size(a)) FROM alike'), '7|1', 'arrays have the same size');
foreach my $when ('cold', 'loaded by a sum', 'resident')
{
	my $from = 'alike WHERE i IN (1, 2, 6, 7, %s)';

	clear() if $when eq 'cold';
	agrees("arrays with NULLs that have the size of others, $when", md5_of(sprintf($from, 3), 'gpu_elem_sum(a ORDER BY i)'), 'gpu 4 256000, NULL elements 1 63000')->close;
	agrees("the greatest of all, $when", md5_of(sprintf($from, 3), 'gpu_elem_max(a ORDER BY i)'), 'gpu 4 256000, NULL elements 1 63000')->close;
	agrees("the counts of all, $when", md5_of(sprintf($from, 3), 'gpu_elem_count(a ORDER BY i)'), 'gpu 4 256000, NULL elements 1 63000')->close;
	foreach my $other (4, 5)
	{
		foreach my $function ('sum', 'avg', 'count', 'min')
		{
			$session = $node->session;
			$session->ask('SELECT gpu_elem_' . $function . '(a ORDER BY i) FROM ' . sprintf($from, $other));
			like($session->{err}, qr/ERROR:  2202E: /, "gpu_elem_$function with an array of " . ($other == 4 ? "two dimensions" : "another bound") . ", $when");
			$session->close;
		}
	}
	clear() if $when eq 'cold';
	$node->answer('SELECT gpu_sum(a) FROM alike') if $when eq 'cold';
}
agrees('other bounds, and two dimensions', md5_of('(SELECT i, gpu_elem_sum(a) s FROM shapes GROUP BY i) q', 'array_agg(s::text ORDER BY i)'), "gpu 4 @{[4 * $n - 1]}")->close;
$session = $node->session;
is($session->ask("SELECT md5(gpu_elem_sum(f8)::text), max(caught('SELECT gpu_elem_sum(a)::text FROM shapes')) FROM t"),
	by_cpu(md5_of('t', 'gpu_elem_sum(f8)')) . '|2202E', 'an error of a query within another one');
$session->close;

# --- several processes

my $costs = 'SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; SET max_parallel_workers_per_gather = 2';
my $parallel = md5_of('parallel', 'gpu_elem_sum(f8)', 'gpu_elem_avg(i4)', 'gpu_elem_sum(i8)', 'gpu_elem_count(f4)', 'gpu_elem_max(i2)');
like($node->answer("$costs; EXPLAIN $parallel"), qr/Finalize Aggregate.*Gather.*Partial Aggregate/s, 'a parallel plan');
clear();
agrees("a parallel plan, $_", $parallel, "gpu 50 @{[5 * $elements]}", $costs)->close foreach 'cold', 'resident';
agrees('by workers alone', $parallel, "gpu 50 @{[5 * $elements]}", "$costs; SET parallel_leader_participation = off")->close;

clear();
my $helped = md5_of('packed', 'gpu_elem_sum(a)');
$session = $node->session('SET client_min_messages = debug1; SET max_parallel_workers_per_gather = 2');
is($session->ask($helped), by_cpu($helped), 'helpers load');
like($session->{err}, qr/gpuagg: 2 of 2 helpers started/, '... as they should');
is($session->ask($by), 'gpu 30 9000000', '... for the device');
is($session->ask($lookups), '0|30', '... and each array is counted once');
is($session->ask($helped), by_cpu($helped), 'resident arrays');
unlike($session->{err}, qr/helpers started/, '... need none');
$session->close;

# Sessions that load the same arrays at once, and others that change them.
clear();
my @sessions = map { $node->session } 1 .. 4;
$_->begin($queries{'all types'}[0]) foreach @sessions;
is($_->end(60), by_cpu($queries{'all types'}[0]), 'sessions at once') foreach @sessions;
$_->close foreach @sessions;
is($node->answer("BEGIN; UPDATE t SET f8 = f8[1:$n - 1] || 5::float8 WHERE i = 2; $queries{'a rounded sum'}[0]; ROLLBACK; $queries{'a rounded sum'}[0]"),
	by_cpu("BEGIN; UPDATE t SET f8 = f8[1:$n - 1] || 5::float8 WHERE i = 2; $queries{'a rounded sum'}[0]; ROLLBACK; $queries{'a rounded sum'}[0]"),
	'rows of the own transaction');
$session = $node->session;
$session->ask("BEGIN; CREATE TABLE own (LIKE t INCLUDING STORAGE); INSERT INTO own TABLE t");
$session->ask(md5_of('own', 'gpu_elem_sum(f8)'));
is($session->ask(md5_of('own', 'gpu_elem_sum(f8)', 'gpu_elem_sum(i8)')), by_cpu(md5_of('t', 'gpu_elem_sum(f8)', 'gpu_elem_sum(i8)')), '... all of which are new');
is($session->ask($by), "gpu 30 @{[3 * $elements]}", '... are the device\'s, too');
is($session->ask($lookups), '10|20', '... and found again');
$session->close;

SKIP:
{
	skip 'EXPLAIN has options of modules from PostgreSQL 18 on', 1 if $node->answer('SHOW server_version_num') < 180000;
	like($node->answer("EXPLAIN (ANALYZE, GPUAGG, COSTS OFF, TIMING OFF) $queries{'a rounded sum'}[0]"),
		qr/GPU: arrays=10 elements=$elements bytes=@{[8 * $elements]} hits=\d+ misses=\d+/, 'EXPLAIN has the counters');
}

$node->stop;
done_testing();
