# 016_start.pl: gpuaggd is not started again and again where that is of no use.
#
# Sessions know of gpuaggd by files in pg_stat_tmp.  If those cannot be written,
# as on a full disk, or if the directory is gone, each query might have another
# supervisor started.  Scripts stand in for gpuaggd, which count their starts.

use strict;
use warnings;

use Fcntl qw(:DEFAULT :flock :mode :seek);
use FindBin;
use lib $FindBin::RealBin;
use GpuaggCluster qw(within);
use POSIX ();
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time sleep);

# gpuaggd that fails in a way that another start cannot help.
my $fails = <<'PERL';
open my $starts, '>>', 'starts';
print $starts "$$\n";
print "FATAL: out of order\n";
exit 2;
PERL

# gpuaggd that comes up, as far as the supervisor can tell.
my $works = <<'PERL';
open my $starts, '>>', 'starts';
print $starts "$$\n";
close $starts;
print "READY\n";
1 while sysread STDIN, my $sample, 1000;
PERL

# Queries that want the device, and are content with the CPU.
my $wants = 'SELECT gpu_sum(a) FROM t';

# Return a server whose sessions have gpuaggd started.
sub new_node
{
	my ($name, $script) = @_;
	my $node = GpuaggCluster->create($name, preload => 0, script => $script);

	$node->answer('CREATE TABLE t (a float8[]); ALTER TABLE t ALTER a SET STORAGE EXTERNAL');
	$node->answer('INSERT INTO t SELECT array_agg(x) FROM generate_series(1, 10000) x');
	return $node;
}

# How many times was gpuaggd started?
sub n_starts
{
	my ($node) = @_;
	my @starts = -e $node->data_dir . '/starts' ? split /\n/, slurp_file($node->data_dir . '/starts') : ();

	return scalar @starts;
}

# How many supervisors were there?
sub n_supervisors
{
	my ($node, $from) = @_;
	my @n = slurp_file($node->logfile, $from) =~ /starting background worker process "gpuagg supervisor"/g;

	return scalar @n;
}

# Have sessions ask for the device for so many seconds.
sub query_for
{
	my ($seconds, @sessions) = @_;
	my $begin = time;
	my $n = 0;

	while (time - $begin < $seconds)
	{
		foreach my $session (@sessions)
		{
			$session->ask($wants);
			$n++ if $session->{out} == 50005000;
		}
		sleep 0.02;
	}
	return $n;
}

# Return what gpuagg_devices says.
sub view
{
	my ($node) = @_;

	return $node->answer("SET DateStyle = ISO; SELECT state || ': ' || coalesce(reason, '') FROM gpuagg_devices");
}

sub reason_matches
{
	my ($node, $pattern, $what) = @_;

	ok(defined within(3, sub { view($node) =~ $pattern }), "gpuagg_devices says so: $what") or diag(view($node));
	ok($node->answer('SELECT hint IS NOT NULL FROM gpuagg_devices') eq 't', "with a hint: $what");
}

# Have another process hold the supervisor's lock for so many seconds; return its pid.
sub hold_lock
{
	my ($path, $seconds) = @_;

	pipe my $held, my $says or die $!;
	my $pid = fork // die $!;
	if ($pid == 0)
	{
		open my $lock, '+<', $path or POSIX::_exit(1);
		# struct flock of a 64-bit Linux: the whole file, to write
		my $range = pack('s s x4 q q l x4', F_WRLCK, SEEK_SET, 0, 0, 0);
		syswrite $says, 'held' if fcntl $lock, F_SETLK, $range;
		sleep $seconds;
		POSIX::_exit(0);
	}
	close $says;
	sysread($held, my $word, 4) or die 'the lock is held';
	return $pid;
}

#
# The status cannot be written.
#
my $node = new_node('full_disk', $fails);
$node->configure('log_min_messages = debug1');
$node->reload;
my $files = $node->data_dir . '/pg_stat_tmp';
mkdir "$files/gpuagg.status.tmp" or die $!;
my $log = $node->log_end;
my @sessions = map { $node->session } 1 .. 3;
cmp_ok(query_for(5, @sessions), '>', 30, 'queries of three sessions');
cmp_ok(n_starts($node), '<=', 3, 'gpuaggd that fails is started a few times, if the status cannot be written');
cmp_ok(n_starts($node), '>=', 1, 'but it is started');
cmp_ok(n_supervisors($node, $log), '<=', 5, 'and so is the supervisor');
note(n_starts($node) . ' starts, ' . n_supervisors($node, $log) . ' supervisors');
reason_matches($node, qr/^unknown: the supervisor, process \d+, could not write file "pg_stat_tmp\/gpuagg\.status"$/,
	'no status');
ok($node->log_since($log, qr/LOG:  could not create file "pg_stat_tmp\/gpuagg\.status\.tmp": Is a directory/), 'the log has the cause');
ok($node->log_since($log, qr/LOG:  gpuaggd is not started again: out of order/), 'and why gpuaggd failed');
my $errors = () = slurp_file($node->logfile, $log) =~ /could not create file/g;
cmp_ok($errors, '<=', 15, 'not too often');

