# 035_start_rules.pl: when sessions and the supervisor try again, and whom they trust.
#
# A session that cannot have the device tries again after a while and not before,
# and at once after a reload.  There is one supervisor, whatever is registered;
# one that failed harms nobody.  Both ends of the socket refuse another user.

use strict;
use warnings;

use Fcntl qw(:flock);
use File::Basename;
use FindBin;
use lib $FindBin::RealBin;
use GpuaggCluster qw(within);
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time sleep);

$ENV{LD_PRELOAD} = dirname($ENV{GPUAGG_TEST_MODULE}) . '/preloaded.so';
my $node = GpuaggCluster->create('rules', preload => 0, script => '',
	settings => [ "gpuagg.request_timeout = '5s'", 'max_parallel_workers_per_gather = 0' ]);
my $data = $node->data_dir;
my $query = 'SELECT gpu_sum(x) FROM series';
my $by_device = q{SELECT coalesce(sum(arrays), 0) FROM gpuagg_session_stat WHERE engine = 'gpu'};
my $reason = q{SELECT string_agg(reason, ', ') FROM gpuagg_session_stat WHERE engine = 'cpu' AND arrays > 0};

$node->answer(qq{
	CREATE TABLE series (x float8[]);
	ALTER TABLE series ALTER x SET STORAGE external;
	INSERT INTO series SELECT array_agg(i::float8) FROM generate_series(1, 5000) i;
	CREATE FUNCTION start_supervisor() RETURNS bool AS '$ENV{GPUAGG_TEST_MODULE}' LANGUAGE C});
my $right = $node->answer("SET gpuagg.engine = cpu; $query");

# Has the server run another gpuaggd, from its start on; returns a session.
sub start_with
{
	my ($script) = @_;

	$node->stop('fast');
	$node->replace_daemon($script);
	$node->start;
	return $node->session('SET gpuagg.min_gpu_size = 0; SET client_min_messages = error');
}

