# 045_helpers.pl: a query's stored arrays, read with helpers of its own.
#
# Helpers are parallel workers that the query starts when it has noted what there
# is to read.  Whatever their number, and whatever becomes of them, sums have the
# same bits, errors are those of one process, and nothing is left behind.

use strict;
use warnings;

use FindBin;
use PostgreSQL::Test::Utils;
use Test::More;

use lib $FindBin::RealBin;
use GpuaggCluster qw(within is_cuda);
use Holdings;

my $seed = $ENV{SEED} // 1;
my $node = GpuaggCluster->create('helpers',
	settings => [ 'gpuagg.min_gpu_size = 0', 'gpuagg.cache_packing = off', "gpuagg.cache_size = '512MB'", 'max_worker_processes = 16', "shared_buffers = '512MB'",
		'max_parallel_workers = 8', 'max_parallel_workers_per_gather = 0', 'dynamic_shared_memory_type = mmap', "default_toast_compression = 'pglz'" ],
	streaming => 1);

# A compressed array counts as four times its size, so 2 MB each do, which take
# little on disk; `flat` and `many` are not compressed.
$node->answer(<<SQL);
CREATE FUNCTION toast_spoil(anyarray, int, text) RETURNS int AS '$ENV{GPUAGG_TEST_MODULE}' LANGUAGE C STRICT;
CREATE TABLE flat (i int, a float8[]);
CREATE TABLE many (i int, a float8[]);
CREATE TABLE packed (i int, f8 float8[], f4 float4[], i8 int8[], i4 int4[], i2 int2[]);
ALTER TABLE flat ALTER a SET STORAGE EXTERNAL;
ALTER TABLE many ALTER a SET STORAGE EXTERNAL;
INSERT INTO flat SELECT i, array_fill(i / 8.0::float8, ARRAY[1000000]) FROM generate_series(1, 18) i;
INSERT INTO many SELECT i, array_fill(i / 8.0::float8, ARRAY[4000]) FROM generate_series(1, 2500) i;
INSERT INTO packed SELECT i, array_fill((i / 7.0)::float8, n), array_fill((i / 7.0)::float4, n),
	array_fill(i::int8 << 40, n), array_fill(i, n), array_fill(i::int2, n)
	FROM generate_series(1, 24) i, LATERAL (SELECT ARRAY[250000 + i]) size (n);
CREATE TABLE special (LIKE packed INCLUDING STORAGE);
INSERT INTO special (i, f8, f4) SELECT i, array_fill(CASE i % 5 WHEN 1 THEN 1e308 WHEN 2 THEN -1e308 WHEN 3 THEN 5e-324 WHEN 4 THEN '-0'
	ELSE 1 END::float8, n), array_fill((CASE i % 3 WHEN 0 THEN '1' WHEN 1 THEN '-inf' ELSE 'nan' END)::float4, n)
	FROM generate_series(1, 30) i, LATERAL (SELECT ARRAY[400000]) size (n);
-- a page has two rows
CREATE TABLE parallel (i int, a float8[], filler text);
ALTER TABLE parallel ALTER a SET STORAGE EXTERNAL, ALTER filler SET STORAGE PLAIN, SET (parallel_workers = 2);
INSERT INTO parallel SELECT i, a, repeat('x', 3000) FROM flat;
CREATE TABLE damaged (LIKE flat INCLUDING STORAGE);
INSERT INTO damaged TABLE flat;
CREATE FUNCTION caught(query text) RETURNS text LANGUAGE plpgsql AS \$\$
DECLARE result text;
BEGIN
	EXECUTE query INTO result;
	RETURN result;
EXCEPTION WHEN OTHERS OR query_canceled THEN RETURN SQLSTATE;
END \$\$;
CREATE FUNCTION several() RETURNS text LANGUAGE plpgsql AS \$\$
DECLARE one float8; two bigint; three float8;
BEGIN
	SELECT gpu_sum(f8), gpu_count(i4), gpu_sum(f4) INTO one, two, three FROM packed;
	RETURN concat_ws(' ', one, two, three, (SELECT gpu_sum(i2) FROM packed));
