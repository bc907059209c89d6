# 040_faults_stages.pl: a session ends at the stages around its requests.
#
# 031_faults_process has the stages in which a request is on the device.  These
# are the others: until there is a connection and a lease, while another session
# loads the arrays, and between two requests.  At each a query is cancelled, or out
# of time, and a session is terminated; and the backend is killed at all stages.

use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use FaultMatrix;
use FaultServer;
use Time::HiRes qw(sleep);

# gpuaggd, unless a file has it start late, or answer nobody.
my $script = <<'PERL';
use Socket;
if (-e 'mute')
{
	my ($path) = map { /^--socket=(.*)/ } @ARGV;
	my $server;

	# not to be taken for hung, it reads its input
	if (fork == 0) { $0 = 'reader'; 1 while sysread STDIN, my $b, 1000; exit }
	unlink $path;
	socket($server, AF_UNIX, SOCK_SEQPACKET, 0) && bind($server, pack_sockaddr_un($path)) && listen($server, 99) or die;
	print "READY\n";
	sleep 600;
}
sleep 4 if -e 'late';
exec $gpuaggd, @ARGV;
PERL

FaultServer::run_script($script);

# A query that is between two requests for most of its time.
my $sleepy = q{SELECT gpu_sum(x || '{}')::text || ' ' || count(pg_sleep(0.02)) FROM series};

