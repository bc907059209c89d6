# 021_explain.pl: what an administrator sees of queries.
#
# Counters of a session contain its parallel workers, those of the server all
# sessions: how much each engine computed, hits and misses, times, and each
# reason for the CPU.  A session ends, crashes or has no file for them, and
# nothing is lost but what it had not published.

use strict;
use warnings;

use FindBin;
use PostgreSQL::Test::Utils;
use Test::More;

use lib $FindBin::RealBin;
use GpuaggCluster qw(within is_cuda);

my $node = GpuaggCluster->create('explain', settings => [ 'dynamic_shared_memory_type = mmap', 'max_parallel_workers_per_gather = 2',
	'min_parallel_table_scan_size = 0', 'parallel_setup_cost = 0', 'parallel_tuple_cost = 0' ]);
my $n_rows = 300;
my $n_elements = 0;
$n_elements += 1000 + $_ for 1 .. $n_rows;

# 300 stored arrays of float8, and one that is not stored out of line
$node->answer(<<SQL);
CREATE TABLE t (i int, a float8[]);
ALTER TABLE t ALTER a SET STORAGE EXTERNAL;
INSERT INTO t SELECT i, array_fill(i, ARRAY[1000 + i]) FROM generate_series(1, $n_rows) i;
INSERT INTO t VALUES (0, '{1,2}');
ALTER TABLE t SET (parallel_workers = 2);
SQL

# The sum by two workers, and the leader too or not.
sub sum
{
	my ($leads) = @_;

	return "SET parallel_leader_participation = $leads; SELECT gpu_sum(a) FROM t WHERE i < 1000";
}

sub figures
{
	my ($view, $columns) = @_;

	return qq{SELECT string_agg(coalesce(reason, 'gpu') || ' ' || concat_ws(' ', $columns), ', ' ORDER BY engine DESC)
		FROM gpuagg_${view}_stat WHERE arrays > 0};
}
my $in_session = figures('session', 'arrays, elements, bytes, hits, misses');
my $in_server = figures('server', 'arrays, elements, bytes, hits, misses');

# Server figures after a reset, when the last session's are published.
sub reset_server
{
	$node->answer('SELECT gpuagg_server_stat_reset()');
}

my $bytes = 8 * $n_elements;
my $by_cpu = 'not stored out of line 1 2 16';

