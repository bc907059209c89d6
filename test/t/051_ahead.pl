# 051_ahead.pl: results that the device makes before a query comes to their arrays.
#
# A query over many rows asks gpuaggd a few times only, and has the bits of the CPU:
# in whatever order the rows come, from a cursor, with arrays among them that are
# changed, removed, or have no such values.

use strict;
use warnings;

use FindBin;
use Test::More;

use lib $FindBin::RealBin;
use GpuaggCluster qw(is_cuda);

my $node = GpuaggCluster->create('ahead',
	settings => [ 'gpuagg.min_gpu_size = 0', 'gpuagg.engine = gpu', 'max_parallel_workers_per_gather = 0' ]);

# 200 arrays of each type, of 1,000 elements.  Of others some have NULLs, another
# dimension or length, or a bucket that the device has no value of.
$node->answer(<<'SQL');
CREATE TABLE even (i int, f8 float8[], f4 float4[], i8 int8[], i4 int4[], i2 int2[]);
CREATE TABLE odd (i int, a float8[]);
ALTER TABLE even ALTER f8 SET STORAGE EXTERNAL, ALTER f4 SET STORAGE EXTERNAL, ALTER i8 SET STORAGE EXTERNAL, ALTER i4 SET STORAGE EXTERNAL,
	ALTER i2 SET STORAGE EXTERNAL;
ALTER TABLE odd ALTER a SET STORAGE EXTERNAL;
SELECT setseed(0.5);
INSERT INTO even SELECT i, array_agg(x), array_agg(x::float4), array_agg((x * 1e12)::int8), array_agg((x * 1e6)::int4), array_agg((x * 1e4)::int2)
	FROM (SELECT i, random() - 0.5 AS x FROM generate_series(1, 200) i, generate_series(1, 2000)) q GROUP BY i ORDER BY i;
INSERT INTO odd SELECT i, CASE WHEN i % 40 = 11 THEN a || NULL::float8 WHEN i % 40 = 17 THEN ARRAY[a, a] WHEN i % 40 = 23 THEN a || 0.5::float8
	WHEN i % 40 = 31 THEN array_cat(ARRAY[1e300, 'NaN', 1e-300], a[4:]) ELSE a END
	FROM (SELECT i, array_agg(random() - 0.5) AS a FROM generate_series(1, 200) i, generate_series(1, 1000) GROUP BY i) q ORDER BY i;
SQL
my $load = 'SELECT gpu_sum(f8), gpu_sum(f4), gpu_sum(i8), gpu_sum(i4), gpu_sum(i2) FROM even; SELECT gpu_sum(a) FROM odd';

# All values of an expression, of all rows in an order.
sub of_rows
{
	my ($expression, $order, $table) = @_;

	return "SELECT md5(string_agg(b::text, ' ')) FROM (SELECT $expression b FROM (SELECT * FROM $table ORDER BY $order OFFSET 0) r) q";
}

# Likewise of a function of buckets.
sub query
{
	my ($f, $column, $width, $order, $table) = @_;

	return of_rows("gpu_array_bucket_$f($column, $width)", $order, $table);
}

# Compare a query's result with that of the CPU; returns how many requests it took,
# and how many arrays they found.
sub check
{
	my ($session, $query, $what) = @_;
	my $right = $node->answer("SET gpuagg.engine = cpu; $query");

	$node->answer('SELECT gpuagg_stat_reset()');
	is($session->ask($query), $right, $what);
	return split /\|/, $node->answer('SELECT requests, hits FROM gpuagg_stat');
}

my $session = $node->session;
$session->ask($load);
foreach my $column (qw(f8 f4 i8 i4 i2))
{
	foreach my $f ('sum', 'min', 'max', $column =~ /^f/ ? 'avg' : ())
	{
		my ($requests, $hits) = check($session, query($f, $column, 50, 'i', 'even'), "$f of $column");

		# those are numeric, which are reduced one by one
		next if "$f $column" eq 'sum i8';
		# requests about 1, 1 + 7, 1 + 14, 1 + 28, 1 + 56 and 1 + 112 arrays, and perhaps 1 behind them; where
		# 200 are expected, 1 + 7, 1 + 12, 1 + 12 or 24, 1 + 48, and at most 1 + 64
		cmp_ok($requests, '<=', 12, "... by $requests requests");
		cmp_ok($hits, '>=', 200, "... that found $hits arrays");
		cmp_ok($hits, '<=', 400, '... not many more than there are');
	}
	my ($n_uneven) = check($session, query('sum', $column, 30, 'i', 'even'), "sums of $column, of a width that is no part of the length");
	cmp_ok($n_uneven, '<=', 12, "... by $n_uneven requests") if $column ne 'i8';
	check($session, query('max', $column, $_, 'i', 'even'), "extremes of $column, width $_") foreach 1, 2000, 5000;
}

