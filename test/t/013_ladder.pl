# 013_ladder.pl: the ladder's functions while a run hangs, fails, crashes, is
# short of memory, or gpuaggd goes away; and that gpuagg-ladder ends with them.

use strict;
use warnings;

use FindBin;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time sleep);

use lib $FindBin::RealBin;
use GpuaggCluster qw(within is_cuda);

my $node = GpuaggCluster->create('ladder',
	settings => [ "gpuagg.device = 'emulated'", "gpuagg.staging_size = '8MB'", 'gpuagg.cache_size = -1', "gpuagg.request_timeout = '20s'" ]);

sub answer
{
	return $node->answer($_[0]);
}

# What a query says on stderr, and how long it takes.
sub failure
{
	my ($query) = @_;
	my $err = '';
	my $start = time;

	$node->psql('postgres', $query, stderr => \$err, extra_params => [ '-v', 'VERBOSITY=verbose' ]);
	return ($err, time - $start);
}

# The programs that gpuaggd has started, and that have not ended.
sub n_programs
{
	my ($pid) = @_;

	return scalar grep { defined } split ' ', eval { slurp_file("/proc/$pid/task/$pid/children") } // '';
}

# Are there so many, within two seconds?
sub has_programs
{
	my ($pid, $n) = @_;

	return within(2, sub { n_programs($pid) == $n });
}

my $session;

# Starts a session whose third run hangs, once it does: a row is there, and the second
# kernel has been started.
sub hang
{
	my ($query) = @_;

	my $pid = $node->with_faults('ladder_hang=3');
	$session->close if defined $session;
	$session = $node->session("SET application_name = 'hangs'");
	$session->begin($query);
	has_programs($pid, 1) or die 'no session hangs';
	sleep 0.2;
}

# Runs a query for each of two sessions, the first of which does not exist: it
# has the query planned.  Milliseconds until the second one is at rest.
sub stop_session
{
	my ($call) = @_;

	return answer(qq{
		DO \$\$ DECLARE start timestamptz; who text; BEGIN
			FOREACH who IN ARRAY ARRAY['nobody', 'hangs'] LOOP
				start := clock_timestamp();
				PERFORM $call(pid) FROM pg_stat_activity WHERE application_name = who;
				WHILE EXISTS (SELECT FROM pg_stat_activity WHERE application_name = who AND state = 'active') LOOP
					PERFORM pg_stat_clear_snapshot(), pg_sleep(0.0005);
				END LOOP;
			END LOOP;
			PERFORM set_config('my.took', (extract(epoch FROM clock_timestamp() - start) * 1000)::text, false);
		END \$\$;
		SELECT current_setting('my.took')::float8;});
}

# --- permissions
answer('CREATE ROLE nobody LOGIN; CREATE ROLE watcher LOGIN IN ROLE pg_monitor');
my ($err, $took) = failure('SET ROLE nobody; SELECT FROM gpuagg_bench_scan(1000)');
like($err, qr/ERROR:  42501: permission denied for function gpuagg_bench_scan/, 'not for everybody');
# gpuaggd may not answer in time where others have the processors
my $kernels;
within(10, sub { $node->psql('postgres', 'SET ROLE watcher; SELECT kernel FROM gpuagg_bench_scan(1000, repeats => 1)', stdout => \$kernels) == 0 });
is($kernels, "cpu\ncopy\nexact-baseline\nexact", 'but for pg_monitor');

# --- a run hangs
# A processor that others use may be late, but not each time.
my $ms;
for (1 .. 10)
{
	hang("SELECT FROM gpuagg_bench_reduce(100000, repeats => 2); SELECT 'still here'");
	$ms = stop_session('pg_cancel_backend');
	last if $ms < 10;
	$session->end(60);
}
ok($ms < 10, sprintf('a cancellation is answered within 10 ms (%.1f ms)', $ms));
$session->end(60);
like($session->{err}, qr/ERROR:  57014: canceling statement due to user request/, 'with an error');
like($session->{out}, qr/still here/, 'and the session goes on');
ok(has_programs($node->daemon_pid, 0), 'without gpuagg-ladder');

hang('SELECT FROM gpuagg_bench_scan(100000, repeats => 2)');
answer("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'hangs'");
$session->end(60);
like($session->{err}, qr/terminating connection due to administrator command/, 'a session is terminated');
ok(has_programs($node->daemon_pid, 0), 'and gpuagg-ladder with it');

$node->with_faults('ladder_hang=5');
($err, $took) = failure("SET statement_timeout = '300ms'; SELECT FROM gpuagg_bench_reduce(1000)");
like($err, qr/canceling statement due to statement timeout/, 'statement_timeout');
ok($took < 5, sprintf('at once (%.3f s)', $took));

# --- resident arrays stay where they are
answer("CREATE TABLE series AS SELECT array_agg(i) v FROM generate_series(1, 100000) i");
my $sum = "SET gpuagg.engine = gpu; SELECT gpu_sum(v) FROM series";

