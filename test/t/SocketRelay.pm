# SocketRelay.pm: a unix socket before a server's, which counts what the server
# sends.
#
#	use SocketRelay;
#
#	my $relay = SocketRelay->new($node);
#	my $dsn = 'host=' . $relay->host . ' port=' . $node->port;
#	my $before = $relay->n_sent;
#	...
#	cmp_ok($relay->n_sent - $before, '<', 10_000);
#	$relay->close;
package SocketRelay;

use strict;
use warnings;

use IO::Select;
use IO::Socket::UNIX;
use PostgreSQL::Test::Utils;

use constant AT_ONCE => 1 << 16;

# Pass on what comes, until the test ends.
sub pass_on
{
	my ($listener, $server, $count, $test) = @_;
	my $readable = IO::Select->new($listener);
	my (%peer, %is_server);
	my $n = 0;

	$SIG{PIPE} = 'IGNORE';
	while (getppid == $test)
	{
		foreach my $from ($readable->can_read(1))
		{
			if ($from == $listener)
			{
				my $client = $listener->accept or next;
				my $to = IO::Socket::UNIX->new(Peer => $server) or next;

				($peer{$client}, $peer{$to}, $is_server{$to}) = ($to, $client, 1);
				$readable->add($client, $to);
			}
			elsif (sysread $from, my $bytes, AT_ONCE)
			{
				$n += length $bytes if $is_server{$from};
				sysseek $count, 0, 0;
				syswrite $count, sprintf '%20d', $n;
				while (length $bytes && defined(my $written = syswrite $peer{$from}, $bytes))
				{
					substr $bytes, 0, $written, '';
				}
			}
			else
			{
				my $other = delete $peer{$from} or next;

				$readable->remove($from, $other);
				delete $peer{$other};
				$_->close foreach $from, $other;
			}
		}
	}
}

# Begin to relay for a node, in another process.
sub new
{
	my ($class, $node) = @_;
	my $dir = PostgreSQL::Test::Utils::tempdir_short();
	my $name = '/.s.PGSQL.' . $node->port;
	my $listener = IO::Socket::UNIX->new(Local => $dir . $name, Listen => 10) or die "listen: $!";

	chmod 0777, $dir, $dir . $name;
	open my $count, '+>', "$dir/count" or die "count: $!";
	my $test = $$;
	my $pid = fork // die "fork: $!";
	if ($pid == 0)
	{
		eval { pass_on($listener, $node->host . $name, $count, $test) };
		# without what the test does at its end
		kill 'KILL', $$;
	}
	return bless { dir => $dir, pid => $pid, count => $count }, $class;
}

sub host
{
	return $_[0]{dir};
}

# Return how many bytes the server has sent.
sub n_sent
{
	my ($self) = @_;

	sysseek $self->{count}, 0, 0;
	sysread $self->{count}, my $n, 20;
	return 0 + ($n || 0);
}

sub close
{
	my ($self) = @_;

	kill 'KILL', $self->{pid};
	waitpid $self->{pid}, 0;
	return;
}

1;
