# 032_faults_start.pl: gpuaggd does not start, or is not what it should be.
#
# Scripts in the place of gpuaggd, beside a copy of the module.  A query has the
# CPU's answer at once, and the views and the log say what is wrong.

use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use FaultMatrix;

my $node;

# A server that starts gpuaggd when a session wants it.
sub node
{
	if (!$node)
	{
		$node = GpuaggCluster->create('start', preload => 0, script => 'exec $gpuaggd, @ARGV;', settings => ["gpuagg.request_timeout = '2s'"]);
		FaultMatrix::make_series($node);
	}
	return $node;
}

# A row with a script as gpuaggd; undef is none.  The first query has the
# supervisor started, and the one that is observed finds what came of it.
sub with_script
{
	my ($name, $script, %row) = @_;

	return {
		name => $name,
		query => 'stored',
		within => 1,
		witness => 'CPU',
		repeats => 1,
		%row,
		own => sub {
			my ($row) = @_;
			my $log;
			my $before = node()->daemon_status->{since} // 0;

			node()->stop('fast');
			node()->replace_daemon($script, $row->{mode});
			$log = node()->log_end;
			node()->start;
			node()->answer('SET gpuagg.min_gpu_size = 0; SELECT gpu_sum(x) FROM series');
			# a first failure is followed by another start at once
			node()->log_since($log, qr/will be started again in 1 second/, 20) if ($row->{state} // '') eq 'waiting';
			# the file is still that of the row before, until a supervisor writes another
			GpuaggCluster::within(20, sub { my $now = node()->daemon_status; ($now->{state} // '') eq $row->{state} && $now->{since} ne $before })
			  if $row->{state};
			my $seen = FaultMatrix::observe(node(), $row, log => $log);
			my $view = node()->answer('SELECT state, reason FROM gpuagg_devices');
			$seen->{also} = $view =~ /^\Q$row->{view}\E/ if defined $row->{view};
			push @{ $seen->{leaks} }, "gpuagg_devices has '$view'" if defined $row->{view} && !$seen->{also};
			return $seen;
		},
	};
}

# Of a script that is not to be taken for hung: it reads its input.
my $reads = 'if (fork == 0) { $0 = "reader"; 1 while sysread STDIN, my $b, 1000; exit } ';

# The start of a script that serves the socket.
my $listens = $reads . <<'PERL';
use Socket;
my ($path) = map { /^--socket=(.*)/ } @ARGV;
unlink $path;
my $server;
socket($server, AF_UNIX, SOCK_SEQPACKET, 0) && bind($server, pack_sockaddr_un($path)) && listen($server, 99) or die;
my @all;
PERL

# What serves it as a gpuaggd of another version: GA_BAD_VERSION.
my $refuses = 'print qq(READY\n); while (accept(my $c, $server)) '
  . '{ sysread($c, my $b, 4096); syswrite($c, pack("LLl", 1, 0, 4) . "x" x 300); push @all, $c }';

my $seen_in_view = 'the reason in `gpuagg_devices`';

fault_matrix(
	[
		with_script(
			'gpuaggd is missing', undef,
			state => 'failed',
			view => 'failed|could not execute',
			proof => { reason => 'no device', log => qr/could not execute ".*": No such file/, also => $seen_in_view }),
		with_script(
			'gpuaggd may not be executed', '',
			mode => 0644,
			state => 'failed',
			view => 'failed|could not execute',
			proof => { reason => 'no device', log => qr/could not execute ".*": Permission denied/, also => $seen_in_view }),
		with_script(
			'there is no driver', 'print "FATAL: no NVIDIA driver was found\n"; exit 10;',
			state => 'failed',
			proof => { reason => 'no device', log => qr/no NVIDIA driver was found/ }),
		with_script(
			'the driver is too old', 'print "FATAL: cudaGetDeviceCount: CUDA driver version is insufficient for CUDA runtime version (35)\n"; exit 10;',
			state => 'failed',
			proof => { reason => 'no device', log => qr/driver version is insufficient/ }),
		with_script(
			'there is no driver, engine = gpu', 'print "FATAL: no NVIDIA driver was found\n"; exit 10;',
			state => 'failed',
			settings => 'SET gpuagg.engine = gpu',
			expect => 'device',
			proof => { error => qr/58000: .*no device.*\nDETAIL:  no NVIDIA driver was found/ }),
		with_script(
			'there is no such device', 'print "FATAL: cudaSetDevice: invalid device ordinal (101)\n"; exit 11;',
			state => 'failed',
			view => 'failed|cudaSetDevice',
			proof => { reason => 'no device', log => qr/invalid device ordinal/, also => $seen_in_view }),
		with_script(
			'no host memory for staging', 'print "FATAL: memfd_create: Cannot allocate memory\n"; exit 12;',
			state => 'failed',
			view => 'failed|memfd_create',
			proof => { reason => 'no device', log => qr/memfd_create: Cannot allocate memory/, also => $seen_in_view }),
		with_script(
			'no device memory at the start', 'print "FATAL: cudaSetDevice: out of memory (2)\n"; exit 20;',
			state => 'waiting',
			view => 'waiting|cudaSetDevice: out of memory',
			proof => { reason => 'the device failed', log => qr/gpuaggd exited with exit code 20/, also => $seen_in_view }),
		with_script(
			'gpuaggd crashes at each start', 'kill "SEGV", $$; sleep 1;',
			state => 'waiting',
			view => 'waiting|gpuaggd was terminated by signal 11',
			proof => { reason => 'the device failed', log => qr/will be started again in 1 second/, also => $seen_in_view }),
		with_script(
			'gpuaggd does not become ready', 'sleep 600;',
			view => 'starting|',
			proof => { reason => 'gpuaggd is starting', also => 'the state in `gpuagg_devices`' }),
		with_script(
			'gpuaggd says that it is ready, and does not listen', $reads . 'print "READY\n"; sleep 600;',
			state => 'up',
			proof => { reason => 'gpuaggd is starting' }),
		with_script(
			'gpuaggd does not accept connections', "$listens print qq(READY\\n); sleep 600;",
			state => 'up',
			within => 2.5,
			proof => { reason => 'a request took too long', lasts => 0.5 }),
		with_script(
			'gpuaggd closes each connection', "$listens print qq(READY\\n); while (accept(my \$c, \$server)) { close \$c }",
			state => 'up',
			proof => { reason => 'gpuaggd went away' }),
		with_script(
			'gpuaggd answers a greeting with garbage',
			"$listens print qq(READY\\n); while (accept(my \$c, \$server)) { sysread(\$c, my \$b, 4096); syswrite(\$c, join('', map { chr(rand 256) } 1 .. 700)); push \@all, \$c }",
			state => 'up',
			proof => { reason => 'gpuaggd went away' }),
		with_script(
			'gpuaggd answers a greeting with a packet that is too short',
			"$listens print qq(READY\\n); while (accept(my \$c, \$server)) { sysread(\$c, my \$b, 4096); syswrite(\$c, 'x'); push \@all, \$c }",
			state => 'up',
			proof => { reason => 'gpuaggd went away' }),
		with_script(
			'gpuaggd of another version after an upgrade, without a restart of the server',
			'exec $gpuaggd, @ARGV, "--emulated-faults=wrong_version=1";',
			state => 'up',
			proof => { reason => 'gpuaggd of another version' }),
		with_script(
			'gpuaggd of a version whose packets are of another size',
			$listens . $refuses,
			state => 'up',
			proof => { reason => 'gpuaggd of another version' }),
		with_script(
			'gpuaggd of a version whose packets are of another size, engine = gpu',
			$listens . $refuses,
			state => 'up',
			settings => 'SET gpuagg.engine = gpu',
			expect => 'gpuaggd of another version',
			proof => { error => qr/58000: .*gpuaggd of another version.*\nDETAIL:  Its replies are of another size\.\nHINT:  After an upgrade reconnect/ }),
		with_script(
			'gpuaggd has another boot token, of the server\'s last start',
			'exec $gpuaggd, map { /^--boot-token/ ? "--boot-token=1" : $_ } @ARGV;',
			state => 'up',
			proof => { reason => 'gpuaggd of another version', log => qr/boot token is of another start/ }),
		with_script(
			'gpuaggd does not know a setting of this version',
			'exec $gpuaggd, @ARGV, "--no-such-option=1";',
			state => 'failed',
			proof => { reason => 'no device', log => qr/gpuaggd exited with exit code 2|unrecognized option/ }),
	],
	node => \&node);