$node->configure("gpuagg.request_timeout = '1s'");
my $hung_pid = $node->with_faults('ladder_hang=3');
answer($sum) for 1 .. 2;
my $resident = answer('SELECT sum(bytes) FROM gpuagg_cache');
cmp_ok($resident, '>', 0, 'an array is resident');
($err, $took) = failure('SELECT FROM gpuagg_bench_reduce(1000, repeats => 2)');
like($err, qr/ERROR:  58000: kernel "copy" was not timed: the device failed\nDETAIL: .*no answer from the device for 1000 ms/,
	'a run that takes too long is an error');
like($err, qr/HINT: /, 'with a hint');
ok($took < 3.6, sprintf('in time (%.3f s)', $took));
is($node->daemon_pid, $hung_pid, 'gpuaggd goes on');
is(answer('SELECT sum(bytes) FROM gpuagg_cache'), $resident, 'with all that is resident');
is(answer($sum), '5000050000', 'and answers');
ok(has_programs($hung_pid, 0), 'without gpuagg-ladder');

# --- many runs take longer than a request may
$node->with_faults('ladder_hang=0');
# Each is short, but for one that has to wait for a processor.
for (1 .. 3)
{
	$session->close;
	$session = $node->session;
	last if $session->ask('SELECT count(*) FROM gpuagg_bench_scan(1 << 24, type => \'bigint\', repeats => 1000)', 300) eq '4';
}
is($session->{out}, '4', 'all runs together may take longer');
cmp_ok($session->{seconds}, '>', 1, sprintf('which they do (%.1f s)', $session->{seconds}));

# --- cancelled while it works: nothing is left
$node->configure("gpuagg.request_timeout = '20s'");
my $pid = $node->with_faults('ladder_hang=0');
answer('SELECT FROM gpuagg_bench_scan(1, repeats => 1)');
my $used = answer('SELECT used_bytes FROM gpuagg_devices');
for my $query ("gpuagg_bench_scan(1 << 22, 'float8', 1000)", "gpuagg_bench_reduce(1 << 28, 'float8')")
{
	# without the start of psql
	for (1 .. 5)
	{
		$session = $node->session;
		$session->ask("SET statement_timeout = '500ms'; SELECT FROM $query", 60);
		($err, $took) = @$session{qw(err seconds)};
		$session->close;
		last if $took < 1;
	}
	like($err, qr/canceling statement due to statement timeout/, "$query is cancelled");
	ok($took < 1, sprintf('at once (%.3f s)', $took));
	ok( $node->poll_query_until('postgres',
			"SELECT used_bytes = $used AND leases = 0 AND sessions = 0 FROM gpuagg_devices"),
		'memory and the lease come back');
	ok(has_programs($pid, 0), 'gpuagg-ladder has ended');
}
is(answer("SELECT count(*) FROM gpuagg_bench_scan(1000)"), '4', 'others have them');
is($node->daemon_pid, $pid, 'from the same gpuaggd');

# --- gpuaggd goes away
hang("SELECT FROM gpuagg_bench_scan(100000, repeats => 2); SELECT 'still here'");
my $killed = time;
kill 'KILL', $node->daemon_pid;
$session->end(60);
ok(time - $killed < 5, 'a killed gpuaggd is noticed');
like($session->{err}, qr/ERROR:  58000: kernel "copy" was not timed: gpuaggd went away/, 'as an error');
like($session->{out}, qr/still here/, 'and the session goes on');
$node->with_faults('ladder_fail=3');
($err, $took) = failure('SELECT FROM gpuagg_bench_scan(1000, repeats => 2)');
like($err, qr/ERROR:  58000: kernel "copy" was not timed: the device failed\nDETAIL: .*run 3: injected failure/, 'a failure');

# --- gpuagg-ladder goes away
$pid = $node->with_faults('ladder_crash=3');
($err, $took) = failure('SELECT FROM gpuagg_bench_scan(1000, repeats => 2)');
like($err, qr/ERROR:  58000: kernel "copy" was not timed: the device failed\nDETAIL:  gpuagg-ladder: it was ended by signal 6\nHINT: /, 'a crash');
is(answer($sum), '5000050000', 'sums go on');
is($node->daemon_pid, $pid, 'with the same gpuaggd');

# --- no memory
$node->with_faults('ladder_refuse=3');
($err, $took) = failure('SELECT FROM gpuagg_bench_reduce(1000, repeats => 2)');
like($err, qr/ERROR:  53200: kernel "copy" was not timed: out of device memory/, 'too little memory is an error');
like($err, qr/DETAIL: .*run 3: injected lack of memory/, 'that says what is missing');
like($err, qr/HINT: .*gpuagg\.cache_size/, 'and what can be done');
is(answer($sum), '5000050000', 'which sums have');
$node->with_faults('ladder_refuse=0');
is(answer("SELECT count(*) FROM gpuagg_bench_reduce(1000)"), '4', 'enough is none');

# --- no device
$node->reload_with("gpuagg.device = 'none'");
ok($node->poll_query_until('postgres', "SELECT state = 'off' FROM gpuagg_devices"), 'no device');
($err, $took) = failure('SELECT FROM gpuagg_bench_reduce()');
like($err, qr/ERROR:  55000: the ladder needs a device: no device\nDETAIL:  gpuagg.device is none\nHINT: /, 'no ladder');

$session->close;
$node->stop;
done_testing();
