# GpuaggSession.pm: a session of psql that stays open while the test goes on.
#
#	my $session = $node->session;
#	$session->begin('SELECT gpu_sum(a) FROM t');	# returns at once
#	...
#	$session->end(5);		# waits; what the query returned
#	$session->ask($query);	# both
#
# A query may be several statements.  After each, {out}, {err} and {seconds} are
# what the last one wrote and took; {is_lost} says that the server ended the
# session.  GpuaggCluster.pm makes sessions.
package GpuaggSession;

use strict;
use warnings;

use IPC::Run ();
use Time::HiRes qw(time);

# The test's own pipes to its sessions, which a server that it starts inherits.
our %pipes;

sub new
{
	my ($class, $connstr, $settings) = @_;
	my $self = bless { in => '', all_out => '', all_err => '', n => 0 }, $class;

	$self->{run} = IPC::Run::start(
		[ 'psql', '-X', '-q', '-A', '-t', '-v', 'VERBOSITY=verbose', '-f', '-', '-d', $connstr ],
		'<', \$self->{in}, '>', \$self->{all_out}, '2>', \$self->{all_err});
	$pipes{$_} = 1 foreach grep { /^pipe:/ } map { readlink // () } glob '/proc/self/fd/*';
	$self->ask("SELECT pg_backend_pid();\n$settings");
	$self->{pid} = (split /\n/, $self->{out})[0];
	return $self;
}

# Send a query; it runs while the caller goes on.
sub begin
{
	my ($self, $query) = @_;

	$self->{n}++;
	($self->{all_out}, $self->{all_err}) = ('', '');
	$self->{started} = time;
	$self->{ended} = 0;
	$self->{in} .= "$query;\n\\echo end of $self->{n}\n\\warn end of $self->{n}\n";
	$self->{run}->pump_nb while length $self->{in} && $self->{run}->pumpable;
	return $self;
}

# Has the query ended?  Takes in what has come.
sub has_ended
{
	my ($self) = @_;
	my $end = qr/^end of $self->{n}\n/m;

	return 1 if $self->{ended};
	eval { $self->{run}->pump_nb } if !$self->{is_lost};
	if ($self->{is_lost})
	{
		# the client was killed
		return 0 if -d "/proc/$self->{pid}";
	}
	elsif ($self->{all_out} !~ $end || $self->{all_err} !~ $end)
	{
		return 0 if $self->{run}->pumpable;
		$self->{is_lost} = 1;
	}
	$self->{ended} = time;
	return 1;
}

# Wait for the query's end, so many seconds; returns what it returned, or undef.
sub end
{
	my ($self, $limit) = @_;
	my $until = time + ($limit // 120);

	until ($self->has_ended)
	{
		return if time > $until;
		select undef, undef, undef, 0.001;
	}
	$self->{seconds} = $self->{ended} - $self->{started};
	($self->{out}, $self->{err}) = map { s/^end of \d+\n//mr } @$self{qw(all_out all_err)};
	chomp $self->{out};
	return $self->{out};
}

sub ask
{
	my ($self, $query, $limit) = @_;

	return $self->begin($query)->end($limit);
}

# Kill the client; the server is to notice it.
sub kill
{
	my ($self) = @_;

	$self->{run}->kill_kill(grace => 1);
	$self->{is_lost} = 1;
}

# Return its processes: the server's and psql.
sub processes
{
	my ($self) = @_;

	return ($self->{pid}, map { $_->{PID} } @{ $self->{run}{KIDS} });
}

# Close the session, whatever it does.
sub close
{
	my ($self) = @_;

	$self->{run}->kill_kill(grace => 2) if $self->{run}->pumpable && !$self->has_ended;
	eval { $self->{run}->finish };
}

1;