# A query by two workers alone: all figures are theirs.
$node->answer('SELECT gpuagg_cache_clear()');
reset_server();
my $plan = $node->answer('EXPLAIN (COSTS OFF) ' . sum('off') =~ s/.*; //r);
like($plan, qr/Workers Planned: 2/, 'two workers');
my $session = $node->session;
my $right = $session->ask(sum('off'));
is($session->ask($in_session), "gpu $n_rows $n_elements $bytes 0 $n_rows, $by_cpu", 'a session counts what its workers did');
is($node->answer($in_server), "gpu $n_rows $n_elements $bytes 0 $n_rows, $by_cpu", 'and so does the server');
is($session->ask(sum('on')), $right, 'the same sum');
is( $session->ask($in_session),
	join(' ', 'gpu', 2 * $n_rows, 2 * $n_elements, 2 * $bytes, $n_rows, $n_rows) . ', not stored out of line 2 4 32',
	'the second time all are hits, of the leader and of its workers');
is( $node->answer("$in_session"), '', 'another session has none of that');
is( $node->answer(sum('off') . "; $in_session"),
	"$right\ngpu $n_rows $n_elements $bytes $n_rows 0, $by_cpu", 'nor does it add to it');
is( $node->answer($in_server),
	join(' ', 'gpu', 3 * $n_rows, 3 * $n_elements, 3 * $bytes, 2 * $n_rows, $n_rows) . ', not stored out of line 3 6 48',
	'the server has the sum of both');

# Running totals are looked up, too.
my $totals = 'SELECT sum(cardinality(gpu_array_cumsum(a))) FROM t WHERE i BETWEEN 1 AND 3';
is( $node->answer("SET gpuagg.engine = gpu; SET max_parallel_workers_per_gather = 0; SELECT gpuagg_cache_clear() \\g /dev/null\n"
		  . "$totals; $totals; SELECT hits, misses FROM gpuagg_session_stat WHERE engine = 'gpu'"),
	"3006\n3006\n3|3", 'hits and misses of running totals');

# Extrema and moments of the same arrays are found where a sum has loaded them;
# what the device refuses counts for the CPU.
my $reduced = 'SELECT gpu_max(a) > 0, gpu_var_pop(a) > 0 FROM t WHERE i BETWEEN 1 AND 3';
is( $node->answer("SET max_parallel_workers_per_gather = 0; SELECT gpuagg_cache_clear() \\g /dev/null\n"
		  . "SELECT gpu_sum(a) FROM t WHERE i BETWEEN 1 AND 3 \\g /dev/null\n $reduced; $in_session"),
	"t|t\ngpu 9 9018 72144 6 3",
	'hits and misses of extrema and moments');
is( $node->answer("CREATE TABLE refused (LIKE t INCLUDING STORAGE); INSERT INTO refused SELECT i, array_fill('NaN'::float8, ARRAY[1000]) FROM generate_series(1, 5) i;"
		  . "SET max_parallel_workers_per_gather = 0; SELECT gpu_var_pop(a), gpu_max(a) FROM refused; $in_session; DROP TABLE refused"),
	"NaN|NaN\ngpu 5 5000 40000 0 10, the device cannot compute it exactly 5 5000 40000",
	'what the device refuses, the CPU reads');

# Reset.
my $since = $node->answer('SELECT max(since) FROM gpuagg_server_stat');
reset_server();
is( $node->answer("SELECT count(*) > 15 AND count(*) = count(DISTINCT coalesce(reason, '')), sum(arrays), sum(bytes), sum(hits), sum(device_ms), min(since) = max(since), min(since) > '$since' "
		  . 'FROM gpuagg_server_stat'),
	't|0|0|0|0|t|t', 'a reset sets all to zero, and there is a row for each reason');
is($node->answer("SELECT reason, is_failure FROM gpuagg_server_stat WHERE reason IN ('no device', 'gpuaggd went away') ORDER BY 1"),
	"gpuaggd went away|t\nno device|f", 'reasons that are failures, and others');

# A long transaction is seen before its end, and a cancelled one is not lost.
my $many = q{SELECT gpu_sum(ARRAY[i, 1]) FROM generate_series(1, 100000) i};
my $n_small = q{SELECT arrays FROM gpuagg_server_stat WHERE reason = 'not stored out of line'};
$session->ask("BEGIN; $many");
my $seen = $node->answer($n_small);
ok($seen > 50000 && $seen <= 100000, 'a transaction that goes on is seen') or diag($seen);
$session->ask("SELECT 1 / 0");
$session->ask('ROLLBACK');
is($node->answer($n_small), 100000, 'all of it when it was rolled back');

# Failures, with the time that they took.
SKIP:
{
	skip 'the emulated device has faults, this one has none', 4 if is_cuda();
	$node->with_faults('slow_launch=30');
	$node->answer($right ? "SET gpuagg.engine = gpu; SET max_parallel_workers_per_gather = 0; SELECT gpu_sum(a) FROM t" : '');
	reset_server();
	is( $node->answer("SET max_parallel_workers_per_gather = 0; SET gpuagg.engine = gpu; SELECT gpu_sum(a) FROM t WHERE i < 1000;"
			  . "SELECT device_ms >= 30, waiting_ms >= 30, waiting_ms < 10000, device_ms < 10000 "
			  . "FROM gpuagg_session_stat WHERE engine = 'gpu'"),
		"$right\nt|t|t|t", 'time of the device, and time that the session waited');
	is($node->answer("SELECT device_ms >= 30 AND waiting_ms >= 30 FROM gpuagg_server_stat WHERE engine = 'gpu'"),
		't', 'also in the figures of the server');
	$node->with_faults('crash_launch=1');
	reset_server();
	is($node->answer(sum('off')), $right, 'the right sum when gpuaggd crashes');
	# A process that asks before gpuaggd is started again is told that the device failed.
	like($node->answer("SELECT reason, arrays FROM gpuagg_server_stat WHERE is_failure AND arrays > 0"),
		qr/^(the device failed\|\d+\n)?gpuaggd went away\|\d+$/, 'and a failure that others see');
	$node->with_faults('');
}

# EXPLAIN, from 18 on.
sub measured
{
	my ($options, $query, $settings) = @_;

	return $node->answer('SET gpuagg.engine = auto; ' . ($settings // '')
		  . "; EXPLAIN (COSTS OFF, SUMMARY OFF, BUFFERS OFF, TIMING OFF, ANALYZE, GPUAGG $options) $query");
}

# What a plan says below its node of a name.
sub below
{
	my ($plan, $name) = @_;

	return $plan =~ /^( *)(?:-> *)?$name[^\n]*\n((?:\1 ++(?!->)[^\n]*\n?)*)/m ? join("\n", map { s/^ +//r } grep { /[GC]PU:/ } split /\n/, $2) : '';
}

# Segments of shared memory.
sub segments
{
	return scalar(() = glob $node->data_dir . '/pg_dynshmem/*');
}

SKIP:
{
	skip 'EXPLAIN has options of modules from PostgreSQL 18 on', 1
	  if $node->answer('SHOW server_version_num') < 180000;
	my $alone = 'SET max_parallel_workers_per_gather = 0';
	my $workers = 'SET parallel_leader_participation = off';
	my $query = 'SELECT gpu_sum(a) FROM t WHERE i < 1000';
	my $gpu = "GPU: arrays=$n_rows elements=$n_elements bytes=$bytes";
	my $cpu = 'CPU: arrays=1 elements=2 bytes=16 reason=not stored out of line';

	my ($status, $out, $error) = $node->psql('postgres', '\set VERBOSITY verbose' . "\nEXPLAIN (GPUAGG) $query");
	like($error, qr/22023: EXPLAIN option GPUAGG requires ANALYZE.*HINT: /s, 'only what was executed has figures');
	$node->answer('SELECT gpuagg_cache_clear()');
	is(below(measured('', $query, $alone), 'Aggregate'), "$gpu hits=0 misses=$n_rows\n$cpu", 'a node that has no workers');
	is(below(measured('', $query, $workers), 'Partial Aggregate'), "$gpu hits=$n_rows misses=0\n$cpu", 'a node of two workers');
	is(below(measured('', $query), 'Partial Aggregate'), "$gpu hits=$n_rows misses=0\n$cpu", 'a node of two workers and their leader');
	unlike(measured('OFF', $query, $workers), qr/[GC]PU:/, 'nothing is printed if it is off');
	like(measured(', TIMING', $query, $alone), qr/misses=0 device time=\d+\.\d+ waiting time=\d+\.\d+$/m, 'times');
	is(below(measured('', $query, 'SET gpuagg.engine = cpu'), 'Partial Aggregate'),
		'CPU: arrays=' . ($n_rows + 1) . ' elements=' . ($n_elements + 2) . ' bytes=' . ($bytes + 16) . ' reason=gpuagg.engine is cpu',
		'the reason for the CPU');

	# each node has its own, also if it calls a function that has a query
	$node->answer(q{CREATE FUNCTION two() RETURNS float8 LANGUAGE plpgsql AS $$
		BEGIN RETURN (SELECT gpu_sum(a) FROM t WHERE i IN (1, 2)); END $$});
	my $nodes = measured('', '(SELECT gpu_sum(a) FROM t WHERE i BETWEEN 1 AND 10) UNION ALL '
		  . 'SELECT gpu_sum(ARRAY[two()]) FROM generate_series(1, 5)', $alone);
	like($nodes, qr/GPU: arrays=10 elements=10055 bytes=80440 hits=10 misses=0\n.*\n?.*CPU: arrays=5 elements=5 bytes=40 reason=not/s,
		'nodes of a query have each its own');
	is(() = $nodes =~ /[GC]PU:/g, 2, 'without those of queries in functions') or diag($nodes);
	my $groups = measured('', 'SELECT gpu_sum(s) FROM (SELECT ARRAY[gpu_sum(a)] s FROM t WHERE i > 0 GROUP BY i % 3) x', $workers);
	is(below($groups, 'Partial HashAggregate'), "$gpu hits=$n_rows misses=0", 'an aggregate of groups in workers');
	is(below($groups, 'Aggregate'), 'CPU: arrays=3 elements=3 bytes=24 reason=not stored out of line', 'and one of its results');
	is(below(measured('', 'SELECT gpu_sum(ARRAY[i + 0.5]) FROM t WHERE i BETWEEN 1 AND 10', $alone), 'Aggregate'),
		'CPU: arrays=10 elements=10 bytes=100 reason=elements are numeric', 'an aggregate of numeric');
	like(measured('', 'SELECT gpu_sum(a) OVER (ORDER BY i) FROM t WHERE i > 290', $alone), qr/WindowAgg.*GPU: arrays=10 /s, 'a window');

	my $json = $node->answer(qq{CREATE FUNCTION explained(query text) RETURNS json LANGUAGE plpgsql AS \$\$
		DECLARE plan json; BEGIN EXECUTE 'EXPLAIN (ANALYZE, GPUAGG, FORMAT JSON) ' || query INTO plan; RETURN plan; END \$\$;
		$workers; SELECT (explained('$query') -> 0 -> 'Plan' -> 'Plans' -> 0 -> 'Plans' -> 0)::jsonb - 'Workers' - 'Plans'});
	like($json, qr/"GPU": \{.*"Hits": $n_rows.*\}/, 'as JSON, in a function');
	like($json, qr/"CPU": \[\{.*"Reason": "not stored out of line".*\}\]/, 'with a list of reasons');

	# an error in a worker, a cancellation, and the same session afterwards
	my $fails = 'EXPLAIN (ANALYZE, GPUAGG) SELECT gpu_sum(a), sum(1 / (i - 7)) FROM t';
	my $hangs = 'SET LOCAL statement_timeout = 100; EXPLAIN (ANALYZE, GPUAGG) SELECT gpu_sum(a), count(pg_sleep(0.01)) FROM t';
	my $same = $node->session($workers);
	my $n_segments;
	foreach my $round (1 .. 5)
	{
		$same->ask("BEGIN; EXPLAIN (ANALYZE, GPUAGG) $query; SAVEPOINT s");
		$same->ask("$fails; ROLLBACK TO s");
		like($same->{err}, qr/division by zero/, 'an error in a worker') if $round == 1;
		$same->ask("$hangs; ROLLBACK TO s");
		like($same->{err}, qr/statement timeout/, 'a query that is cancelled') if $round == 1;
		my $again = $same->ask("EXPLAIN (ANALYZE, GPUAGG) $query");
		like($again, qr/\Q$gpu\E hits=$n_rows/, 'the same session afterwards') if $round == 1;
		is($same->ask("$query; COMMIT"), $right, 'and without EXPLAIN') if $round == 1;
		$n_segments //= segments();
	}
	ok(within(5, sub { segments() == $n_segments }), 'nothing is left in memory') or diag(segments() . " of $n_segments");
}

SKIP:
{
	skip 'auto_explain has options of modules from PostgreSQL 19 on', 3
	  if $node->answer('SHOW server_version_num') < 190000;
	my $settings = "LOAD 'auto_explain'; SET auto_explain.log_min_duration = 0; SET max_parallel_workers_per_gather = 0";
	my $query = 'SELECT gpu_sum(a) FROM t WHERE i < 1000';
	my $log = $node->log_end;

	$node->answer("$settings; SET auto_explain.log_analyze = on; SET auto_explain.log_extension_options = 'gpuagg'; $query");
	ok($node->log_since($log, qr/duration: .*plan:.*Aggregate.*GPU: arrays=$n_rows elements=$n_elements /s),
		'auto_explain logs what the device computed');
	$log = $node->log_end;
	$node->answer("$settings; SET auto_explain.log_extension_options = 'gpuagg'; $query");
	ok($node->log_since($log, qr/duration: .*plan:.*Aggregate/s), 'and the plan alone of a query that it does not measure');
	unlike(slurp_file($node->logfile, $log), qr/GPU: |ERROR/, 'without figures or an error');
}

# A crash of the server sets all to zero, with a new file.
sub files
{
	return map { s{.*/}{}r } glob $node->data_dir . '/pg_stat_tmp/gpuagg.counters.*';
}
my @before = files();
is(scalar @before, 1, 'the counters are in one file');
kill 'KILL', $session->{pid};
ok(defined within(20, sub { (eval { $node->answer($n_small) } // '') eq '0' }),
	'after a crash the server counts from zero');
my @after = files();
is(scalar @after, 1, 'in one file');
isnt($after[0], $before[0], 'which is another one');
$node->await_daemon;
is($node->answer(sum('off')), $right, 'and the server works');

# Without a place for the file, queries work and the view says why it does not.
$node->stop;
my $directory = $node->data_dir . '/pg_stat_tmp';
rename $directory, "$directory.away" or die;
$node->start;
is($node->answer(sum('off') . "; SELECT sum(arrays) > 0 FROM gpuagg_session_stat; SET parallel_leader_participation = on;"
		  . 'SET max_parallel_workers_per_gather = 0; SELECT gpu_sum(a) FROM t WHERE i < 1000'),
	"$right\nf\n$right", 'without pg_stat_tmp queries work');
my ($status, $out, $error) = $node->psql('postgres', '\set VERBOSITY verbose' . "\nSELECT * FROM gpuagg_server_stat");
like($error, qr/58P01: could not map file "pg_stat_tmp\/gpuagg.counters.*HINT: /s, 'and the view says what is missing');
$node->stop;
rename "$directory.away", $directory or die;
$node->start;
$node->answer(sum('off'));
is($node->answer("SELECT sum(arrays) FROM gpuagg_server_stat"), $n_rows + 1, 'which comes back');

$node->stop;
done_testing();