# It can be written again.
rmdir "$files/gpuagg.status.tmp" or die $!;
ok(defined within(15, sub { ($node->daemon_status->{state} // '') eq 'failed' }), 'once it can be written, it is');
ok(defined $node->all_gone, 'and the supervisor exits');
is(view($node), 'failed: out of order', 'the view has the reason');

# A supervisor that begins or exits holds the lock, and has no status of its own.
my $view = $node->session;
$view->ask('SELECT FROM gpuagg_devices');
my $holder = hold_lock("$files/gpuagg.lock", 0.2);
is($view->ask('SELECT state FROM gpuagg_devices'), 'failed', 'the view does not take that for a status that cannot be written');
waitpid $holder, 0;
$view->close;

my $n = n_starts($node);
query_for(1, @sessions);
is(n_starts($node), $n, 'and gpuaggd is not started again');

# A reload has it tried again: once, not once for each session that was idle.
push @sessions, map { $node->session } 1 .. 4;
query_for(0.1, @sessions);
is(n_starts($node), $n, 'new sessions do not start it');
$node->reload;
sleep 0.2;
foreach my $session (@sessions)
{
	my $before = $node->daemon_status->{checked};

	$session->ask($wants);
	within(2, sub { ($node->daemon_status->{checked} // 0) ne $before || n_starts($node) > $n });
	sleep 0.3;
	$session->ask($wants);
}
ok(defined within(5, sub { n_starts($node) > $n }), 'a reload has gpuaggd tried again');
query_for(1, @sessions);
is(n_starts($node), $n + 1, 'once, whatever session is late to see the reload');
is(view($node), 'failed: out of order', 'and the view says so again') or diag(explain($node->daemon_status));
$_->close foreach @sessions;
$node->stop;

#
# The directory is gone.
#
$node = new_node('no_directory', $works);
$files = $node->data_dir . '/pg_stat_tmp';
$node->configure('log_min_messages = debug1');
$node->reload;
rename $files, "$files.away" or die $!;
$log = $node->log_end;
@sessions = map { $node->session } 1 .. 3;
cmp_ok(query_for(5, @sessions), '>', 30, 'queries without pg_stat_tmp');
cmp_ok(n_supervisors($node, $log), '<=', 3, 'start few supervisors');
reason_matches($node, qr/^unknown: could not access directory "pg_stat_tmp": No such file or directory$/, 'no directory');
my @lines = slurp_file($node->logfile, $log) =~
  /LOG:  gpuaggd is not started: could not access directory "pg_stat_tmp": No such file or directory\n/g;
is(scalar @lines, 3, 'the log has it, once for each session');
rename "$files.away", $files or die $!;
ok( defined within(
		10,
		sub {
			$_->ask($wants) foreach @sessions;
			($node->daemon_status->{state} // '') eq 'up';
		}),
	'once it is there, gpuaggd comes up');
is(n_starts($node), 1, 'with one start');

# Nobody but the server's user can open the lock file, and hold the lock.
is(sprintf('%o', S_IMODE((stat "$files/gpuagg.lock")[2])), '600', 'the lock file is the owner\'s alone');
$_->close foreach @sessions;
$node->stop;

#
# The lock file cannot be opened.
#
unlink "$files/gpuagg.lock";
mkdir "$files/gpuagg.lock" or die $!;
$node->start;
$log = $node->log_end;
@sessions = map { $node->session } 1 .. 3;
query_for(3, @sessions);
cmp_ok(n_supervisors($node, $log), '<=', 3, 'without a lock file few supervisors are started');
reason_matches($node, qr/^unknown: could not open file "pg_stat_tmp\/gpuagg\.lock": Is a directory$/, 'no lock');
$_->close foreach @sessions;
$node->stop;
rmdir "$files/gpuagg.lock" or die $!;

#
# A cluster whose group may read it, with a file of an earlier version.
#
chmod 0750, $node->data_dir;
append_to_file("$files/gpuagg.lock", '');
chmod 0640, "$files/gpuagg.lock";
$node->configure("shared_preload_libraries = 'gpuagg'");
open my $lock, '+<', "$files/gpuagg.lock" or die $!;
defined within(5, sub { flock $lock, LOCK_EX | LOCK_NB }) or die "the lock is held: $!";
unlink "$files/gpuagg.status";
$node->start;
ok(defined within(2, sub { ($node->daemon_status->{state} // '') eq 'waiting' }), 'a supervisor that waits for the lock says so');
is($node->daemon_status->{reason}, 'gpuaggd of an earlier supervisor has not ended yet', 'with the reason');
is(sprintf('%o', S_IMODE((stat "$files/gpuagg.lock")[2])), '600', 'an old lock file is closed to the group');
ok(defined within(6, sub { ($node->daemon_status->{state} // '') eq 'stopped' }), 'it does not wait for ever');
is($node->daemon_status->{reason}, 'gpuaggd of an earlier supervisor has not ended yet', 'and keeps the reason');
close $lock;
ok(defined $node->await_state('up', 15), 'once the lock is free, gpuaggd comes up');
$node->stop;
done_testing();
