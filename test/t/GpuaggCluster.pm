# GpuaggCluster.pm: a server with gpuagg for cluster tests, and its gpuaggd.
#
#	use lib $FindBin::RealBin;
#	use GpuaggCluster qw(within);
#
#	my $node = GpuaggCluster->create('name', settings => ["work_mem = '1MB'"]);
#	my $pid = $node->with_faults('slow_launch=500');	# a new gpuaggd
#	my $session = $node->session('SET gpuagg.engine = gpu');
#	$session->begin($query);
#	$node->signal_daemon('KILL');
#	is($session->end, $right, '...');
#	$node->cancel($session->begin($query));	# while it waits for the device
#
# A PostgreSQL::Test::Cluster with further methods.  The device is the emulated
# one; `make check DEVICE=cuda` has it that of the machine, where faults of the
# emulated device do not happen.
package GpuaggCluster;

use strict;
use warnings;
use parent 'PostgreSQL::Test::Cluster';

use Cwd qw(realpath);
use Exporter qw(import);
use File::Copy;
use FindBin;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time sleep);

use lib $FindBin::RealBin;
use GpuaggSession;

our @EXPORT_OK = qw(within waiting crash device is_cuda is_sanitized);

my $n_faults = 0;

# What ends a test early is shown with it, and not in the server's log alone.
$SIG{__DIE__} = sub { diag(@_) if defined $^S && !$^S };

# Wait up to so many seconds for a condition; returns how long it took, or undef.
sub within
{
	my ($seconds, $is_so) = @_;
	my $begin = time;

	do
	{
		return time - $begin || 1e-6 if $is_so->();
		sleep 0.005;
	} while (time - $begin < $seconds);
	return;
}

