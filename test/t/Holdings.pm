# Holdings.pm: what the processes of a server with gpuagg hold.
#
#	my $before = Holdings->of($node);
#	...
#	is_deeply([ Holdings->of($node)->more_than($before) ], []);
#
# Of gpuaggd, its supervisor and the postmaster: how many there are, their
# descriptors, and gpuaggd's memory; and the files in pg_stat_tmp.  What is not
# there holds nothing.  Of a session: its descriptors, mapped slots and memory
# contexts.
package Holdings;

use strict;
use warnings;

use PostgreSQL::Test::Utils;
use Time::HiRes qw(sleep);

# What may be more than before.  A session keeps its connection.  What requests are
# executed with, 9 at a time, has an eventfd and memory on the device from its first use
# on; if the device is emulated, the memory is gpuaggd's own, 4 MB for each.  Lookup slots
# are kept for other sessions: a file of small ones, and one for each of the large ones.
my %spare = ("gpuaggd's sockets" => 1, "gpuaggd's others" => 9, "gpuaggd's memory" => 4, "gpuaggd's MB" => 36);

# The slots of a lease, and lookup slots.
my $most_mappings = 5;

sub of
{
	my ($class, $node) = @_;
	my @daemons = $node->daemons;
	my @supervisors = $node->supervisors;
	my %held = ('gpuaggds' => scalar @daemons, 'supervisors' => scalar @supervisors);

	# not a script in its place
	foreach my $pid (grep { (readlink("/proc/$_/exe") // '') =~ m{/gpuaggd$} } @daemons)
	{
		my $n = $node->descriptors($pid);

		$held{"gpuaggd's $_"} += $n->{$_} foreach keys %$n;
		$held{"gpuaggd's MB"} += memory_mb($pid);
	}
	$held{"the supervisor's descriptors"} += count($node, $_) foreach @supervisors;
	$held{"the postmaster's descriptors"} = count($node, $node->{_pid}) if $node->{_pid};
	# the name of one has the token of the server's start
	$held{ 'files ' . s{.*/}{}r =~ s/\.[0-9a-f]{16}\./.TOKEN./r }++ foreach glob $node->data_dir . '/pg_stat_tmp/*';
	return bless \%held, $class;
}

# Return how many descriptors a process has while it waits; between two waits it
# may have more or less, for longer than a moment if others have the processors.
sub count
{
	my ($node, $pid) = @_;
	my ($last, $n_equal) = (-1, 0);

	foreach (1 .. 200)
	{
		if (is_asleep($pid))
		{
			my $n = $node->descriptors($pid);
			my $now = $n->{sockets} + $n->{memory} + $n->{others};

			$n_equal = $now == $last ? $n_equal + 1 : 0;
			$last = $now;
			last if $n_equal == 3 && is_asleep($pid);
		}
		sleep 0.01;
	}
	return $last;
}

# Does a process wait, neither running nor waiting for a processor?
sub is_asleep
{
	my ($pid) = @_;

	return (eval { slurp_file("/proc/$pid/status") } // '') =~ /^State:\s+S/m;
}

sub memory_mb
{
	my ($pid) = @_;

	return (eval { slurp_file("/proc/$pid/status") } // '') =~ /^RssAnon:\s+(\d+) kB/m ? int($1 / 1024) : 0;
}

# Return, in words, what there is more of than before.
sub more_than
{
	my ($self, $before) = @_;
	my @more;

	foreach my $what (sort keys %$self)
	{
		my $n = $before->{$what} // ($what =~ /^files/ ? 0 : next);

		push @more, "$what: $n before, $self->{$what} after" if $self->{$what} > $n + ($spare{$what} // 0);
	}
	return @more;
}

# Return the descriptors of a session, to compare with later.
sub of_session
{
	my ($class, $node, $session) = @_;

	return bless $node->descriptors($session->{pid}), $class;
}

# Return what a session has too much of, at rest after a query.
sub session_leaks
{
	my ($before, $node, $session) = @_;
	my $now = $node->descriptors($session->{pid});
	my $n_mappings = () = (eval { slurp_file("/proc/$session->{pid}/maps") } // '') =~ /memfd:gpuagg/g;
	my $contexts = $session->ask("SELECT string_agg(name, ', ') FROM pg_backend_memory_contexts WHERE name LIKE 'gpuagg%'", 5) // '';
	my @leaks;

	# one connection, and perhaps its slots
	push @leaks, "the session's sockets: $before->{sockets} before, $now->{sockets} after" if $now->{sockets} > $before->{sockets} + 1;
	push @leaks, "the session has $now->{memory} descriptors of staging memory" if $now->{memory};
	push @leaks, "the session maps $n_mappings parts of gpuaggd's memory" if $n_mappings > $most_mappings;
	push @leaks, "memory contexts of the session: $contexts" if $contexts ne '';
	return @leaks;
}

1;
