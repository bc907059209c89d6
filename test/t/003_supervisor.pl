# 003_supervisor.pl: gpuaggd runs when it should, and never otherwise.
#
# The supervisor starts gpuaggd, restarts it, and stops it, however it or the
# server ends; it fails with a reason where a restart cannot help.  Most of this
# is tested with the real gpuaggd and its emulated device, and what that does not
# do with scripts in its place, beside a copy of the module.

use strict;
use warnings;

use Cwd qw(realpath);
use Fcntl qw(:flock :mode);
use File::Copy;
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time sleep);

my $pkglibdir = `$ENV{PG_CONFIG} --pkglibdir`;
chomp $pkglibdir;

# Return a server that preloads gpuagg, with further settings.
sub new_node
{
	my ($name, @settings) = @_;
	my $node = PostgreSQL::Test::Cluster->new($name);

	$node->init(allows_streaming => 1);
	$node->append_conf('postgresql.conf', $_)
	  foreach "shared_preload_libraries = 'gpuagg'",
	  "gpuagg.device = 'emulated'", 'restart_after_crash = on', @settings;
	return $node;
}

# Return a server that preloads gpuagg and runs a script as gpuaggd.
sub new_node_with_script
{
	my ($name, $script, $mode) = @_;
	my $node = new_node($name);
	my $dir = $node->basedir . '/module';

	mkdir $dir;
	copy("$pkglibdir/gpuagg.so", $dir) or die "no gpuagg.so: $!";
	append_to_file("$dir/gpuaggd", "#!$^X\n\$| = 1;\n$script");
	chmod $mode // 0755, "$dir/gpuagg.so", "$dir/gpuaggd";
	$node->append_conf('postgresql.conf',
		"dynamic_library_path = '$dir:\$libdir'");
	return $node;
}

# Return the status file's fields by name; none if there is no file.
sub status
{
	my ($node) = @_;

	open my $file, '<', $node->data_dir . '/pg_stat_tmp/gpuagg.status'
	  or return {};
	return { map { /^(\w+) (.*)$/ ? ($1 => $2) : () } <$file> };
}

# Wait up to so many seconds for a condition; returns how long it took, or undef.
sub within
{
	my ($seconds, $is_so) = @_;
	my $begin = time;

	while (time - $begin < $seconds)
	{
		return time - $begin if $is_so->();
		sleep 0.02;
	}
	return;
}

