# FaultServer.pm: rows of the fault matrix about a server that ends, or changes.
#
# One server for all rows of a test, which is the same at the end of each.
#	loses(name, act, ...)	a row in which the session is lost
#	goes_on(name, act, ...)	a row in which its query goes on
# act is sub (node, session, gpuaggd's pid), and further fields are a row's
# (FaultMatrix.pm).  A request takes slow_launch so long that the fault comes while
# it is on the device.
package FaultServer;

use strict;
use warnings;

use Exporter qw(import);
use FaultMatrix;
use FaultRow;
use Time::HiRes qw(time);

our @EXPORT = qw(node loses goes_on);

# How many requests a query has in turn.
use constant REQUESTS => 3;

my ($node, $right);
my @how = (streaming => 1);

# Have a script run as the server's gpuaggd, which a session then starts.
sub run_script
{
	@how = (script => $_[0], preload => 0);
	return;
}

sub node
{
	if (!$node)
	{
		$node = GpuaggCluster->create('server', @how,
			settings => [ "gpuagg.request_timeout = '5s'", 'wal_level = replica' ]);
		$right = FaultMatrix::make_series($node);
	}
	return $node;
}

# What the CPU returns for a query.
sub right
{
	return $right->{ $_[0] };
}

# A row in which the session is lost: its time ends when a new session has the
# right answer from the device of the server that is back.
sub loses
{
	my ($name, $act, %row) = @_;

	return {
		name => $name,
		expect => 'lost',
		within => 10,
		witness => 'device, of the server that is back',
		cuda => 1,
		repeats => 1,
		%row,
		own => sub {
			my ($row) = @_;
			my $old = node()->with_faults($row->{faults} // 'slow_launch=500');
			my $log = node()->log_end;
			my %seen = (leaks => []);

			FaultMatrix::warm(node(), $row->{query}) if $row->{warm};
			my $session = node()->session('SET gpuagg.engine = gpu');
			my @crowd = FaultMatrix::crowd_begins(node(), $row->{crowd});
			$session->begin(FaultMatrix::query($row->{query}));
			FaultMatrix::await_request($session, $row->{at} // 0.1, 1);
			node()->configure("gpuagg.emulated_faults = ''");
			my $begin = time;
			$act->(node(), $session, $old);
			push @{ $seen{leaks} }, 'the session goes on' if !defined $session->end(10);
			@seen{qw(err lost)} = @$session{qw(err is_lost)};
			push @{ $seen{leaks} }, FaultMatrix::crowd_faults(@crowd);
			push @{ $seen{leaks} }, 'not all of several sessions are lost' if grep { !$_->{is_lost} } @crowd;
			$session->close;
			# a psql that cannot connect reads nothing, which is an error of its caller's
			GpuaggCluster::within(20, sub { eval { node()->psql('postgres', 'SELECT 1', stdout => \my $out, stderr => \my $err) == 0 } });
			$seen{witness} = 'device' if node()->answer('SET gpuagg.engine = gpu; ' . FaultMatrix::query('stored')) eq right('stored');
			$seen{seconds} = time - $begin;
			$seen{died} = defined GpuaggCluster::within(3, sub { !-d "/proc/$old" });
			push @{ $seen{leaks} }, 'no gpuaggd is there again' if !GpuaggCluster::within(3, sub { node()->daemons == 1 });
			$seen{log} = PostgreSQL::Test::Utils::slurp_file(node()->logfile, $log);
			return \%seen;
		},
	};
}

# Let the query of a row go on while each request takes so many milliseconds.
sub meet
{
	my ($row, $act, $ms) = @_;
	my $old = node()->with_faults("slow_launch=$ms");
	my $seen = FaultMatrix::observe(node(), $row, act => $act);

	$seen->{died} = defined GpuaggCluster::within($row->{proof}{dies} ? 3 : 0, sub { node()->daemon_pid != $old });
	push @{ $seen->{leaks} }, 'gpuaggd has ended' if $row->{survives} && $seen->{died};
	$row->{undo}->() if $row->{undo};
	# any session starts it again
	node()->answer("SET gpuagg.engine = gpu; SELECT gpu_array_sum('{1}'::int[])") if $seen->{died};
	return $seen;
}

# A row in which the query goes on.  If it was over before the fault came: again,
# with requests that take longer, which is time that the query has in addition.
sub goes_on
{
	my ($name, $act, %row) = @_;

	return {
		name => $name,
		settings => 'SET gpuagg.engine = gpu',
		within => 3,
		cuda => 1,
		repeats => 1,
		%row,
		own => sub {
			my ($row) = @_;
			my $seen;

			foreach my $ms (200, 600, 1800)
			{
				$seen = meet($row, $act, $ms);
				$seen->{more} = REQUESTS * ($ms - 200) / 1000;
				last if !proof_faults($row, $seen);
				Test::More::note("no proof with slow_launch=$ms");
			}
			return $seen;
		},
	};
}

1;