# One result for each array.
foreach my $column (qw(f8 f4 i8 i4 i2))
{
	foreach my $f (qw(sum avg min max var_samp stddev_pop))
	{
		my ($requests, $hits) = check($session, of_rows("gpu_array_$f($column)", 'i', 'even'), "$f of $column, whole arrays");

		cmp_ok($requests, '<=', 12, "... by $requests requests");
		cmp_ok($hits, '>=', 200, "... that found $hits arrays");
		cmp_ok($hits, '<=', 400, '... not many more than there are');
	}
}
check($session, of_rows("gpu_array_$_(a)", 'i', 'odd'), "$_ of odd arrays") foreach qw(sum avg min max var_samp count norm);
check($session, of_rows('gpu_array_sum(f8, 1, i)', 'i', 'even'), 'sums of parts');
check($session, of_rows('concat(gpu_array_sum(f8), gpu_array_sum(i4), gpu_array_avg(f8), gpu_array_max(f8))', 'i', 'even'), 'several functions');
check($session, of_rows('(SELECT sum(gpu_array_sum(s.f8)) FROM even s WHERE s.i < r.i AND s.i > r.i - 5)', 'i', 'even'), 'a query within a query');

# Rows in other orders, and a few of them.
my ($requests) = check($session, query('sum', 'f8', 100, 'i DESC', 'even'), 'backwards');
cmp_ok($requests, '<=', 205, '... by hardly more requests than arrays');
my ($again) = check($session, query('sum', 'f8', 100, 'i DESC', 'even'), 'backwards again');
cmp_ok($again, '<=', 12, "... by $again requests, since gpuaggd knows the order");
check($session, of_rows('gpu_array_sum(f4)', 'i DESC', 'even'), 'sums backwards');
($again) = check($session, of_rows('gpu_array_sum(f4)', 'i DESC', 'even'), 'sums backwards again');
cmp_ok($again, '<=', 12, "... by $again requests");
my ($random, $found) = check($session, query('sum', 'f8', 100, 'md5(i::text)', 'even'), 'in disorder');
cmp_ok($random, '<=', 205, '... by hardly more requests than arrays');
cmp_ok($found, '<=', 600, '... nor many arrays in vain');
# the first of these expect as many arrays as the query before used
my $one = query('sum', 'f8', 100, 'i', '(SELECT * FROM even LIMIT 1) l');
$session->ask($one) foreach 1 .. 4;
($requests, $found) = check($session, $one, 'one row');
is("$requests $found", '1 1', '... is one request about one array');

# Queries of many rows and of one row by turns: soon none has arrays made in vain.
# (Buckets would need a lease, which a session has lost that is closed at a commit.)
my $all = of_rows('gpu_array_sum(f8)', 'i', 'even');
$one = of_rows('gpu_array_sum(f8)', 'i', '(SELECT * FROM even LIMIT 1) l');
foreach (1 .. 4)
{
	$session->ask($all);
	($requests, $found) = check($session, $one, 'one row behind many');
}
is("$requests $found", '1 1', '... is one request about one array');
$session->ask($all) foreach 1 .. 6;
($requests, $found) = check($session, $one, 'one row where many are expected');
cmp_ok($found, '>', 8, "... is about $found arrays");
$session->ask($all) foreach 1 .. 2;

($requests, $found) = check($session, query('sum', 'f8', 100, 'i', '(SELECT * FROM even WHERE i % 7 = 0) s'), 'some rows');
cmp_ok($found, '<=', 120, '... nor many arrays in vain');

# Two expressions, and widths that vary from row to row.
check($session, 'SELECT md5(string_agg(concat(gpu_array_bucket_sum(f8, 100), gpu_array_bucket_sum(f8, 200), gpu_array_bucket_max(i4, 10)), $$ $$ ORDER BY i)) FROM even',
	'several buckets of a row');
