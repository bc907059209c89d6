# Peers.pm: other programs that sum (peers.py), in one process that answers the
# scripts of the benchmark, and takes turns with their queries.
#
# PYTHON names the python3; what it has not is left out, and said so.
package Peers;

use strict;
use warnings;
use Exporter 'import';
use FindBin;
use IO::Handle;
use POSIX qw(mkfifo);

our @EXPORT = qw(start_peers peer_ms peer_side why_no_peer stop_peers);

my ($pid, $ask, $questions, $answers, %why);
my $folder = $ENV{GPUAGG_TMP};

# Starts it, for sums and running totals of so many elements.
sub start_peers
{
	my ($n_sum, $n_totals) = @_;
	my $python = $ENV{PYTHON} || 'python3';
	my @fifos = map { "$folder/peers.$_" } qw(questions answers);

	mkfifo($_, 0600) or die "$_: $!" for @fifos;
	# both ends, so that nobody waits for the other one to open it
	open $questions, '+<', $fifos[0] or die "$fifos[0]: $!";
	open $answers, '+<', $fifos[1] or die "$fifos[1]: $!";
	$questions->autoflush(1);
	$pid = fork // die "fork: $!";
	if ($pid == 0)
	{
		open STDIN, '<&', $questions;
		open STDOUT, '>&', $answers;
		exec($python, "$FindBin::Bin/peers.py", $n_sum, $n_totals) or POSIX::_exit(127);
	}
	$ask = "$folder/ask";
	open my $out, '>', $ask or die "$ask: $!";
	print $out <<"SH";
#!/bin/sh
echo "\$1" >$fifos[0]
IFS='	' read -r name ms rest <$fifos[1]
echo "Time: \$ms ms"
SH
	close $out;
	chmod 0700, $ask;
}

# The ms of a peer, the median of n runs, and for some a second kind of them;
# nothing if it cannot run here.
sub peer_ms
{
	my ($name, $n) = @_;

	if (!$pid || waitpid($pid, POSIX::WNOHANG) != 0)
	{
		undef $pid;
		$why{$name} = 'python3 has ended';
		return;
	}
	print $questions "$name $n\n";
	local $SIG{ALRM} = sub { die "$name gives no answer\n" };
	alarm 300;
	my ($answered, @ms) = split /\t/, scalar(<$answers>) =~ s/\n//r;
	alarm 0;
	die "$name was asked, and $answered answers\n" if $answered ne $name;
	return @ms if $ms[0] ne '-';
	$why{$name} = $ms[1];
	return;
}

sub why_no_peer { return $why{$_[0]} }

# A side of take_turns: the same peer once, of which peer_ms has to know already.
sub peer_side { my ($name) = @_; return "\\! timeout 120 $ask $name" }

sub stop_peers
{
	return unless $pid;
	kill 'TERM', $pid;
	waitpid $pid, 0;
	undef $pid;
	unlink map { "$folder/peers.$_" } qw(questions answers);
}

END { my $status = $?; stop_peers(); $? = $status }

1;
