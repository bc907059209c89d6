# 047_pairs_buckets.pl: pairs, buckets and windows of stored arrays, which wait for
# the device: its faults, cancellation, a full cache, several devices.
#
# Whatever happens, a query has the bits of the CPU.  Errors are those of the
# query, and a session goes on after them.

use strict;
use warnings;

use FindBin;
use Test::More;

use lib $FindBin::RealBin;
use GpuaggCluster qw(is_cuda);

my $node = GpuaggCluster->create('pairs_buckets',
	settings => [ 'gpuagg.min_gpu_size = 0', 'gpuagg.engine = gpu', "gpuagg.request_timeout = '20s'", 'gpuagg.cache_packing = off' ]);

$node->answer(<<'SQL');
CREATE TABLE t (i int, a float8[], b float8[], c int8[], d float8[], e int8[]);
ALTER TABLE t ALTER a SET STORAGE EXTERNAL, ALTER b SET STORAGE EXTERNAL, ALTER c SET STORAGE EXTERNAL,
	ALTER d SET STORAGE EXTERNAL, ALTER e SET STORAGE EXTERNAL;
SELECT setseed(0.5);
INSERT INTO t SELECT i, array_agg(random() - 0.5), array_agg(random() * 100) FROM generate_series(1, 4) i, generate_series(1, 60000) GROUP BY i;
UPDATE t SET c = ARRAY(SELECT 1000 * x FROM unnest(a || b) x), d = a || b;
UPDATE t SET e = c || c; -- of more values than a segment has
SQL
my %queries = (
	pairs => 'SELECT gpu_dot(a, b), gpu_weighted_avg(a, b) FROM t',
	buckets => 'SELECT md5(string_agg(gpu_array_bucket_sum(a, 200)::text, $$ $$ ORDER BY i)) FROM t',
	numerics => 'SELECT md5(string_agg(gpu_array_bucket_sum(c, 200)::text, $$ $$ ORDER BY i)) FROM t',
	windows => 'SELECT md5(string_agg(gpu_array_moving_avg(a, 6)::text, $$ $$ ORDER BY i)) FROM t',
	running => 'SELECT md5(string_agg(gpu_array_cummax(e)::text, $$ $$ ORDER BY i)) FROM t',
	differences => 'SELECT md5(string_agg(gpu_array_delta(e)::text, $$ $$ ORDER BY i)) FROM t',
	segments => 'SELECT md5(string_agg(gpu_array_moving_avg(d, 99)::text, $$ $$ ORDER BY i)) FROM t');
my %right = map { $_ => $node->answer("SET gpuagg.engine = cpu; $queries{$_}") } keys %queries;

# The reasons why the CPU computed arrays for a session, and the device's.
my $by = q{SELECT string_agg(coalesce(reason, engine) || ' ' || arrays, ', ' ORDER BY reason NULLS FIRST) FROM gpuagg_session_stat WHERE arrays > 0};

foreach my $what (sort keys %queries)
{
	my $n = $what eq 'pairs' ? 8 : 4;
	my $session = $node->session;

	$node->answer('SELECT gpuagg_cache_clear()');
	is($session->ask($queries{$what}), $right{$what}, "$what, which are loaded");
	is($session->ask($queries{$what}), $right{$what}, "$what of resident arrays");
	is($session->ask($by), 'gpu ' . 2 * $n, '... by the device');
	$session->close;
	next if is_cuda();

	# Faults at a moment: the first array of a query that finds all of them.
	foreach my $case (
		[ 'fail_launch=1', qr/the device failed/ ],
		[ 'refuse_launch=1', qr/out of device memory/ ],
		[ 'crash_launch=1', qr/gpuaggd went away/ ],
		[ 'hang_launch=1', qr/a request took too long|gpuaggd went away|the device failed/ ])
	{
		my ($fault, $reason) = @$case;
		my $timeout = $fault =~ /^hang/ ? '1s' : '20s';

		$node->configure("gpuagg.request_timeout = '$timeout'");
		$node->with_faults($fault);
		$session = $node->session('SET client_min_messages = error');
		is($session->ask($queries{$what}), $right{$what}, "$what, $fault");
		like($session->ask($by), $reason, '... with a reason');
		$session->close;
	}

	# Cancelled while the device is at it.
	$node->configure("gpuagg.request_timeout = '20s'");
	$node->with_faults('slow_launch=3000');
	$session = $node->session;
	$session->begin($queries{$what});
	$node->cancel($session);
	$session->end(20);
	like($session->{err}, qr/ERROR:  57014: /, "$what: a query is cancelled");
	$node->with_faults('slow_launch=1');
	is($session->ask($queries{$what}), $right{$what}, '... and the session goes on');
	like($session->ask($by), qr/^gpu \d/, '... with the device');
	$session->close;
}

