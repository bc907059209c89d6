# 015_hang.pl: a gpuaggd that does not answer costs one query a moment.
#
# The supervisor watches gpuaggd, keeps sessions away from one that does not
# answer, and ends it.  So the query that meets it first loses a second at most,
# and no later query of any session waits for it.  Times of queries are the
# server's, from a query's arrival to its sum.

use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use GpuaggCluster qw(within waiting is_cuda);
use List::Util qw(max);
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time sleep);

# In seconds, for the first query, for others, for a cancellation, and until the
# device is used again.
my ($FIRST, $LATER, $CANCEL, $BACK) = (1, 0.01, 0.01, 3);

my $node = GpuaggCluster->create('hang');
$node->answer('CREATE TABLE t (a float8[]); ALTER TABLE t ALTER a SET STORAGE EXTERNAL');
$node->answer('INSERT INTO t SELECT array_agg(r * i) FROM generate_series(1, 10) r, generate_series(1, 1000) i GROUP BY r');
my $right = $node->answer('SELECT sum(x) FROM t, unnest(a) x');
my $sum = 'SELECT extract(epoch FROM clock_timestamp() - statement_timestamp()), gpu_sum(a) FROM t';

# Return what the query took for the server; it must be right.
sub seconds
{
	my ($session, $what) = @_;
	my ($seconds, $answer) = split /\|/, $session->end // '';

	is($answer, $right, "the sum is right: $what");
	return $seconds // 999;
}

# Return the counts of this session: of the device, and of the CPU for a reason.
sub counts
{
	my ($session) = @_;

	return {
		map { split /=/ } split /\n/, $session->ask(
			"SELECT coalesce(reason, 'device') || '=' || arrays FROM gpuagg_session_stat WHERE engine = 'gpu' OR reason IS NOT NULL")
	};
}