# Queries for so many seconds, one after the other, all right.
sub ask_for
{
	my ($session, $seconds) = @_;
	my $until = time + $seconds;
	my ($n, $n_wrong) = (0, 0);

	while (time < $until)
	{
		$n++;
		$n_wrong++ if ($session->ask($query, 5) // '') ne $right;
	}
	is($n_wrong, 0, "$n queries in $seconds s are right");
	return $n;
}

# How often the log says something, since a place in it.
sub count_in_log
{
	my ($from, $pattern) = @_;
	my @found = slurp_file($node->logfile, $from) =~ /$pattern/g;

	return scalar @found;
}

my ($session, $log, $n, $pid);
my $works = 'exec $gpuaggd, @ARGV;';
my $fails = 'print "FATAL: no driver\n"; exit 10;';

# --- how long a session does not try again
$session = start_with('exec $gpuaggd, @ARGV, "--emulated-faults=wrong_version=1";');
$log = $node->log_end;
$session->ask($query);
$node->await_daemon;
my $first;
within(
	10,
	sub {
		$first = time;
		$session->ask($query);
		within(0.5, sub { count_in_log($log, qr/GA_HELLO: the protocol's version/) });
	});
is($session->ask($reason) =~ /another version/, 1, 'gpuaggd of another version');
ask_for($session, 1.5);
is(count_in_log($log, qr/GA_HELLO: the protocol's version/), 1, 'which a session does not ask again and again');
my $again = within(20, sub { $session->ask($query); count_in_log($log, qr/GA_HELLO: the protocol's version/) > 1 });
ok(defined $again && time - $first > 4, 'but after 5 s') or diag(time - $first);

# a reload has it try at once
$session->ask($query);
$node->replace_daemon($works);
$pid = $node->daemon_pid;
$node->reload_with("gpuagg.cache_size = '255MB'");
$node->await_daemon($pid);
$node->reload;
$first = time;
ok(defined within(3, sub { $session->ask($query); $session->ask($by_device) > 0 }) && time - $first < 3,
	'and at once after a reload') or diag(time - $first);
$session->close;

# a failure is soon over, and yet not tried by each query; what reads its input is not hung
$session = start_with(<<'PERL');
if (fork == 0) { 1 while sysread STDIN, my $b, 1000; exit }
use Socket;
my ($path) = map { /^--socket=(.*)/ } @ARGV;
my $server;
socket($server, AF_UNIX, SOCK_SEQPACKET, 0) && bind($server, pack_sockaddr_un($path)) && listen($server, 99) or die;
print "READY\n";
while (accept(my $client, $server)) { print "LOG: accepted\n"; close $client }
PERL
$session->ask($query);
$node->await_daemon;
$log = $node->log_end;
$n = ask_for($session, 2);
sleep 0.2;
my $tries = count_in_log($log, qr/gpuaggd: accepted/);
ok($tries >= 3 && $tries <= 11, "a gpuaggd that closes connections is asked every 200 ms: $tries times in 2 s, in $n queries");
$session->close;

# --- a refusal, until a reload
$session = start_with($fails);
$session->ask($query);
ok(defined within(5, sub { ($node->daemon_status->{state} // '') =~ /failed|absent/ }), 'there is no driver');
ok(defined $node->all_gone, 'and no supervisor');
$log = $node->log_end;
$node->replace_daemon($works);
ask_for($session, 0.5);
is($node->daemons + $node->supervisors, 0, 'no session starts another one');
is($node->answer("SET gpuagg.min_gpu_size = 0; $query; $reason"), "$right\nno device", 'nor a new session');
$node->reload;
$first = time;
ok(defined within(4, sub { $session->ask($query); $session->ask($by_device) > 0 }), 'a reload clears that');
cmp_ok(time - $first, '<', 4, 'at once');
$session->close;

# --- how many supervisors a reload brings that a session sees late
# Each has the server's log at DEBUG1, where the postmaster names its workers.
$node->configure('log_min_messages = debug1');
$session = start_with($fails);
my @late = map { $node->session('SET gpuagg.min_gpu_size = 0; SET client_min_messages = error') } 1 .. 2;
$session->ask($query);
ok(defined within(10, sub { ($node->daemon_status->{state} // '') =~ /failed|absent/ }) && defined $node->all_gone, 'there is no driver');
my $failed_at = $node->daemon_status->{since};
$node->reload;
ok( defined within(10, sub { $session->ask($query); ($node->daemon_status->{since} // $failed_at) > $failed_at }) && defined $node->all_gone,
	'nor after a reload');

my $started = qr/starting background worker process "gpuagg supervisor"/;
$log = $node->log_end;
ask_for($late[0], 2);
is(count_in_log($log, $started), 1, 'a session that sees the reload later has one supervisor look');

# which cannot say that it has looked
my $in_the_way = "$data/pg_stat_tmp/gpuagg.status.tmp";
mkdir $in_the_way;
$log = $node->log_end;
$n = ask_for($late[1], 3);
$tries = count_in_log($log, $started);
ok($tries >= 2 && $tries <= 6, "one that is of no use is started after 0.1, 0.2, 0.4, ... s: $tries in 3 s, in $n queries");
rmdir $in_the_way;
$_->close foreach $session, @late;
$node->configure('log_min_messages = warning');

# --- a reload between the start and the end of one that fails
$session = start_with('my $has = -e "driver"; sleep 2; if ($has) { exec $gpuaggd, @ARGV } print "FATAL: no driver\n"; exit 10;');
$session->ask($query);
ok(defined within(5, sub { $node->daemons || $node->processes(qr{module/gpuaggd}) }), 'gpuaggd looks for a driver');
append_to_file("$data/driver", '');
sleep 0.5;
$node->reload;
$pid = eval { $node->await_daemon(0, 12) };
ok($pid, 'which came meanwhile: it is tried once more');
ok(defined within(4, sub { $session->ask($query); $session->ask($by_device) > 0 }), 'and used');
$session->close;
unlink "$data/driver";

# --- a reload that comes while the supervisor starts
# This setting has a new process sleep, before it can be told of a reload.
$node->configure('post_auth_delay = 1');
$session = start_with($works);
$session->ask($query);
sleep 0.5;
$node->reload_with("gpuagg.cache_size = '254MB'", 'post_auth_delay = 0');
$pid = $node->await_daemon;
ok(defined within(3, sub { slurp_file('/proc/' . $node->daemon_pid . '/cmdline') =~ /--cache-size=254\0/ }), 'it has the new settings')
  or diag(join(' ', split(/\0/, slurp_file('/proc/' . $node->daemon_pid . '/cmdline'))));
$session->close;

# --- another user at the other end
$session = start_with($works);
$session->ask("SET gpuagg.engine = gpu; $query; SET gpuagg.engine = auto");
$session->close;
foreach my $end (qw(postgres gpuaggd))
{
	my $file = "$data/peer_of_$end";

	$log = $node->log_end;
	append_to_file($file, '');
	is($node->answer("SET gpuagg.min_gpu_size = 0; $query; $by_device"), "$right\n0", "$end sees another user at the other end: the CPU");
	ok($node->log_since($log, qr/a connection of another user was turned away/), 'which gpuaggd says') if $end eq 'gpuaggd';
	is(count_in_log($log, qr/turned away/), 0, 'gpuaggd turns nobody away') if $end eq 'postgres';
	unlink $file;
	is($node->answer("SET gpuagg.engine = gpu; $query; $by_device"), "$right\n1", 'its own user is welcome');
}

# --- a second supervisor
$pid = $node->daemon_pid;
my @before = $node->supervisors;
$log = $node->log_end;
is($node->answer('SELECT start_supervisor() FROM generate_series(1, 3)'), "t\nt\nt", 'three more supervisors end by themselves');
is_deeply([ $node->supervisors ], \@before, 'the first one stays');
is($node->daemon_pid, $pid, 'and its gpuaggd');
is($node->answer("SET gpuagg.engine = gpu; $query; $by_device"), "$right\n1", 'which sessions use');
is(count_in_log($log, qr/gpuagg supervisor.*exit/i), 0, 'and nothing was wrong') or diag(slurp_file($node->logfile, $log));

# --- a supervisor that fails
$node->stop('fast');
unlink "$data/pg_stat_tmp/gpuagg.lock";
mkdir "$data/pg_stat_tmp/gpuagg.lock";
$node->start;
$log = $node->log_end;
is($node->answer("SET gpuagg.min_gpu_size = 0; $query; $by_device"), "$right\n0", 'no lock file: the CPU');
ok($node->log_since($log, qr/(?:ERROR|LOG:  gpuaggd is not started):  ?could not open file "pg_stat_tmp\/gpuagg.lock"/), 'the log says why');
ok(defined $node->all_gone, 'the supervisor has ended');
rmdir "$data/pg_stat_tmp/gpuagg.lock";
is($node->answer("SET gpuagg.engine = gpu; $query; $by_device"), "$right\n1", 'the next session starts another one');

# --- gpuaggd of an earlier supervisor
$node->stop('fast');
open my $lock, '+<', "$data/pg_stat_tmp/gpuagg.lock" or die $!;
defined within(5, sub { flock $lock, LOCK_EX | LOCK_NB }) or die "the lock is held: $!";
$node->start;
$log = $node->log_end;
is($node->answer("SET gpuagg.min_gpu_size = 0; $query; $by_device"), "$right\n0", 'an earlier gpuaggd has not ended: the CPU');
is(scalar($node->daemons), 0, 'there is no second one');
my $event = $node->answer("SELECT current_setting('server_version_num')::int >= 170000") eq 't' ? 'GpuaggLock' : 'Extension';
ok( defined within(
		3, sub { $node->answer("SELECT wait_event FROM pg_stat_activity WHERE backend_type = 'gpuagg supervisor'") eq $event }),
	"the supervisor waits for its end, as $event");
ok($node->log_since($log, qr/gpuaggd of an earlier supervisor has not ended yet/, 8), 'which the supervisor says in the end');
close $lock;
is($node->answer("SET gpuagg.engine = gpu; $query; $by_device"), "$right\n1", 'after its end there is another one');

$node->stop;
ok(defined $node->all_gone, 'nothing is left');
done_testing();
