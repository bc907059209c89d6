# 006_chaos.pl: random queries while gpuaggd is killed again and again.
#
# Each query is computed by the CPU and by the device (test/fuzz/engines.sql);
# the answers have to agree whatever happens in between.

use strict;
use warnings;

use FindBin;
use POSIX qw(WNOHANG);
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(usleep);

use lib $FindBin::RealBin;
use GpuaggCluster qw(within);

my $node = GpuaggCluster->create('chaos', preload => 0,
	settings => [ "gpuagg.device = 'emulated'", "gpuagg.request_timeout = '1s'", 'log_statement = none' ]);

my @sessions;
for my $seed (100, 200)
{
	my $base = $node->basedir . "/seed$seed";
	my $pid = fork // die "fork: $!";
	if ($pid == 0)
	{
		open STDOUT, '>', "$base.out" or die;
		open STDERR, '>', "$base.err" or die;
		exec 'psql', '-X', '-A', '-t', '-v', 'ON_ERROR_STOP=1', '-v', 'cases=5000', '-v', "seed=$seed",
			'-f', "$FindBin::RealBin/../fuzz/engines.sql", '-d', $node->connstr('postgres') or die;
	}
	push @sessions, { pid => $pid, base => $base, runs => 1 };
}

# How many sessions are still at work?
sub at_work
{
	for (grep { $_->{runs} } @sessions)
	{
		$_->{runs} = 0 if waitpid($_->{pid}, WNOHANG) != 0;
	}
	return scalar grep { $_->{runs} } @sessions;
}

# Does a session have a connection to gpuaggd, beside the socket that listens?
sub is_used
{
	my $pid = $node->daemon_pid;

	return $pid && $node->descriptors($pid)->{sockets} > 1;
}

# Deaths of all kinds, one after the other; a reload ends the wait between
# restarts.  On a machine that is slow, too, sessions reach most of those that are
# killed.
my @deaths = ('', 'fail_launch=30', 'crash_launch=20', 'hang_launch=50', 'fail_allocation=2');
for my $i (1 .. 3000)
{
	within(2, \&is_used) if $i % 4;
	usleep(rand 150_000);
	last unless at_work();
	if ($i % 8 == 0)
	{
		my $faults = $deaths[$i / 8 % @deaths];
		$node->configure("gpuagg.emulated_faults = '$faults'");
	}
	elsif (my $pid = $node->daemon_status->{daemon_pid})
	{
		kill 'KILL', $pid;
	}
	$node->reload;
}
for my $session (@sessions)
{
	my $out = slurp_file("$session->{base}.out");
	my $err = slurp_file("$session->{base}.err");
	like($out, qr/^5000 queries, \d+ arrays and \d+ elements on the emulated device, 0 wrong$/m,
		'all answers are right')
	  or diag(substr $err, -2000);
	unlike($err, qr/ERROR|: block \d+ of/, 'and no query failed');
}
my $log = slurp_file($node->logfile);
my @ends = $log =~ /gpuaggd (?:exited|was terminated)/g;
cmp_ok(scalar @ends, '>=', 3, 'gpuaggd died ' . @ends . ' times');
unlike($log, qr/server process|PANIC|TRAP/, 'and no process of the server did');
$node->stop;
done_testing();