# The stages: what the session does; a file for the script; the faults of
# gpuaggd; the query; what is there before it; how it is seen in the server; what
# computes another session's answer.
my @stages = (
	{
		what => 'waits for gpuaggd to start',
		file => 'late',
		before => sub { node()->signal_daemon('KILL'); wait_for(sub { (node()->daemon_status->{state} // '') eq 'starting' }) },
		is_there => sub { waits($_[0], 'GpuaggStart') && (node()->daemon_status->{state} // '') eq 'starting' },
		witness => 'CPU',
	},
	{
		what => 'greets gpuaggd',
		file => 'mute',
		before => sub { node()->await_daemon(node()->signal_daemon('KILL')) },
		is_there => sub { waits($_[0], 'GpuaggAnswer') },
		witness => 'CPU',
	},
	{
		what => 'waits for a lease',
		faults => 'slow_launch=4000',
		settings => "gpuagg.staging_size = '8MB'",
		other => 'sum',
		is_there => sub { waits($_[0], 'GpuaggAnswer') && node()->look('SELECT leases FROM gpuagg_devices') eq '1' },
		witness => 'CPU',
	},
	{
		what => 'waits for arrays that another session loads',
		faults => 'slow_launch=2000',
		query => 'stored',
		other => 'stored',
		is_there => sub { waits($_[0], 'GpuaggDevice') && node()->look('SELECT leases FROM gpuagg_devices') eq '2' },
		witness => 'either',
	},
	{
		what => 'is between two requests',
		sql => $sleepy,
		is_there => sub { waits($_[0], 'PgSleep') && has_lease($_[0]) },
	},
);

# The stages with a request on the device, as 031_faults_process has them.
my @device_stages = map { { what => $_->[0], query => $_->[1], warm => $_->[2], faults => 'slow_launch=2000', is_there => sub { waits($_[0], 'GpuaggDevice') } } } (
	[ 'has elements summed', 'sum' ],
	[ 'loads arrays', 'stored' ],
	[ 'has resident arrays summed', 'stored', 1 ],
	[ 'has groups summed', 'groups', 1 ],
	[ 'has totals computed', 'scan' ],
	[ 'has totals of resident arrays computed', 'stored_scan', 1 ],
	[ 'has totals returned as rows', 'rows', 1 ],
);

sub wait_for
{
	return GpuaggCluster::within(8, $_[0]);
}

sub waits
{
	my ($session, $event) = @_;

	$session->has_ended;
	return node()->waits_for($session, $event);
}

sub has_lease
{
	return (eval { PostgreSQL::Test::Utils::slurp_file("/proc/$_[0]{pid}/maps") } // '') =~ /memfd:gpuagg/;
}

sub on_backend
{
	my ($function) = @_;

	return sub { node()->look("SELECT $function($_[0]{pid})") };
}

# Let gpuaggd be as the stage has it; returns the file that has it so.
sub prepare
{
	my ($stage) = @_;
	my $file = node()->data_dir . '/' . ($stage->{file} // 'none');

	node()->configure($stage->{settings}) if $stage->{settings};
	node()->with_faults($stage->{faults});
	PostgreSQL::Test::Utils::append_to_file($file, '') if $stage->{file};
	$stage->{before}->() if $stage->{before};
	FaultMatrix::warm(node(), $stage->{query}) if $stage->{warm};
	return $file;
}

# Have all be as usual again.
sub restore
{
	my ($file) = @_;

	unlink $file;
	GpuaggCluster::within(20, sub { node()->psql('postgres', 'SELECT 1', stdout => \my $out, stderr => \my $err) == 0 });
	node()->configure("gpuagg.staging_size = '64MB'");
	# a server that was started again has no gpuaggd until a session wants it
	node()->reload_with("gpuagg.emulated_faults = ''");
	node()->answer("SET gpuagg.engine = gpu; SELECT gpu_array_sum('{1}'::int[])");
	node()->with_faults('');
	FaultMatrix::warm(node(), 'stored');
}

# Let a session come to its stage, and then the fault; %seen as of observe().
sub meet
{
	my ($row, $stage, $act, $settings) = @_;
	my $file = prepare($stage);
	my $log = node()->log_end;
	my $query = 'SELECT gpu_sum(x)::text FROM series WHERE id > 95';
	my $expected = node()->answer("SET gpuagg.engine = cpu; $query");
	my $other = node()->session('SET gpuagg.engine = gpu');
	my $witness = node()->session('SET gpuagg.min_gpu_size = 0; SET client_min_messages = error');
	my $session = node()->session("SET gpuagg.engine = gpu; $settings");
	my $before = Holdings->of_session(node(), $session);
	node()->look('SELECT 1');
	my %seen = (leaks => []);

	$other->begin(FaultMatrix::query($stage->{other})) if $stage->{other};
	sleep 0.2 if $stage->{other};
	$session->begin($stage->{sql} // FaultMatrix::query($stage->{query} // 'sum'));
	$seen{also} = wait_for(sub { $stage->{is_there}->($session) });
	my $begin = Time::HiRes::time;
	$act->($session);
	$witness->begin(FaultMatrix::witnessed($query)) if !$row->{loses};
	push @{ $seen{leaks} }, 'the session does not come to an end' if !defined $session->end(20);
	@seen{qw(err lost)} = @$session{qw(err is_lost)};
	$seen{seconds} = $session->{ended} - $begin;
	if (!$row->{loses})
	{
		$seen{witness} = FaultMatrix::witness_used($witness->end(20), $expected, 5);
	}
	# the session is lost before the postmaster has seen that its backend is gone
	node()->log_since($log, qr/reinitializing.*ready to accept connections/s, 20) if $row->{loses};
	$other->kill if $stage->{other};
	$_->close foreach $other, $witness;
	restore($file);
	if ($row->{loses})
	{
		$seen{witness} = FaultMatrix::witness_used(node()->session('')->ask(FaultMatrix::witnessed($query)), $expected, 5);
	}
	elsif (!$seen{lost})
	{
		# it goes on, with the device
		push @{ $seen{leaks} }, $before->session_leaks(node(), $session);
		push @{ $seen{leaks} }, 'the session is of no more use' if ($session->ask($query, 20) // '') ne $expected;
	}
	$session->close;
	$seen{log} = PostgreSQL::Test::Utils::slurp_file(node()->logfile, $log);
	return \%seen;
}

# A row: a fault at a stage.
sub at_stage
{
	my ($stage, $name, $act, %row) = @_;
	my $settings = delete $row{settings} // '';

	return {
		name => "$name $stage->{what}",
		within => 1,
		repeats => 1,
		witness => $stage->{witness} // 'device',
		%row,
		proof => { %{ $row{proof} }, also => 'the stage, as the server shows it' },
		own => sub {
			my ($row) = @_;
			my $seen;

			# On a busy machine a stage may be over before it is seen.
			for (1 .. 3)
			{
				$seen = meet($row, $stage, $act, $settings);
				last if $seen->{also};
			}
			return $seen;
		},
	};
}

my @rows;
foreach my $stage (@stages)
{
	push @rows, at_stage(
		$stage,
		'a query is cancelled while it',
		on_backend('pg_cancel_backend'),
		expect => 'canceling statement due to user request',
		proof => { error => qr/57014/ }),
	  at_stage(
		$stage,
		'a session is terminated while it',
		on_backend('pg_terminate_backend'),
		expect => 'terminating connection due to administrator command',
		proof => { error => qr/57P01/ }),
	  at_stage(
		$stage,
		'statement_timeout while a query',
		sub { },
		settings => "SET statement_timeout = '1500ms'",
		expect => 'canceling statement due to statement timeout',
		within => 2.5,
		proof => { error => qr/57014/ });
}
push @rows, map {
	at_stage(
		$_,
		'the backend is killed while a query',
		sub { kill 'KILL', $_[0]{pid} },
		expect => 'lost',
		within => 5,
		loses => 1,
		witness => 'device, of the server that is back',
		proof => { log => qr/terminating any other active server processes|all server processes terminated/ })
} @stages, @device_stages;

fault_matrix(\@rows, node => \&node);
