# 049_elem_faults.pl: sums and extremes by position of stored arrays when the device fails, is
# cancelled, keeps only some of the arrays, or there are several devices.
#
# Whatever happens, a query has the bits of the CPU.  Errors are those of the
# query, and a session goes on after them.

use strict;
use warnings;

use FindBin;
use Test::More;

use lib $FindBin::RealBin;
use GpuaggCluster qw(is_cuda is_sanitized within);

plan skip_all => 'a GPU does not fail on purpose' if is_cuda();

my $node = GpuaggCluster->create('elem_faults',
	settings => [ 'gpuagg.min_gpu_size = 0', 'gpuagg.cache_packing = off', 'gpuagg.engine = gpu', "gpuagg.request_timeout = '20s'", 'max_parallel_workers_per_gather = 0' ]);

# Arrays whose records need two requests.
my $n = 70000;
$node->answer(<<SQL);
CREATE TABLE t (i int, f8 float8[], i8 int8[]);
ALTER TABLE t ALTER f8 SET STORAGE EXTERNAL, ALTER i8 SET STORAGE EXTERNAL;
SELECT setseed(0.5);
INSERT INTO t SELECT i, a, a::int8[] FROM (SELECT i, array_agg((random() - 0.5) * power(2::float8, i)) AS a
	FROM generate_series(1, 10) i, generate_series(1, $n) GROUP BY i) q;
CREATE TABLE few AS SELECT * FROM t WHERE i < 3;
ALTER TABLE few ALTER f8 SET STORAGE EXTERNAL, ALTER i8 SET STORAGE EXTERNAL;
UPDATE few SET f8 = f8 || 0::float8, i8 = i8 || 0::int8;
CREATE FUNCTION patient(query text) RETURNS text LANGUAGE plpgsql AS \$\$
DECLARE result text;
BEGIN
	EXECUTE query INTO result;
	RETURN result;
EXCEPTION WHEN query_canceled THEN RETURN 'cancelled';
END \$\$;
SQL
my %queries = (
	values => 'SELECT md5(gpu_elem_sum(f8)::text) FROM t',
	extremes => 'SELECT md5(gpu_elem_max(f8)::text) FROM t',
	records => 'SELECT md5(gpu_elem_sum(i8)::text) FROM t',
	groups => 'SELECT md5(array_agg(s::text ORDER BY g)::text) FROM (SELECT i % 2 AS g, gpu_elem_avg(i8) AS s FROM t GROUP BY 1) q');
my %right = map { $_ => $node->answer("SET gpuagg.engine = cpu; $queries{$_}") } keys %queries;
# a slow device takes its time for each array that it loads
my %few = map { $_ => $queries{$_} =~ s/FROM t\b/FROM few/r } keys %queries;
my %right_of_few = map { $_ => $node->answer("SET gpuagg.engine = cpu; $few{$_}") } keys %few;

# Who computed for a session, and why: arrays and elements.
my $by = q{SELECT string_agg(concat_ws(' ', coalesce(reason, engine), arrays, elements), ', ' ORDER BY reason NULLS FIRST) FROM gpuagg_session_stat WHERE elements > 0};
my $all = "gpu 10 @{[10 * $n]}";

# Faults at each launch of a query, until one does not happen any more.
foreach my $case (
	[ 'fail_launch', qr/the device failed/ ],
	[ 'refuse_launch', qr/out of device memory/ ],
	[ 'crash_launch', qr/gpuaggd went away|the device failed/ ],
	[ 'hang_launch', qr/a request took too long|gpuaggd went away|the device failed/ ])
{
	my ($fault, $reason) = @$case;
	my $timeout = $fault ne 'hang_launch' ? '20s' : is_sanitized() ? '5s' : '1s';

	# the next gpuaggd has it
	$node->configure("gpuagg.request_timeout = '$timeout'");
	foreach my $what ('values', 'extremes', 'records', $fault eq 'fail_launch' ? 'groups' : ())
	{
		my ($at, $n_seen) = (0, 0);

		while (++$at <= 6)
		{
			$node->with_faults("$fault=$at");
			my $session = $node->session('SET client_min_messages = error');
			my $found = $session->ask($queries{$what});
			my $who = $session->ask($by);

			is($found, $right{$what}, "$what, $fault=$at: $who");
			is($session->{err}, '', '... without an error');
			$session->close;
			last if $who eq $all;
			$n_seen++ if $who =~ $reason;
		}
		cmp_ok($n_seen, '>', 0, "... which the session says $n_seen times");
	}
}
$node->configure("gpuagg.request_timeout = '20s'");