check($session, 'SELECT md5(string_agg(gpu_array_bucket_sum(f8, 100 + i / 50 * 100)::text, $$ $$ ORDER BY i)) FROM even', 'widths that change');
check($session, 'SELECT md5(string_agg(gpu_array_bucket_sum(f8, 100, i, 1900)::text, $$ $$ ORDER BY i)) FROM even', 'parts');

# Arrays that are no lines, are longer, or have buckets without a value.
foreach my $f (qw(sum avg min max count))
{
	check($session, query($f, 'a', 10, 'i', 'odd'), "$f of odd arrays");
	check($session, query($f, 'a', 7, 'i', 'odd'), "$f of odd arrays, width 7");
}

# A bucket without a value concerns its own array only: the CPU computes that one.
{
	my $auto = $node->session('SET gpuagg.engine = auto');
	my $sums = 'SELECT md5(string_agg(gpu_array_bucket_sum(a, 10)::text, $$ $$ ORDER BY i)) FROM spoiled';

	$node->answer(q{CREATE TABLE spoiled (i int, a float8[]); ALTER TABLE spoiled ALTER a SET STORAGE EXTERNAL;
		INSERT INTO spoiled SELECT i, array_agg(CASE WHEN i = 12 AND k = 500 THEN 'NaN' ELSE i / k::float8 END)
		FROM generate_series(1, 20) i, generate_series(1, 10000) k GROUP BY i ORDER BY i});
	my $right = $node->answer("SET gpuagg.engine = cpu; $sums");
	$auto->ask('SELECT gpu_sum(a) FROM spoiled');
	is($auto->ask($sums), $right, 'an array among others with a bucket of NaN');
	is($auto->ask(q{SELECT string_agg(coalesce(reason, engine) || ' ' || arrays, ', ' ORDER BY reason NULLS FIRST) FROM gpuagg_session_stat WHERE arrays > 0}),
		'gpu 39, a small part of an array 1', '... and the device makes the buckets of the others');
	$auto->close;
}

# The ids of arrays whose results were made ahead may have been given to others: the
# counter of OIDs is set behind them, and then beyond.
{
	my $sums = 'SELECT gpu_array_sum(f8) FROM even ORDER BY i';
	my @right = split /\n/, $node->answer("SET gpuagg.engine = cpu; $sums");
	my ($low, $high) = split /\|/, $node->answer(
		'SELECT min(chunk_id)::int8 - 10, max(chunk_id)::int8 + 10 FROM ' . $node->answer(q{SELECT reltoastrelid::regclass FROM pg_class WHERE relname = 'even'}));

	$node->answer("CREATE FUNCTION set_next_oid(oid) RETURNS oid AS '$ENV{GPUAGG_TEST_MODULE}' LANGUAGE C STRICT");
	my $next = $node->answer("SELECT set_next_oid($low)");
	# a session that expects nothing asks for rows 25 to 52 before it comes to them
	my $new = $node->session;
	$new->ask("BEGIN; DECLARE c CURSOR FOR $sums");
	is($new->ask('FETCH 30 FROM c'), join("\n", @right[0 .. 29]), 'a cursor');
	# what is under way is answered meanwhile
	$new->ask('SELECT pg_sleep(0.3)');
	$node->answer('SELECT gpuagg_stat_reset()');
	is($new->ask('FETCH 10 FROM c'), join("\n", @right[30 .. 39]), '... whose next sums are there');
	is($node->answer('SELECT requests FROM gpuagg_stat'), 0, '... and not asked for');
	$node->answer("SELECT set_next_oid($high)");
	is($new->ask('FETCH 10 FROM c'), join("\n", @right[40 .. 49]), '... and are of no use when ids may be others\'');
	cmp_ok($node->answer('SELECT requests FROM gpuagg_stat'), '>=', 1, '... so that they are asked for');
	$new->ask('ROLLBACK');
	$new->close;
	$node->answer("SELECT set_next_oid($next)");
}