# Wait for a state; the status file may still be of the server's last run.
sub comes
{
	my ($node, $state, $old) = @_;
	my $came = within(
		10,
		sub {
			my $now = status($node);
			($now->{state} // '') eq $state
			  && (!$old || $now->{since} > $old->{since});
		});

	diag(explain(status($node))) unless defined $came;
	return defined $came;
}

# Return the processes in the server's data directory by their command line.
sub processes
{
	my ($node, $pattern) = @_;
	my $home = realpath($node->data_dir);
	my @found;

	foreach my $dir (glob '/proc/[0-9]*')
	{
		next unless (readlink("$dir/cwd") // '') eq $home;
		open my $file, '<', "$dir/cmdline" or next;
		my $command = join(' ', split(/\0/, <$file> // ''));
		push @found, $dir =~ s{.*/}{}r if $command =~ $pattern;
	}
	return @found;
}

sub daemons
{
	return processes($_[0], qr{/gpuaggd });
}

sub supervisors
{
	return processes($_[0], qr{gpuagg supervisor});
}

sub all_gone
{
	my ($node) = @_;

	return within(5, sub { !daemons($node) && !supervisors($node) });
}

# Tell the supervisor to stop; returns how long it takes until nothing is left.  A
# processor that others use may be late, but hardly five times.
sub stop_supervisor
{
	my ($node) = @_;
	my $took;

	for my $turn (1 .. 5)
	{
		my $now = status($node);
		kill 'TERM', $now->{supervisor_pid};
		$took = all_gone($node);
		last if defined $took && $took < 1 || $turn == 5;
		$node->restart;
		comes($node, 'up', $now);
	}
	return $took;
}

sub log_has
{
	my ($node, $pattern) = @_;

	return defined within(5, sub { slurp_file($node->logfile) =~ $pattern });
}

# What a process has open; the lock file may be, and nothing else of the server.
sub descriptors
{
	my ($pid) = @_;

	return map { readlink($_) // '' } glob "/proc/$pid/fd/*";
}

sub reload_with
{
	my ($node, $setting) = @_;

	$node->append_conf('postgresql.conf', $setting);
	$node->reload;
}

#
# The real one.
#
my $node = new_node('supervisor');
my $socket = $node->data_dir . '/pg_stat_tmp/gpuagg.sock';
$node->start;
ok(comes($node, 'up'), 'gpuaggd comes up with the server');
my $first = status($node);
my @file = stat $socket;
ok(@file && S_ISSOCK($file[2]), 'it listens at its socket');
is(sprintf('%o', S_IMODE($file[2] // 0)), '600', 'which is the owner\'s alone');
is_deeply([ daemons($node) ], [ $first->{daemon_pid} ], 'there is one gpuaggd');
is_deeply(
	[ supervisors($node) ],
	[ $first->{supervisor_pid} ],
	'and one supervisor');
ok(log_has($node, qr/LOG:  gpuaggd: /), 'what it says is in the log');
is($first->{reason}, '', 'there is nothing to complain about');

my @odd = grep {
	!m{^(/dev/null|/memfd:.*|anon_inode:.*|socket:\[\d+\]|pipe:\[\d+\]|.*/pg_stat_tmp/gpuagg\.lock)$}
} descriptors($first->{daemon_pid});
is_deeply(\@odd, [], 'it has no file of the server open');
my %of_server = map { $_ => 1 } grep { /^socket:/ }
  map { descriptors($_) } supervisors($node),
  $node->safe_psql('postgres',
	q(SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'));
is(scalar(grep { $of_server{$_} } descriptors($first->{daemon_pid})),
	0, 'nor a socket');
unlike(slurp_file("/proc/$first->{supervisor_pid}/maps"),
	qr/libcuda/, 'there is no CUDA in the supervisor');

# A base backup knows nothing of it.
my $backup = $node->basedir . '/backup';
my ($out, $err) = ('', '');
ok( IPC::Run::run(
		[
			'pg_basebackup', '-D', $backup, '-c', 'fast', '--no-sync', '-d',
			$node->connstr('postgres')
		],
		'>', \$out, '2>', \$err),
	'a base backup of the running server');
unlike($err . slurp_file($node->logfile),
	qr/special file|gpuagg\.sock/, 'says nothing about the socket');
is_deeply([ glob "$backup/pg_stat_tmp/*" ], [], 'and has nothing of ours');

# It is killed.
kill 'KILL', $first->{daemon_pid};
my $took = within(
	10,
	sub {
		my $now = status($node);
		$now->{state} eq 'up' && $now->{daemon_pid} != $first->{daemon_pid};
	});
ok(defined $took, 'killed, it is back');
is(status($node)->{n_restarts}, 1, 'which is counted');
ok(log_has($node, qr/WARNING:  gpuaggd was terminated by signal 9/), 'and logged');

# Its settings change.
my $before = status($node);
$node->reload;
sleep 0.3;
is(status($node)->{daemon_pid},
	$before->{daemon_pid}, 'a reload without a change leaves it alone');
reload_with($node, 'gpuagg.staging_size = 64MB');
ok(comes($node, 'up', $before), 'with another setting it starts anew');
my $after = status($node);
isnt($after->{daemon_pid}, $before->{daemon_pid}, 'as another process');
like(slurp_file("/proc/$after->{daemon_pid}/cmdline"),
	qr/--staging-size=64\0/, 'with the new setting');
is($after->{n_restarts}, 1, 'which does not count as a failure');

reload_with($node, "gpuagg.device = 'none'");
ok(comes($node, 'off'), 'gpuagg.device = none stops it');
ok(defined all_gone($node), 'and the supervisor');
ok(!-e $socket, 'the socket is gone');
$node->append_conf('postgresql.conf', "gpuagg.device = 'emulated'");

# The supervisor is told to stop.
$node->restart;
ok(comes($node, 'up', $after), 'it comes again with the server');
$took = stop_supervisor($node);
$before = status($node);
ok(defined $took && $took < 1, 'a supervisor that is told to stop takes it along')
  or diag('it took ' . ($took // 'for ever'));
is(status($node)->{state}, 'stopped', 'and says so');
is($node->safe_psql('postgres', 'SELECT 1'), '1', 'the server works on');

# The server stops.
foreach my $mode (qw(smart fast immediate))
{
	$node->start if $mode ne 'smart';
	$node->restart if $mode eq 'smart';
	ok(comes($node, 'up', $before), "before a stop: $mode");
	$before = status($node);
	my $begin = time;
	$node->stop($mode);
	ok(time - $begin < 4, 'the server stops in time');
	ok(defined all_gone($node), 'nothing is left running');
}

# The server is gone at once.
$node->start;
ok(comes($node, 'up', $before), 'after an immediate stop');
$before = status($node);
$node->kill9;
ok(defined all_gone($node), 'when the postmaster is killed, nothing is left');
# Where nobody buries it, its number is still in use.
unlink $node->data_dir . '/postmaster.pid',
  $node->host . '/.s.PGSQL.' . $node->port . '.lock';
$node->start;
ok(comes($node, 'up', $before), 'and all comes again');

# Another process crashes.
$before = status($node);
my ($token) = slurp_file("/proc/$before->{daemon_pid}/cmdline") =~ /(--boot-token=\d+)/;
kill 'KILL',
  $node->safe_psql('postgres',
	q(SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'));
ok(comes($node, 'up', $before), 'after a crash of the server it comes again');
$after = status($node);
is_deeply([ daemons($node) ], [ $after->{daemon_pid} ], 'alone');
isnt($after->{daemon_pid}, $before->{daemon_pid}, 'as another process');
unlike(slurp_file("/proc/$after->{daemon_pid}/cmdline"),
	qr/$token\0/, 'for another run of the server');

# The supervisor crashes, which the server handles as any crash.
kill 'KILL', $after->{supervisor_pid};
ok(comes($node, 'up', $after), 'after a crash of the supervisor as well');
is_deeply([ daemons($node) ], [ status($node)->{daemon_pid} ], 'alone');
$node->stop;

# An old gpuaggd that does not release the lock.
my $old = status($node);
open my $lock, '+<', $node->data_dir . '/pg_stat_tmp/gpuagg.lock' or die $!;
my @left = daemons($node);
is_deeply(\@left, [], 'after all these ends there is none');
# one that does not end with its supervisor keeps the lock
kill 'KILL', @left;
defined within(5, sub { flock $lock, LOCK_EX | LOCK_NB }) or die "the lock is held: $!";
$node->start;
sleep 0.5;
is_deeply([ daemons($node) ], [], 'the supervisor waits for one that still runs');
close $lock;
ok(comes($node, 'up', $old), 'but not after its end');
$node->stop;
is_deeply([ daemons($node) ], [], 'the last one is gone');

SKIP:
{
	skip 'there is a device here', 5 if -e '/dev/nvidia0';
	$node->append_conf('postgresql.conf', "gpuagg.device = 'auto'");
	$node->start;
	ok(comes($node, 'absent'), 'without a driver the state is absent');
	like(
		status($node)->{reason},
		qr/^(no NVIDIA driver was found|no GPU was found|gpuagg was built without CUDA)$/,
		'with a reason');
	ok(defined all_gone($node), 'and leaves no process');
	ok(log_has($node, qr/LOG:  gpuagg computes by the CPU: /), 'the log has it');
	is($node->safe_psql('postgres', 'SELECT 1'), '1', 'the server works on');
	$node->stop;
}

#
# Scripts in the place of gpuaggd.
#
$node = new_node_with_script('not_executable', '', 0644);
$node->start;
ok(comes($node, 'failed'), 'a gpuaggd that cannot be executed');
like(status($node)->{reason},
	qr/^could not execute ".*gpuaggd": Permission denied$/, 'has its reason');
ok(defined all_gone($node), 'and leaves no process');
$node->stop;

$node = new_node_with_script('stubborn', <<'PERL');
$SIG{$_} = 'IGNORE' foreach qw(TERM HUP INT QUIT);
print "READY\n";
1 while sysread STDIN, my $sample, 1000;
sleep 1 while 1;
PERL
$node->start;
ok(comes($node, 'up'), 'a gpuaggd that does not stop');
$took = stop_supervisor($node);
ok(defined $took && $took < 1, 'is killed')
  or diag('it took ' . ($took // 'for ever'));
$node->restart;
ok(comes($node, 'up'), 'again');
$node->stop('immediate');
ok(defined all_gone($node), 'also at an immediate stop');

# Its child keeps the pipe open; its lines are long, not ASCII, and many.
$node = new_node_with_script('loud', <<'PERL');
if (!-e 'loud')
{
	open my $mark, '>', 'loud';
	exec 'sleep', '60' if fork == 0;
	print "READY\n";
	print "LOG: ", 'x' x 5000, "the rest\n";
	print "WARNING: a warning\nof a library\nLOG: a \x01 strange \xff byte\n";
	print "LOG: line $_\n" foreach 1 .. 1000;
	print "FATAL: these are its last words";
	exit 20;
}
print "READY\n";
1 while sysread STDIN, my $sample, 1000;
PERL
$node->start;
ok( defined within(
		5, sub { (status($node)->{n_restarts} // 0) == 1 && status($node)->{state} eq 'up' }),
	'a gpuaggd that fails is started again');
my $log = slurp_file($node->logfile);
like($log, qr/LOG:  gpuaggd: x{900,1100}$/m, 'a long line is cut');
unlike($log, qr/the rest/, 'and the rest is left out');
like($log, qr/WARNING:  gpuaggd: a warning$/m, 'a warning is a warning');
like($log, qr/LOG:  gpuaggd: of a library$/m, 'lines of others are logged');
like($log, qr/LOG:  gpuaggd: a \? strange \? byte$/m, 'bytes that are not ASCII are replaced');
like($log, qr/LOG:  gpuaggd: line 1000$/m, 'all lines are');
like($log, qr/LOG:  gpuaggd: these are its last words$/m, 'also the last one');
like($log, qr/WARNING:  gpuaggd exited with exit code 20$/m, 'and how it ended');
kill 'TERM', processes($node, qr/^sleep /);
$node->stop;

# It fails again and again.
$node = new_node_with_script('failing', <<'PERL');
print "FATAL: failure $$\n";
exit 20;
PERL
$node->start;
ok( defined within(10, sub { (status($node)->{n_restarts} // 0) == 3 }),
	'one that fails is tried again');
ok( defined within(2, sub { status($node)->{state} eq 'waiting' }),
	'after a while');
like(status($node)->{reason}, qr/^failure \d+$/, 'with a reason in between');
like(slurp_file($node->logfile),
	qr/started again\.\n.*in 1 second\.\n.*in 2 seconds\.\n.*in 4 seconds\./s,
	'the delay becomes longer');
$node->reload;
ok( defined within(2, sub { status($node)->{n_restarts} > 3 }),
	'and a reload ends it');
$node->stop;
ok(defined all_gone($node), 'nothing is left running');

done_testing();