# Return the seconds in which processes, and this one, were ready to run and had
# no processor.  What this grows by is other programs' part of a time.
sub waiting
{
	my $ns = 0;

	foreach my $pid ($$, @_)
	{
		$ns += (split ' ', eval { slurp_file("/proc/$pid/schedstat") } // '0 0')[1];
	}
	return $ns / 1e9;
}

# Kill a process of a server, and wait until the server, which takes connections
# until it knows, is there again.
sub crash
{
	my ($node, $pid) = @_;
	my $end = log_end($node);

	kill 'KILL', $pid;
	log_since($node, $end, qr/database system is ready to accept connections/, 60)
	  or die 'the server is not there again';
	return;
}

# The value of gpuagg.device that tests use: one device, since they count requests.
sub device
{
	my $device = $ENV{DEVICE} || 'emulated';

	return $device eq 'cuda' ? '0' : $device;
}

sub is_cuda
{
	return device() ne 'emulated';
}

# Is gpuaggd under sanitizers?  It then computes many times slower than it does,
# keeps memory that was freed, and handles signals of its own.
sub is_sanitized
{
	return $ENV{GPUAGG_SANITIZED};
}

# Is the server under the address sanitizer, too?
sub is_server_sanitized
{
	return ($ENV{GPUAGG_SANITIZED} // '') eq 'server';
}

# Return a server that preloads gpuagg, started and with the extension.
#	settings	further lines of its configuration
#	script		text of a Perl program that runs as its gpuaggd
#	preload => 0	gpuaggd starts when a session wants it
#	start => 0	the caller starts it, and creates the extension
#	streaming => 1	a primary of standbys
sub create
{
	my ($class, $name, %how) = @_;
	my $node = $class->SUPER::new($name);

	$node->init(allows_streaming => $how{streaming});
	$node->configure($_) foreach "gpuagg.device = '" . device() . "'", "gpuagg.staging_size = '64MB'",
	  "gpuagg.cache_size = '256MB'", 'autovacuum = off', 'restart_after_crash = on',
	  ($how{preload} // 1) ? "shared_preload_libraries = 'gpuagg'" : (), @{ $how{settings} // [] };
	$node->replace_daemon($how{script}) if defined $how{script};
	return $node if !($how{start} // 1);
	$node->start;
	$node->answer('CREATE EXTENSION gpuagg');
	$node->await_daemon if $how{preload} // 1;
	return $node;
}

# Add a line to the configuration, which a start or reload reads.
sub configure
{
	my ($node, $line) = @_;

	$node->append_conf('postgresql.conf', $line);
}

sub reload_with
{
	my ($node, @lines) = @_;

	$node->configure($_) foreach @lines;
	$node->reload;
}

# Have the server use a copy of the module, beside which a script is gpuaggd;
# without a text there is none.  Returns the script's path.
sub replace_daemon
{
	my ($node, $text, $mode) = @_;
	my $dir = $node->basedir . '/module';
	my $libdir = `$ENV{PG_CONFIG} --pkglibdir`;

	chomp $libdir;
	if (!-d $dir)
	{
		mkdir $dir;
		copy("$libdir/gpuagg.so", $dir) or die "no gpuagg.so: $!";
		chmod 0755, "$dir/gpuagg.so";
		$node->configure("dynamic_library_path = '$dir:\$libdir'");
	}
	unlink "$dir/gpuaggd";
	append_to_file("$dir/gpuaggd", "#!$^X\nmy \$gpuaggd = '$libdir/gpuaggd';\n\$| = 1;\n$text") if defined $text;
	chmod $mode // 0755, "$dir/gpuaggd";
	return "$dir/gpuaggd";
}

# --- queries

# Return what a query returns.
sub answer
{
	my ($node, $query, $database) = @_;

	return $node->safe_psql($database // 'postgres', $query);
}

# Open a session that runs while the test goes on.
sub session
{
	my ($node, $settings, $database) = @_;

	return GpuaggSession->new($node->connstr($database // 'postgres'), $settings // '');
}

# Return what a query returns, like answer(), by a session that stays open: a psql
# that is started for it takes half a second on a slow machine.
sub look
{
	my ($node, $query) = @_;
	my $observer = $node->{observer};

	if (!$observer || !-d "/proc/$observer->{pid}")
	{
		close_observer($node);
		$observer = $node->{observer} = session($node);
	}
	return $observer->ask($query) // die "no answer to: $query";
}

sub close_observer
{
	my $observer = delete $_[0]{observer};

	$observer->close if $observer;
	return;
}

# Stop the server, which has a smart stop wait for sessions.
sub stop
{
	my ($node, @how) = @_;

	close_observer($node);
	return $node->SUPER::stop(@how);
}

# Does a session wait for this, by the server's own view?  Servers before 17 have
# one name for all that modules wait for.
sub waits_for
{
	my ($node, $session, $event) = @_;

	$event = 'Extension' if $event =~ /^Gpuagg/ && !($node->pg_version >= 17);
	return look($node, "SELECT count(*) FROM pg_stat_activity WHERE wait_event = '$event' AND pid = $session->{pid}") eq '1';
}

# Does a session wait for the device?  What else has the same name is over at once,
# so it has to be seen twice.
sub waits_for_device
{
	my ($node, $session) = @_;

	foreach my $pause (0.03, 0)
	{
		return 0 if !waits_for($node, $session, 'GpuaggDevice');
		sleep $pause;
	}
	return 1;
}

# Wait until a session waits for the device, unless its query ends before.
sub await_device
{
	my ($node, $session) = @_;

	within(20, sub { $session->has_ended || waits_for_device($node, $session) }) or diag('the session does not wait for the device');
	return;
}

# Cancel the query of a session, once that waits for the device.
sub cancel
{
	my ($node, $session) = @_;

	await_device($node, $session);
	look($node, "SELECT pg_cancel_backend($session->{pid})");
	return;
}

# --- gpuaggd

# Return the status file's fields by name; none if there is no file.
sub daemon_status
{
	my ($node) = @_;

	open my $file, '<', $node->data_dir . '/pg_stat_tmp/gpuagg.status' or return {};
	return { map { /^(\w+) (.*)$/ ? ($1 => $2) : () } <$file> };
}

# Return the process of gpuaggd if it is up, or 0.
sub daemon_pid
{
	my ($node) = @_;
	my $now = daemon_status($node);

	return ($now->{state} // '') eq 'up' && -d "/proc/$now->{daemon_pid}" ? $now->{daemon_pid} : 0;
}

# Wait until gpuaggd is up, as another process than a given one; returns it.
sub await_daemon
{
	my ($node, $other_than, $seconds) = @_;
	my $pid = 0;

	within($seconds // 20, sub { ($pid = daemon_pid($node)) && $pid != ($other_than // 0) })
	  or die 'gpuaggd does not come up: ' . join('', explain(daemon_status($node)));
	return $pid;
}

# Wait for a state of gpuaggd; returns how long it took, or undef.
sub await_state
{
	my ($node, $state, $seconds) = @_;
	my $took = within($seconds // 10, sub { (daemon_status($node)->{state} // '') eq $state });

	diag(explain(daemon_status($node))) unless defined $took;
	return $took;
}

sub signal_daemon
{
	my ($node, $signal) = @_;
	my $pid = daemon_pid($node) or die 'there is no gpuaggd';

	kill $signal, $pid;
	return $pid;
}

# Start a new gpuaggd, with an empty cache and these faults; returns it.
sub with_faults
{
	my ($node, $faults) = @_;
	my ($pid, $line);

	# another text than the last one, so that it is another gpuaggd
	$faults = join(',', $n_faults++ % 2 ? 'fail_launch=0' : 'hang_launch=0', $faults || ());
	reload_with($node, "gpuagg.emulated_faults = '$faults'");
	within(
		20,
		sub {
			$pid = daemon_pid($node) or return 0;
			$line = eval { slurp_file("/proc/$pid/cmdline") } // '';
			return $line =~ /faults=\Q$faults\E\0/;
		}) or die "gpuaggd did not start with '$faults': " . join('', explain(daemon_status($node)));
	return $pid;
}

# --- processes

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

# Wait until nothing of gpuagg runs; returns how long it took, or undef.
sub all_gone
{
	my ($node, $seconds) = @_;

	return within($seconds // 5, sub { !daemons($node) && !supervisors($node) });
}

# What a process has open: counts by kind.  What it has inherited from this test
# does not count.
sub descriptors
{
	my ($node, $pid) = @_;
	my %n = (sockets => 0, memory => 0, others => 0);

	foreach my $link (grep { !$GpuaggSession::pipes{$_} } map { readlink // () } glob "/proc/$pid/fd/*")
	{
		$n{ $link =~ /^socket:/ ? 'sockets' : $link =~ /memfd:/ ? 'memory' : 'others' }++;
	}
	return \%n;
}

# --- the log

# Return where the log ends now, for log_since().
sub log_end
{
	return -s $_[0]->logfile;
}

# Wait until the log has a line since log_end().
sub log_since
{
	my ($node, $from, $pattern, $seconds) = @_;

	return defined within($seconds // 5, sub { slurp_file($node->logfile, $from) =~ $pattern });
}

1;