# Many arrays are expected, and the first one has no result that can be kept: a bucket
# without a value, or a sum that needs all of its state.
{
	$node->answer(q{CREATE TABLE first (i int, a float8[], b float8[]); ALTER TABLE first ALTER a SET STORAGE EXTERNAL, ALTER b SET STORAGE EXTERNAL;
		INSERT INTO first SELECT i, array_agg(CASE WHEN i = 1 AND k < 3 THEN power(1e300, 3 - 2 * k) ELSE 0.1 END),
			array_agg(CASE WHEN i = 1 AND k = 500 THEN 'NaN' ELSE 0.1 END)
		FROM generate_series(1, 60) i, generate_series(1, 10000) k GROUP BY i ORDER BY i});
	my $auto = $node->session('SET gpuagg.engine = auto');
	$auto->ask('SELECT gpu_sum(a), gpu_sum(b) FROM first');
	foreach my $case ([ 'gpu_array_sum(a)', 3, 68 ], [ 'gpu_array_bucket_sum(b, 100)', 6, 100 ])
	{
		my ($f, $n_more, $n_most) = @$case;

		# asked for again alone, it has no others made again; a request without a value
		# brings none of them
		my $behind = of_rows($f, 'i', '(SELECT * FROM first WHERE i > 1) b');
		check($auto, $behind, "$f, some rows");
		my ($usual) = check($auto, $behind, '... again');
		check($auto, of_rows($f, 'i', 'first'), '... behind one whose result is not kept');
		my ($n, $n_found) = check($auto, of_rows($f, 'i', 'first'), '... again');
		cmp_ok($n, '<=', $usual + $n_more, "... by $n requests, where the others take $usual");
		cmp_ok($n_found, '<=', $n_most, "... that found $n_found arrays");
	}
	$auto->close;
}

# From a cursor, while arrays are changed, removed and cleared.
foreach my $change (
	'UPDATE even SET f8 = f8[1:100] || f8[1:1900]',
	'DELETE FROM even WHERE i > 150',
	'SELECT gpuagg_cache_clear()',
	'SELECT pg_sleep(0)')
{
	my $cursor = 'DECLARE c CURSOR FOR SELECT gpu_array_bucket_sum(f8, 50)::text FROM even ORDER BY i';
	my $right = $node->answer("SET gpuagg.engine = cpu; BEGIN; $cursor; FETCH ALL FROM c; ROLLBACK");
	my $some = $session->ask("BEGIN; $cursor; FETCH 20 FROM c; $change; FETCH 30 FROM c; $change; FETCH ALL FROM c; ROLLBACK");

	is(join("\n", grep { /\{/ } split /\n/, $some), join("\n", grep { /\{/ } split /\n/, $right), "a cursor, with $change");
}

# A loop that changes the array of each row before it comes to it.
my $loop = q{CREATE OR REPLACE FUNCTION pg_temp.loop() RETURNS text LANGUAGE plpgsql AS $$
	DECLARE result text := ''; r record;
	BEGIN
		FOR k IN 1..200 LOOP
			UPDATE even SET f8 = f8[2:] || f8[1] WHERE i = k;
			SELECT f8 INTO r FROM even WHERE i = k;
			result := md5(result || gpu_array_bucket_sum(r.f8, 100)::text);
		END LOOP;
		RETURN result;
	END $$; BEGIN; SELECT pg_temp.loop(); ROLLBACK};
is($session->ask($loop), $node->answer("SET gpuagg.engine = cpu; $loop"), 'arrays that change before the loop reads them');
$session->close;

# Chunks with an xmax, of changes that were rolled back, leave arrays in doubt, and
# each one is asked for.
$node->answer('VACUUM FULL even');

# gpuaggd ends in the middle.
SKIP:
{
	skip 'what follows is of emulated devices', 10 if is_cuda();

	my $query = query('sum', 'f8', 50, 'i', 'even');
	my $right = $node->answer("SET gpuagg.engine = cpu; $query");
	my $sums = of_rows('gpu_array_sum(f8)', 'i', 'even');
	my $rights = $node->answer("SET gpuagg.engine = cpu; $sums");
	foreach my $fault ('crash_launch=4', 'fail_launch=4', 'refuse_launch=4')
	{
		$node->with_faults($fault);
		$session = $node->session('SET client_min_messages = error; SET gpuagg.engine = auto');
		is($session->ask($query), $right, $fault);
		is($session->ask($sums), $rights, "... and sums");
		$session->close;
	}
	$node->with_faults('slow_launch=0');

	# Arrays are on several devices.
	$node->configure("gpuagg.device = 'emulated:3'");
	$node->with_faults('slow_launch=1');
	$session = $node->session;
	$session->ask($load);
	check($session, $sums, 'sums on several devices');
	my ($requests, $hits) = check($session, $query, 'several devices');
	cmp_ok($requests, '<=', 60, "... by $requests requests");
	cmp_ok($hits, '<=', 600, "... that found $hits arrays");
	$session->close;
}

$node->stop;
done_testing();