# Cancelled while the device adds arrays that are resident.
foreach my $what (sort keys %queries)
{
	$node->with_faults('slow_launch=1500');
	my $session = $node->session;
	is($session->ask($few{$what}), $right_of_few{$what}, "$what by a slow device");
	$session->begin($few{$what});
	$node->cancel($session);
	$session->end(20);
	like($session->{err}, qr/ERROR:  57014: /, '... is cancelled');
	$session->ask("SET statement_timeout = 400; $few{$what}");
	like($session->{err}, qr/ERROR:  57014: .*statement timeout/, '... by a timeout');
	is($session->ask("SET statement_timeout = 0; $few{$what}"), $right_of_few{$what}, '... and the session goes on');
	like($session->ask($by), qr/^gpu \d+ \d+$/, '... with the device');
	$session->begin("SELECT patient('$few{$what}')");
	$node->cancel($session);
	is($session->end(20), 'cancelled', '... a function catches the end of its query');
	is($session->ask($few{$what}), $right_of_few{$what}, '... and the session goes on');
	$session->close;
	ok(within(5, sub { $node->answer('SELECT coalesce(sum(leases), 0) FROM gpuagg_devices') <= 1 }), 'no lease is left');
}

# A sum that is under way goes on when sums by position within it are cancelled.
{
	my $query = q{SELECT gpu_sum(f8), count(*) FILTER (WHERE patient('SELECT gpu_elem_sum(f8) FROM few') = 'cancelled') FROM few};
	my ($sum) = split /\|/, $node->answer("SET gpuagg.engine = cpu; $query");

	$node->with_faults('slow_launch=3000');
	my $session = $node->session;
	$session->ask($few{values});
	$session->begin($query);
	$node->cancel($session);
	is($session->end(30), "$sum|1", 'one query is cancelled, and the sum of the other one is right');
	$session->close;
}

# gpuaggd dies in the middle, or the backend.
{
	$node->with_faults('slow_launch=1500');
	my $session = $node->session('SET client_min_messages = error');
	$session->ask($few{records});
	$session->begin($few{records});
	$node->await_device($session);
	my $pid = $node->signal_daemon('KILL');
	is($session->end(20), $right_of_few{records}, 'gpuaggd is killed');
	like($session->ask($by), qr/gpuaggd went away/, '... which is the reason');
	$node->await_daemon($pid);
	$node->with_faults('slow_launch=1500');
	$session->ask($few{records});
	$session->begin($few{records});
	$node->await_device($session);
	$node->look("SELECT pg_terminate_backend($session->{pid})");
	$session->end(20);
	like($session->{err}, qr/57P01/, 'a backend is terminated');
	$session->close;
	is($node->answer($few{records}), $right_of_few{records}, '... and others go on');
	is($node->answer('SELECT gpuagg_cache_clear() > 0'), 't', '... nothing that it used is in use');
}

# A cache that keeps some of the arrays, or that has no memory for a request.
foreach my $case ([ '8MB', qr/^gpu (\d+) \d+, not kept in the cache (\d+) \d+$/ ], [ '1MB', qr/^(?:gpu (\d+) \d+, )?(?:not kept in the cache|out of device memory) (\d+) \d+$/ ])
{
	my ($size, $who) = @$case;

	$node->configure("gpuagg.cache_size = '$size'");
	$node->with_faults('');
	foreach my $what ('records', 'values', 'extremes', 'records')
	{
		my $session = $node->session;
		is($session->ask($queries{$what}), $right{$what}, "$what in a cache of $size");
		my $found = $session->ask($by);
		like($found, $who, '... who computed');
		is($found =~ $who ? ($1 // 0) + $2 : 0, 10, '... and each once');
		$session->close;
	}
}
$node->configure("gpuagg.cache_size = '256MB'");

# A device that makes wrong extremes.
$node->with_faults('wrong_bits=4');
{
	my $session = $node->session;
	is($session->ask($queries{extremes}), $right{extremes}, 'greatest elements of a device that makes wrong ones');
	is($session->ask($by), "the device cannot compute it exactly 10 @{[10 * $n]}", '... are the CPU\'s');
	is($session->ask($queries{values}), $right{values}, '... and sums are its own');
	$session->close;
}

# Arrays on several devices, one of which fails.
$node->configure("gpuagg.device = 'emulated:3'");
$node->with_faults('');
foreach my $when ('cold', 'resident')
{
	foreach my $what (sort keys %queries)
	{
		my $session = $node->session;
		is($session->ask($queries{$what}), $right{$what}, "$what on several devices, $when");
		is($session->ask($by), $all, '... which compute all');
		$session->close;
	}
}
cmp_ok($node->answer(q{SELECT count(DISTINCT device) FROM gpuagg_cache WHERE relation = 't'::regclass}), '>', 1, 'on more than one');
foreach my $at (1 .. 4)
{
	$node->with_faults("fail_launch=$at");
	my $session = $node->session('SET client_min_messages = error');
	is($session->ask("$queries{records}; $queries{records}"), "$right{records}\n$right{records}", "the first device fails at launch $at");
	like($session->ask($by), qr{the device failed|gpuaggd went away}, '... which is the reason') if $at < 3;
	$session->close;
}

$node->stop;
done_testing();