END \$\$;
CREATE TABLE sums (i int, s float8);
INSERT INTO sums VALUES (1, 0);
VACUUM ANALYZE;
SQL

# Sessions say by a debug message how many helpers they had.
my $session = $node->session('SET client_min_messages = debug1');

# Return how many helpers the last query had; undef if it wanted none.
sub helpers
{
	my $n;

	$n += $1 while $session->{err} =~ /gpuagg: (\d+) of \d+ helpers started/g;
	return $n;
}

# Have a query use up to so many helpers, and an engine; cold, if the device.
sub ask
{
	my ($n, $engine, $query) = @_;

	$node->answer('SELECT gpuagg_cache_clear()') if $engine eq 'gpu';
	return $session->ask("SET gpuagg.engine = $engine; SET max_parallel_workers_per_gather = $n; $query");
}

# --- the same bits, whatever the query, for each engine and number of helpers

my @queries = (
	[ 'an aggregate over Gather', 'SELECT gpu_sum(a ORDER BY i) FROM parallel' ],
	[ 'a query', 'SELECT gpu_sum(a), gpu_count(a) FROM flat' ],
	[ 'few groups', 'SELECT i % 2, gpu_sum(a) FROM flat GROUP BY 1 ORDER BY 1' ],
	[ 'many groups', 'SELECT gpu_sum(s) FROM (SELECT i, gpu_sum(a) FROM many GROUP BY i) x (i, s)' ],
	[ 'all types, compressed', 'SELECT gpu_sum(f8), gpu_sum(f4), gpu_sum(i8), gpu_sum(i4), gpu_sum(i2) FROM packed' ],
	[ 'a filter', 'SELECT gpu_sum(f8) FILTER (WHERE i % 2 = 0), gpu_sum(f8) FROM packed' ],
	[ 'a window', 'SELECT DISTINCT gpu_sum(f8) OVER (PARTITION BY i % 2) FROM packed ORDER BY 1' ],
	[ 'large, small and negative numbers', 'SELECT gpu_sum(f8) FROM special' ],
	[ 'infinities and NaN', 'SELECT gpu_sum(f4), gpu_sum(f4) FILTER (WHERE i % 3 < 2), gpu_sum(f4) FILTER (WHERE i % 3 < 1) FROM special' ],
	[ 'least and largest elements', 'SELECT gpu_min(f8), gpu_max(f8), gpu_min(f4), gpu_max(i8), gpu_min(i4), gpu_max(i2) FROM packed' ],
	[ 'variances', 'SELECT gpu_var_pop(f8), gpu_stddev_samp(f4), gpu_var_samp(i8), gpu_stddev_pop(i2) FROM packed' ],
	[ 'several of one array', 'SELECT gpu_sum(f8), gpu_var_pop(f8), gpu_max(f8), gpu_moments_state(f8) FROM packed' ],
	[ 'what the device refuses', 'SELECT gpu_stddev_pop(f4), gpu_min(f4), gpu_max(f4), gpu_stddev_pop(f8), gpu_min(f8) FROM special' ],
	[ 'variances of many groups', 'SELECT gpu_sum(s), gpu_max(m) FROM (SELECT i, gpu_stddev_pop(a), gpu_min(a) FROM many GROUP BY i) x (i, s, m)' ],
	[ 'variances of parts', 'SELECT gpu_var_pop(a, 100, 900000), gpu_min(a, 7, 700000) FROM flat' ],
	[ 'pairs', 'SELECT gpu_dot(f8, f8), gpu_weighted_avg(i4, i4), gpu_dot(f4, f4), gpu_dot(i2, i2) FROM packed' ],
	[ 'pairs of several groups', 'SELECT i % 2, gpu_dot(a, a), gpu_sum(a) FROM flat GROUP BY 1 ORDER BY 1' ],
	[ 'pairs of two tables', 'SELECT gpu_dot(f.a, p.a) FROM flat f JOIN parallel p USING (i)' ],
	[ 'pairs that the device refuses', 'SELECT gpu_dot(f8, f8) FILTER (WHERE i % 5 > 2), gpu_dot(f4, f4) FROM special' ],
	[ 'parts of arrays', 'SELECT gpu_sum(a, 100, 900000), gpu_count(a, 7, 700000) FROM flat' ],
	[ 'parts of compressed arrays', 'SELECT gpu_sum(f8, 5, 200000), gpu_count(i4, 1000, 250000), gpu_sum(f8, 100000, 100000) FROM packed' ],
	[ 'each array twice', 'SELECT gpu_sum(a) FROM flat, generate_series(1, 2)' ],
	[ 'PL/pgSQL', 'SELECT several()' ],
	[ 'EXCEPTION', q{SELECT caught('SELECT gpu_sum(a) FROM flat')} ],
	[ 'a prepared statement', 'PREPARE p AS SELECT gpu_sum(a) FROM flat; EXECUTE p; EXECUTE p; DEALLOCATE p' ],
	[ 'REPEATABLE READ', 'BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT gpu_sum(a) FROM flat; COMMIT' ],
	[ 'SERIALIZABLE', 'BEGIN ISOLATION LEVEL SERIALIZABLE; SELECT gpu_sum(a) FROM flat; COMMIT' ],
	[ 'own rows', 'BEGIN; INSERT INTO flat SELECT i + 100, a FROM flat WHERE i < 4; SAVEPOINT s; DELETE FROM flat WHERE i = 102;'
		  . 'SELECT gpu_sum(a) FROM flat; ROLLBACK TO s; SELECT gpu_sum(a) FROM flat; ROLLBACK' ],
	[ 'a table of the same transaction', 'BEGIN; CREATE TABLE own AS SELECT i, f8 FROM packed; SELECT gpu_sum(f8) FROM own; ROLLBACK' ],
	[ 'a cursor', 'BEGIN; DECLARE c CURSOR FOR SELECT i % 2, gpu_sum(a) FROM flat GROUP BY 1 ORDER BY 1; SAVEPOINT s; FETCH c;'
		  . 'SELECT 1 / (SELECT count(*) - 1 FROM sums); ROLLBACK TO s; FETCH c; COMMIT' ],
	[ 'INSERT', 'INSERT INTO sums SELECT 2, gpu_sum(a) FROM flat RETURNING s; DELETE FROM sums WHERE i = 2' ],
	[ 'UPDATE', 'UPDATE sums SET s = f.s FROM (SELECT 1 AS i, gpu_sum(a) AS s FROM flat) f WHERE f.i = sums.i RETURNING f.s' ],
	[ 'CREATE TABLE AS', 'CREATE TABLE made AS SELECT gpu_sum(a) AS s FROM flat; SELECT s FROM made; DROP TABLE made' ],
	[ 'a role without rights in the middle', q{CREATE ROLE nobody; BEGIN; GRANT SELECT ON flat TO nobody; SET LOCAL ROLE nobody;
		SELECT gpu_sum(a) FROM flat; ROLLBACK; DROP ROLE nobody} ]);