sub is_hung
{
	return ($node->daemon_status->{state} // '') eq 'hung';
}

# Open sessions that have used the device, so that they have connections.
sub warm_sessions
{
	my ($n) = @_;
	my @sessions = map { $node->session } 1 .. $n;

	within(10, sub { $_->ask($sum); counts($_)->{device} }) or die 'the device is not used' foreach @sessions;
	return @sessions;
}

# While gpuaggd does not answer: return the seconds that the slowest query of
# these sessions takes, with a connection or without.
sub slowest_later
{
	my ($what, @sessions) = @_;
	my $slowest;

	for (1 .. 3)
	{
		$slowest = max(map { seconds($_->begin($sum), $what) } @sessions);
		last if $slowest <= $LATER;
	}
	return $slowest;
}

sub check_later
{
	my ($what, $slowest) = @_;

	cmp_ok($slowest, '<=', $LATER, "no later query waits: $what");
	note(sprintf '%s: later queries took %.2f ms at most', $what, $slowest * 1000);
}

# Have gpuaggd become silent before the queries of some sessions, by a function
# that returns its process and the time.  Check results, and that another gpuaggd
# comes; return what depends on time: of these queries, of later ones, of views.
sub watch_hang
{
	my ($what, $silence, $first, $later) = @_;
	my $log = $node->log_end;
	my $fresh = $node->session;
	my $n_restarts = $node->daemon_status->{n_restarts};
	my ($pid, $silent_at) = $silence->();
	my %seen = (first => max(map { seconds($_, $what) } @$first));

	$seen{state} = $first->[0]->ask("SELECT state || ': ' || reason FROM gpuagg_devices");
	$seen{later} = slowest_later($what, @$first, @$later, $fresh);
	$seen{n_named} = grep { counts($_)->{'gpuaggd does not answer'} } @$first, $fresh;
	ok($node->await_daemon($pid), "another gpuaggd comes: $what");
	ok(!kill(0, $pid), "the old one is gone: $what");
	my $before = counts($fresh)->{device} // 0;
	ok(defined within(20, sub { $fresh->ask($sum); (counts($fresh)->{device} // 0) > $before }), "it is used: $what");
	$seen{back} = time - $silent_at;
	is($node->daemon_status->{n_restarts}, $n_restarts + 1, "it was restarted once: $what");
	ok($node->log_since($log, qr/WARNING:  gpuaggd did not answer for 1200 ms\n.*DETAIL:  Process $pid is killed\.\n.*HINT:  ./),
		"the log has it: $what");
	$fresh->close;
	return \%seen;
}

# The same, and check what depends on time; not in moments in which the machine is
# too slow to tell.
sub check_hang
{
	my ($what, $silence, $first, $later) = @_;
	my $state = 'hung: it does not answer';
	my $seen;

	for (1 .. 5)
	{
		$seen = watch_hang($what, $silence, $first, $later);
		last if $seen->{first} <= $FIRST && $seen->{later} <= $LATER && $seen->{back} <= $BACK
			&& $seen->{state} eq $state && $seen->{n_named} == @$first + 1;
	}
	cmp_ok($seen->{first}, '<=', $FIRST, "the first queries lose a second at most: $what");
	note(sprintf '%s: the first queries took %.0f ms at most', $what, $seen->{first} * 1000);
	check_later($what, $seen->{later});
	is($seen->{state}, $state, "gpuagg_devices says so: $what");
	is($seen->{n_named}, @$first + 1, "the reason has a name in each session: $what");
	cmp_ok($seen->{back}, '<=', $BACK, "used again in time: $what");
	note(sprintf '%s: used again after %.1f s', $what, $seen->{back});
}

# Stopped.
my @sessions = warm_sessions(4);
my @parts = ([ @sessions[ 0, 1 ] ], [ @sessions[ 2, 3 ] ]);
my $pid;

sub stop_it
{
	my $silent_at = time;

	$pid = $node->signal_daemon('STOP');
	$_->begin($sum) foreach @sessions[ 0, 1 ];
	return ($pid, $silent_at);
}

check_hang('stopped', \&stop_it, @parts);

# In a call of the driver that does not return.
sub block_it
{
	my $silent_at;

	$pid = $node->with_faults('block_launch=60');
	for (1 .. 100)
	{
		$silent_at = time;
		next if defined $sessions[0]->begin($sum)->end(0.25);
		$sessions[1]->begin($sum);
		within(3, sub { is_hung() || $sessions[0]->has_ended });
		last if within(0.3, \&is_hung);
		$sessions[1]->end; # it was only slow
	}
	return ($pid, $silent_at);
}

SKIP:
{
	skip 'faults are those of the emulated device', 1 if is_cuda;
	check_hang('blocked', \&block_it, @parts);
	$node->with_faults('');
}

# Nobody was there when it happened.
@sessions = (@sessions, warm_sessions(1));
seconds($_->begin($sum), 'before') foreach @sessions;
my $gpu = $node->session('SET gpuagg.engine = gpu');
$pid = $node->signal_daemon('STOP');
ok(defined $node->await_state('hung', 3), 'a gpuaggd that nobody uses is watched, too');
check_later('seen before', slowest_later('seen before', @sessions, $gpu));
ok(counts($gpu)->{'gpuaggd does not answer'}, 'also not with gpuagg.engine = gpu');

# A query that waits for it is cancelled.  What the processes that take part wait
# for a processor is not gpuagg's time.
$node->await_daemon($pid);
my $took;
for (1 .. 5)
{
	my $n = counts($sessions[0])->{device};
	within(10, sub { $sessions[0]->ask($sum); counts($sessions[0])->{device} > $n }) or die 'the device is not used';
	my $canceller = $node->session;
	$pid = $node->signal_daemon('STOP');
	$sessions[0]->begin($sum);
	sleep 0.1;
	my @take_part = map { $_->processes } $sessions[0], $canceller;
	my $begin = time - waiting(@take_part);
	$canceller->begin("SELECT pg_cancel_backend($sessions[0]{pid})");
	$sessions[0]->end(5);
	$took = time - waiting(@take_part) - $begin;
	like($sessions[0]{err}, qr/ERROR:  57014: /, 'a query that waits for a hung gpuaggd is cancelled');
	$canceller->end;
	$canceller->close;
	$node->await_daemon($pid);
	last if $took <= $CANCEL;
}
cmp_ok($took, '<=', $CANCEL, 'at once');

# It answers again in time.
within(10, sub { $sessions[0]->ask($sum); $node->daemon_status->{state} eq 'up' });
my $log = $node->log_end;
$pid = $node->signal_daemon('STOP');
ok(defined $node->await_state('hung', 3), 'it is silent for a moment');
kill 'CONT', $pid;
ok(defined $node->await_state('up', 3), 'and answers again');
is($node->daemon_pid, $pid, 'the same process');
ok($node->log_since($log, qr/LOG:  gpuaggd answers again/), 'as the log says');
my $before = counts($sessions[0])->{device};
ok(defined within(5, sub { $sessions[0]->ask($sum); counts($sessions[0])->{device} > $before }), 'it is used again');

# It is in a debugger, which ptrace() stands for; by its number on x86-64.
SKIP:
{
	my ($seize, $interrupt, $detach) = (0x4206, 0x4207, 17);

	$pid = $node->await_daemon;
	skip 'no process can be traced here', 1
	  if `uname -m` ne "x86_64\n" || syscall(101, $seize, $pid, 0, 0) != 0;
	syscall(101, $interrupt, $pid, 0, 0);
	ok(defined $node->await_state('hung', 3), 'gpuaggd in a debugger does not answer');
	check_later('in a debugger', slowest_later('in a debugger', @sessions));
	sleep 1.5;
	is($node->daemon_status->{state}, 'hung', 'it is left alone');
	syscall(101, $detach, $pid, 0, 0);
	ok(defined $node->await_state('up', 3), 'after the debugger it goes on');
	is($node->daemon_pid, $pid, 'the same process');
}

# It is told to stop while it is stopped.
$pid = $node->signal_daemon('STOP');
$node->reload_with("gpuagg.device = 'none'");
ok(defined $node->all_gone(3), 'gpuagg.device = none ends one that does not answer');

$_->close foreach @sessions, $gpu;
$node->stop;
done_testing();