# A segment of windows that fails when others were taken.
foreach my $fault (is_cuda() ? () : ('fail_launch=2', 'refuse_launch=3', 'crash_launch=4'))
{
	$node->with_faults($fault);
	my $session = $node->session('SET client_min_messages = error');
	is($session->ask($queries{segments}), $right{segments}, "segments, $fault");
	like($session->ask($by), qr/device|gpuaggd/, '... with a reason');
	$session->close;
}

# A device whose windows are wrong: it reduces buckets one by one.
if (!is_cuda())
{
	$node->with_faults('wrong_bits=128');
	my $session = $node->session;
	is($session->ask($queries{$_}), $right{$_}, "$_ of a device whose windows are wrong") foreach 'buckets', 'windows';
	is($session->ask($by), 'gpu 4, the device cannot compute it exactly 4', '... are buckets of its own');
	$session->close;
	$node->with_faults('slow_launch=0');
}

# auto asks for buckets and windows, and for numeric ones if they are wide. It loads
# no array for a small part of it.
{
	my $session = $node->session('SET gpuagg.engine = auto');
	my $small = 'SELECT sum(cardinality(gpu_array_bucket_max(a, 200, 1, 10000))) FROM t';
	my $narrow = 'SELECT sum(cardinality(gpu_array_bucket_max(a, 100))) FROM t';
	my $numeric = 'SELECT sum(cardinality(gpu_array_bucket_sum(c, 100))) FROM t';

	$node->answer('SELECT gpuagg_cache_clear()');
	is($session->ask("$small; SELECT coalesce(sum(entries), 0) FROM gpuagg_cache"), "200\n0", 'a small part is not loaded');
	is($session->ask($by), 'a small part of an array 4', '... but read by the CPU');
	is($session->ask("$queries{buckets}; $small"), "$right{buckets}\n200", 'wide buckets, and a small part');
	is($session->ask($by), 'gpu 8, a small part of an array 4', '... by the device');
	is($session->ask("$narrow; $by"), "2400\ngpu 12, a small part of an array 4", 'narrow buckets');
	is($session->ask("$queries{numerics}; $numeric; $by"), "$right{numerics}\n4800\ngpu 16, a small part of an array 8", 'narrow ones of numeric are the CPU\'s');
	is($session->ask("$queries{windows}; $queries{segments}; $by"), "$right{windows}\n$right{segments}\ngpu 24, a small part of an array 8", 'windows that move');
	$session->close;
}

# Two sessions, each of which waits for arrays that the other one is to load.
{
	my @sessions = map { $node->session } 1 .. 2;
	my @crossed = ('SELECT gpu_sum(a), gpu_dot(b, b) FROM t', 'SELECT gpu_sum(b), gpu_dot(a, a) FROM t');
	my @sums = map { $node->answer("SET gpuagg.engine = cpu; $_") } @crossed;

	for (1 .. 10)
	{
		$node->answer('SELECT gpuagg_cache_clear()');
		$sessions[$_]->begin($crossed[$_]) foreach 0, 1;
		is($sessions[$_]->end(20), $sums[$_], "crossed loads, session $_") foreach 0, 1;
	}
	$_->close foreach @sessions;
}

# A cancellation that a function catches ends its pair alone; a sum that is under
# way in the same session goes on.
if (!is_cuda())
{
	$node->answer(q{CREATE FUNCTION patient(wanted int) RETURNS float8 LANGUAGE plpgsql AS $$
		BEGIN RETURN (SELECT gpu_array_dot(a, b) FROM t WHERE i = wanted);
		EXCEPTION WHEN query_canceled THEN RETURN NULL; END $$});
	my $query = 'SELECT gpu_sum(a), count(patient(i)) FROM t';
	my ($sum) = split /\|/, $node->answer("SET gpuagg.engine = cpu; $query");

	$node->with_faults('slow_launch=3000');
	my $session = $node->session;
	$session->ask('SELECT gpu_sum(a), gpu_sum(b) FROM t');
	$session->begin($query);
	$node->cancel($session);
	is($session->end(20), "$sum|3", 'one pair is cancelled, and the sum is right');
	$session->close;
}

SKIP:
{
	skip 'what follows is of emulated devices', 5 if is_cuda();

	# A cache that has no room for both arrays of a pair.
	$node->configure("gpuagg.cache_size = '1MB'");
	$node->with_faults('slow_launch=0');
	my $session = $node->session;
	is($session->ask($queries{$_}), $right{$_}, "$_ in a small cache") foreach sort keys %queries;
	like($session->ask($by), qr/not kept in the cache|out of device memory/, '... with a reason');
	$session->close;
	$node->configure("gpuagg.cache_size = '256MB'");

	# Arrays of a pair may be on different devices.
	$node->configure("gpuagg.device = 'emulated:3'");
	$node->with_faults('slow_launch=0');
	$session = $node->session;
	is($session->ask($queries{pairs}), $right{pairs}, 'pairs on several devices');
	like($session->ask($by), qr/a pair on different devices/, '... some of which the CPU computes');
	is($session->ask($queries{$_}), $right{$_}, "$_ on several devices") foreach sort keys %queries;
	$session->close;
}

$node->stop;
done_testing();