foreach (@queries)
{
	my ($what, $query) = @$_;
	my $right = ask(0, 'cpu', $query);
	my @wrong;

	isnt($right, '', "$what has a result");
	push @wrong, 'helpers without a permission' if defined helpers();
	foreach my $engine ('cpu', 'gpu')
	{
		foreach my $n (0, 1, 2, 4)
		{
			my $found = ask($n, $engine, $query);

			push @wrong, "$engine, $n helpers: $found, not $right: $session->{err}" if $found ne $right;
			push @wrong, "$engine, $n helpers: " . (helpers() // 'none') if $n > 0 && !helpers();
		}
	}
	is(join("\n", @wrong), '', "$what: the same with 0, 1, 2 and 4 helpers, which come");
}

# More arrays than are noted at a time: helpers come twice.
foreach my $engine ('cpu', 'gpu')
{
	is(ask(2, $engine, 'SELECT gpu_sum(a) FROM many, generate_series(1, 25)'), 25 * 4000 * 2500 * 2501 / 16, "62,500 arrays, $engine");
	cmp_ok(helpers(), '>=', $engine eq 'cpu' ? 3 : 1, 'have helpers as often as it takes (' . helpers() . ')');
}

# --- arrays that several processes loaded are asked for in the order of the rows,
# also by the first query, and where they are stored in another one

$node->answer(<<'SQL');
CREATE TABLE moved (i int, a float8[]);
ALTER TABLE moved ALTER a SET STORAGE EXTERNAL;
INSERT INTO moved SELECT row_number() OVER (), a FROM many;
UPDATE moved SET i = -i WHERE i % 3 = 0;
SQL
foreach my $case ([ 1, 'many' ], [ 3, 'many' ], [ 1, 'moved' ], [ 3, 'moved' ])
{
	my ($n, $table) = @$case;

	ask($n, 'gpu', "SELECT gpu_sum(a) FROM $table");
	cmp_ok(helpers(), '>=', 1, "up to $n helpers load the arrays of $table");
	$node->answer('SELECT gpuagg_stat_reset()');
	is($session->ask("SELECT sum(gpu_array_sum(a)) FROM $table"), 4000 * 2500 * 2501 / 16, '... whose sums, one by one, are right');
	my ($requests, $hits) = split /\|/, $node->answer('SELECT requests, hits FROM gpuagg_stat');
	# about 1, 7, 14, 28, 56, 112 and 224 arrays, and then 256 each time; behind the last
	# row are those that its process loaded next, which up to three requests find in vain
	cmp_ok($requests, '<=', 20, "... by $requests requests");
	cmp_ok($hits, '<=', 2500 + 3 * 256, "... that found $hits arrays");
}

# --- where there are none

is(ask(4, 'cpu', 'SELECT gpu_sum(f8) FROM packed WHERE i < 3'), ask(0, 'cpu', 'SELECT gpu_sum(f8) FROM packed WHERE i < 3'), 'little is summed');
ask(4, 'cpu', 'SELECT gpu_sum(f8) FROM packed WHERE i < 3');
is(helpers(), undef, 'without helpers');
my $sum = 1000000 * 171 / 8;
foreach my $engine ('cpu', 'gpu')
{
	is(ask(4, $engine, 'CREATE TEMP TABLE own AS TABLE flat; SELECT gpu_sum(a) FROM own; DROP TABLE own'), $sum, "a temporary table, $engine");
	is(helpers(), undef, 'is read without helpers');
	is(ask(4, $engine, 'SET max_parallel_workers = 0; SELECT gpu_sum(a) FROM flat'), $sum, "no parallel workers, $engine");
	is(helpers(), undef, 'have none asked for');
	is(ask(4, $engine, 'SET max_parallel_workers = 1; SELECT gpu_sum(a) FROM flat'), $sum, "one parallel worker, $engine");
	is(helpers(), 1, 'is the one helper');
	$session->ask('RESET max_parallel_workers');
}

# Processes that share the rows of a plan share the reading, too.
my $costs = 'SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0';
foreach my $engine ('cpu', 'gpu')
{
	is(ask(2, $engine, "$costs; SELECT gpu_sum(a) FROM parallel"), $sum, "a parallel plan, $engine");
	is(helpers(), undef, 'has no helpers');
}
SKIP:
{
	skip 'faults are the emulated device\'s', 1 if is_cuda;

	$node->with_faults('slow_launch=30');
	my $plan = ask(2, 'gpu', "$costs; EXPLAIN (ANALYZE, VERBOSE, COSTS OFF, TIMING OFF) SELECT gpu_sum(a) FROM parallel");
	my @rows = map { /Seq Scan on public.parallel/ .. /^\z/ ? /Worker \d+: .*rows=(\d+)/ : () } split /\n/, $plan;

	is(scalar(grep { $_ > 0 } @rows), 2, "where no process takes all rows before the others have begun (@rows of 18)");
	$node->with_faults('');
}
$session->ask('RESET parallel_setup_cost; RESET parallel_tuple_cost; RESET min_parallel_table_scan_size');

# The postmaster cannot make processes: the query reads alone.
my ($soft) = `prlimit --pid=$node->{_pid} --nproc --raw --noheadings --output=SOFT` =~ /(\w+)/;
system('prlimit', "--pid=$node->{_pid}", '--nproc=1:') == 0 or die 'prlimit';
is($session->ask('SET max_parallel_workers_per_gather = 2; SET gpuagg.engine = cpu; SELECT gpu_sum(a) FROM flat', 30), $sum, 'helpers that cannot be started are done without');
is($session->{err} =~ /ERROR.*/ ? $& : '', '', 'which is no error');
system('prlimit', "--pid=$node->{_pid}", "--nproc=$soft:") == 0 or die 'prlimit';
is(ask(2, 'cpu', 'SELECT gpu_sum(a) FROM flat'), $sum, 'later they can');
is(helpers(), 2, 'be had again');

# --- figures

my $count = q{SELECT arrays, elements, bytes, hits, misses FROM gpuagg_session_stat WHERE arrays > 0};
foreach my $n (0, 2)
{
	my $fresh = $node->session("SET max_parallel_workers_per_gather = $n; SET gpuagg.engine = gpu");

	$node->answer('SELECT gpuagg_cache_clear(); SELECT gpuagg_stat_reset()');
	is($fresh->ask("SELECT gpu_sum(a) FROM flat \\g /dev/null\n $count"), '18|18000000|144000000|0|18', "each array is counted once with $n helpers");
	is($fresh->ask("SELECT gpu_sum(a) FROM flat \\g /dev/null\n $count"), '36|36000000|288000000|18|18', 'and is resident then');
	is($node->answer('SELECT hits, misses FROM gpuagg_stat'), '18|18', 'as the device counts');
	$fresh->close;
	$fresh = $node->session("SET max_parallel_workers_per_gather = $n; SET gpuagg.engine = cpu");
	is($fresh->ask("SELECT gpu_sum(a) FROM flat \\g /dev/null\n SELECT reason, arrays, elements FROM gpuagg_session_stat WHERE engine = 'cpu'"),
		'gpuagg.engine is cpu|18|18000000', "by the CPU, too, with $n helpers");
	$fresh->close;
}
my ($alone, $together) = map { (ask($_, 'cpu', 'EXPLAIN (ANALYZE, BUFFERS, COSTS OFF, TIMING OFF) SELECT gpu_sum(a) FROM flat') =~ /Buffers: shared hit=(\d+)/)[0] } 0, 2;
cmp_ok(abs($together - $alone), '<', 0.02 * $alone, "EXPLAIN has the helpers' buffers: $together, and $alone without");

SKIP:
{
	skip 'EXPLAIN has options of modules from PostgreSQL 18 on', 2 if $node->answer('SHOW server_version_num') < 180000;
	like(ask(2, 'cpu', 'EXPLAIN (ANALYZE, GPUAGG) SELECT gpu_sum(a) FROM flat'), qr/CPU: arrays=18 elements=18000000 .*\n +Helpers: 2/, 'EXPLAIN has helpers, and what they counted');
	unlike(ask(0, 'cpu', 'EXPLAIN (ANALYZE, GPUAGG) SELECT gpu_sum(a) FROM flat'), qr/Helpers/, 'if there were any');
}

# --- a device that is too small, and too little staging memory

SKIP:
{
	skip 'faults are the emulated device\'s', 13 if is_cuda;

	my (%streamed, %read);

	$node->configure("gpuagg.cache_size = '64MB'");
	$node->with_faults('');
	foreach my $n (0, 2)
	{
		$node->answer('SELECT gpuagg_stat_reset()');
		is(ask($n, 'gpu', 'SELECT gpu_sum(a) FROM flat; SELECT gpu_sum(a) FROM flat'), "$sum\n$sum", "a table larger than the cache, with $n helpers");
		$streamed{$n} = $node->answer('SELECT streamed FROM gpuagg_stat WHERE evictions = 0');
		my $fresh = $node->session("SET max_parallel_workers_per_gather = $n; SET gpuagg.engine = gpu");

		$node->answer('SELECT gpuagg_cache_clear()');
		is($fresh->ask('SELECT gpu_max(a) FROM flat; SELECT gpu_max(a) FROM flat'), "2.25\n2.25", "the largest element of it, with $n helpers");
		$read{$n} = $fresh->ask("SELECT arrays FROM gpuagg_session_stat WHERE reason = 'not kept in the cache'");
		$fresh->close;
	}
	cmp_ok($streamed{0}, '>', 18, "more than half of it is streamed, each time ($streamed{0} of 36 arrays)");
	is($streamed{2}, $streamed{0}, 'as much with helpers as without');
	cmp_ok($read{0}, '>', 18, "which the CPU reads, if there is no sum to compute ($read{0} of 36 arrays)");
	is($read{2}, $read{0}, 'with helpers, too');

	# what is resident comes last in the next query
	my $both = 'SELECT gpu_sum(a) FROM (TABLE flat UNION ALL TABLE damaged) b';
	my $total = ask(0, 'cpu', $both);

	$node->configure("gpuagg.cache_size = '256MB'");
	$node->with_faults('');
	is(ask(2, 'gpu', 'SELECT gpu_sum(a) FROM damaged'), $sum, 'helpers load a half of what is asked for next');
	$node->answer('SELECT gpuagg_stat_reset()');
	is($session->ask($both), $total, 'more than the cache can hold');
	is($node->answer('SELECT evictions, hits, misses + streamed, streamed > 0 FROM gpuagg_stat'), '0|18|18|t', 'and nothing is evicted that the query comes to later');
	$node->configure("gpuagg.cache_size = '512MB'");
	$node->configure("gpuagg.staging_size = '8MB'");
	$node->with_faults('');
	is(ask(2, 'gpu', 'SELECT gpu_sum(a) FROM flat'), $sum, 'one lease: the sum is right');
	is(helpers(), 2, 'and helpers come');
	$node->configure("gpuagg.staging_size = '64MB'");
	$node->with_faults('');
}

# --- errors

$node->answer(q{SELECT toast_spoil(a, 30, 'missing') FROM damaged WHERE i = 17});
foreach my $engine ('cpu', 'gpu')
{
	foreach my $n (0, 1, 4)
	{
		my @found = (ask($n, $engine, q{SELECT gpu_sum(a) FROM damaged}), $session->{err} =~ /ERROR:  (\w+)/,
			ask($n, $engine, q{SELECT caught('SELECT gpu_sum(a) FROM damaged')}),
			ask($n, $engine, q{BEGIN; SAVEPOINT s; SELECT gpu_sum(a) FROM damaged; ROLLBACK TO s; SELECT gpu_sum(a) FROM flat; COMMIT}),
			ask($n, $engine, q{SELECT gpu_sum(a) FROM flat WHERE caught('SELECT gpu_sum(a) FROM damaged') = 'XX001'}));

		is("@found", " XX001 XX001 $sum $sum", "a damaged array with $n helpers, $engine: an error, which ends no other query");
	}
}

# --- ends in the middle, of slow requests

my $workers = "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'parallel worker'";
my $gone = sub { $node->answer($workers) eq '0' };
my $before = Holdings->of($node);
my $own = Holdings->of_session($node, $session);
my $segments = sub { scalar(() = glob $node->data_dir . '/pg_dynshmem/mmap.*') };
my $n_segments = $segments->();

sub begin_slow
{
	my $results = $_[0] // 'gpu_sum(a)';

	$session->ask('SET gpuagg.engine = gpu; SET max_parallel_workers_per_gather = 2');
	$node->answer('SELECT gpuagg_cache_clear()');
	$session->begin("SELECT $results FROM flat");
	return within(20, sub { $node->answer("$workers AND query LIKE '%$results FROM flat%'") eq '2' });
}

# The nice value of a process.
sub nice_of { my ($pid) = @_; return (split ' ', slurp_file("/proc/$pid/stat") =~ s/.*\)//sr)[16] }

# What functions give of the table.
my %result = map { $_ => ask(0, 'cpu', "SELECT $_(a) FROM flat") } qw(gpu_sum gpu_max gpu_var_pop);

SKIP:
{
	skip 'faults are the emulated device\'s', 12 if is_cuda;

	$node->with_faults('slow_launch=300');
	ok(begin_slow(), 'helpers read slowly, with the text of their query');
	my ($server) = slurp_file($node->data_dir . '/postmaster.pid') =~ /^(\d+)/;
	my $lower = nice_of($server) < 14 ? nice_of($server) + 5 : 19;
	is(join(' ', map { nice_of($_) } split /\n/, $node->answer($workers =~ s/count\(\*\)/pid/r)), "$lower $lower", 'their priority is lower than that of sessions');
	$node->answer("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'parallel worker' LIMIT 1");
	$session->end(10);
	like($session->{err}, qr/(ERROR|FATAL):  57P01/, 'one is terminated, and the query fails');
	is($session->ask('SELECT gpu_sum(a) FROM flat', 60), $sum, 'the next one is right');
	ok(begin_slow(), 'helpers read slowly again');
	$node->answer("SELECT pg_cancel_backend($session->{pid})");
	$session->end(5);
	like($session->{err}, qr/ERROR:  57014/, 'a query is cancelled');
	ok(within(5, $gone), 'and its helpers end');
	ok(begin_slow(), 'helpers read slowly again');
	$node->signal_daemon('KILL');
	is($session->end(60), $sum, 'gpuaggd is killed, and the sum is right');
	my $n_warnings = () = $session->{err} =~ /WARNING:/g;
	cmp_ok($n_warnings, '<=', 1, 'with one warning at most');
	ok(begin_slow('gpu_max(a), gpu_var_pop(a)'), 'helpers read slowly for other functions');
	$node->signal_daemon('KILL');
	is($session->end(60), "$result{gpu_max}|$result{gpu_var_pop}", 'gpuaggd is killed, and both results are right');
	$node->with_faults('');
}

# Timeouts at any time.
srand($seed);
my ($n_cancelled, @wrong) = (0);
foreach my $i (1 .. ($ENV{STEPS} // 60))
{
	my $ms = 1 + int(rand(2)**6 * 12);
	my $function = (sort keys %result)[ $i % 3 ];
	my $found = ask(1 + int rand 4, $i % 2 ? 'cpu' : 'gpu', "SET statement_timeout = $ms; SELECT $function(a) FROM flat; SET statement_timeout = 0");

	$n_cancelled++ if $session->{err} =~ /57014/;
	push @wrong, "$ms ms: $found, $session->{err}" if $found ne $result{$function} && ($found ne '' || $session->{err} !~ /ERROR:  57014/);
	push @wrong, "$ms ms: ERROR besides" if $session->{err} =~ /ERROR:  (?!57014)/;
}
is(join("\n", @wrong), '', "timeouts at any time: right results or none (seed $seed)");
cmp_ok($n_cancelled, '>', 0, "which cancelled $n_cancelled queries");
is(ask(2, 'cpu', 'SELECT gpu_sum(a) FROM flat'), $sum, 'and the next one is right');

ok(within(10, $gone), 'no worker is left');
is_deeply([ Holdings->of($node)->more_than($before) ], [], 'nor anything of gpuaggd');
is_deeply([ $own->session_leaks($node, $session) ], [], 'nor of the session');
is($node->answer('SELECT coalesce(sum(leases), 0) <= 2 FROM gpuagg_devices'), 't', 'nor a lease');
cmp_ok($n_segments, '>', 0, 'there is shared memory of the session');
is($segments->(), $n_segments, 'and none of helpers');

$session->close;

# --- a standby

$node->backup('backup');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($node, 'backup', has_streaming => 1);
$standby->start;
foreach my $engine ('cpu', 'gpu')
{
	my ($out, $err);

	$standby->psql('postgres', "SET client_min_messages = debug1; SET max_parallel_workers_per_gather = 2; SET gpuagg.engine = $engine;"
		  . 'SELECT gpu_sum(a) FROM flat', stdout => \$out, stderr => \$err);
	is($out, $sum, "a standby, $engine");
	like($err, qr/2 of 2 helpers started/, 'has helpers');
}
$standby->stop;
$node->stop;
done_testing();
