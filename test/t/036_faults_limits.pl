# 036_faults_limits.pl: something runs out on the host, or somebody removes files.
#
# Descriptors, memory, file sizes, worker slots, disk.  Limits are set while the
# processes run (prlimit), since the server and gpuaggd start without.

use strict;
use warnings;

use File::Basename;
use FindBin;
use lib $FindBin::RealBin;
use FaultMatrix;

my ($node, $data);

# See test/module/preloaded.c.
$ENV{LD_PRELOAD} = dirname($ENV{GPUAGG_TEST_MODULE} // '') . '/preloaded.so';

sub node
{
	if (!$node)
	{
		$node = GpuaggCluster->create('limits', settings => ["gpuagg.request_timeout = '5s'"]);
		$data = $node->data_dir;
		FaultMatrix::make_series($node);
	}
	return $node;
}

# Limit a resource of a process.
sub limit
{
	my ($pid, $resource, $value) = @_;

	system('prlimit', "--pid=$pid", "--$resource=$value") == 0 or die 'prlimit';
}

# Start the server again, without limits.
sub renew
{
	node()->stop('fast');
	node()->start;
	return node()->await_daemon;
}

# Have the supervisor start a gpuaggd with its own limits, by a reload.
my $n_reloads = 0;

sub restart_daemon
{
	node()->reload_with("gpuagg.cache_size = '" . (200 + ++$n_reloads) . "MB'");
}

# A row: prepare (gpuaggd's pid) makes the fault, and then a session comes.
sub meets
{
	my ($name, $prepare, %row) = @_;

	return {
		name => $name,
		query => 'stored',
		within => 3,
		%row,
		own => sub {
			my ($row) = @_;
			my $old = renew();
			my $log = node()->log_end;
			my $looks = $prepare->($old);
			my $seen = FaultMatrix::observe(node(), $row, log => $log);

			$seen->{also} = $looks->() if ref $looks;
			$row->{undo}->() if $row->{undo};
			$seen->{died} = node()->daemon_pid != $old;
			return $seen;
		},
	};
}

# Wait for a state of gpuaggd.
sub state_is
{
	my ($state) = @_;

	GpuaggCluster::within(5, sub { (node()->daemon_status->{state} // '') eq $state });
}

# Have so many sessions sum at once; returns how many answers were right.
sub crowd
{
	my ($n) = @_;
	my $query = FaultMatrix::query('stored');
	my $right = node()->answer("SET gpuagg.engine = cpu; $query");
	my @sessions = map { node()->session('SET gpuagg.min_gpu_size = 0') } 1 .. $n;

	$_->begin($query) foreach @sessions;
	my $n_right = grep { ($_->end(20) // '') eq $right } @sessions;
	$_->close foreach @sessions;
	return $n_right;
}

fault_matrix(
	[
		meets(
			'gpuaggd has no descriptors left: 24 sessions at once',
			sub {
				my ($pid) = @_;

				limit($pid, 'nofile', '18:18');
				my $n = crowd(24);
				return sub { $n == 24 };
			},
			cuda => 0,
			within => 5,
			witness => 'either',
			proof => { log => qr/connections are refused: \d+ sessions, and the limit of descriptors/, also => 'all 24 answers are right' }),
		meets(
			'no locked memory (ulimit -l 0)',
			sub {
				limit(node()->daemon_status->{supervisor_pid}, 'memlock', '0:0');
				restart_daemon();
				my $pid = node()->await_daemon($_[0]);
				return sub { PostgreSQL::Test::Utils::slurp_file("/proc/$pid/limits") =~ /^Max locked memory\s+0\s/m };
			},
			cuda => 1,
			proof => { also => 'the limits in `/proc`' }),
		meets(
			'shared memory for staging is over the limit of file sizes',
			sub {
				limit(node()->daemon_status->{supervisor_pid}, 'fsize', '65536:65536');
				restart_daemon();
				GpuaggCluster::within(5, sub { (node()->daemon_status->{state} // '') =~ /waiting|failed/ && !node()->daemons });
				return;
			},
			cuda => 1,
			witness => 'CPU',
			proof => { log => qr/posix_fallocate: File too large/ }),
		meets(
			'no address space for gpuaggd',
			sub {
				limit(node()->daemon_status->{supervisor_pid}, 'as', '400000000');
				node()->reload_with("gpuagg.staging_size = '512MB'");
				node()->log_since(0, qr/Cannot allocate memory/);
				return;
			},
			unsanitized => 'sanitizers need more address space',
			undo => sub { node()->configure("gpuagg.staging_size = '64MB'") },
			witness => 'CPU',
			proof => { log => qr/Cannot allocate memory/ }),
		meets(
			'the status file cannot be written',
			sub {
				mkdir "$data/pg_stat_tmp/gpuagg.status.tmp";
				restart_daemon();
				GpuaggCluster::within(3, sub { !-d "/proc/$_[0]" });
				GpuaggCluster::within(3, sub { node()->daemons == 1 });
				return;
			},
			undo => sub { rmdir "$data/pg_stat_tmp/gpuagg.status.tmp" },
			cuda => 1,
			proof => { log => qr/could not create file "pg_stat_tmp\/gpuagg.status.tmp": Is a directory/ }),
		meets(
			'the lock file cannot be opened',
			sub {
				node()->stop('fast');
				unlink "$data/pg_stat_tmp/gpuagg.lock";
				mkdir "$data/pg_stat_tmp/gpuagg.lock";
				node()->start;
				GpuaggCluster::within(3, sub { !node()->supervisors });
				return;
			},
			undo => sub { rmdir "$data/pg_stat_tmp/gpuagg.lock" },
			cuda => 1,
			witness => 'CPU',
			proof => { log => qr/could not open file "pg_stat_tmp\/gpuagg.lock": Is a directory/ }),
		meets(
			'the directory pg_stat_tmp is removed',
			sub {
				rename "$data/pg_stat_tmp", "$data/pg_stat_gone";
				kill 'KILL', $_[0];
				GpuaggCluster::within(3, sub { !-d "/proc/$_[0]" });
				return;
			},
			undo => sub { rename "$data/pg_stat_gone", "$data/pg_stat_tmp" },
			cuda => 1,
			witness => 'CPU',
			proof => { log => qr/No such file or directory/, dies => 1 }),
		meets(
			'the socket is removed',
			sub {
				my ($old) = @_;

				unlink "$data/pg_stat_tmp/gpuagg.sock";
				my $now = node()->await_daemon($old, 5);
				return sub { $now != $old && -S "$data/pg_stat_tmp/gpuagg.sock" };
			},
			cuda => 1,
			proof => { log => qr/WARNING:  the socket of gpuaggd was removed/, also => 'there is another one', dies => 1 }),
		meets(
			'the socket is removed before the supervisor has looked for it',
			sub {
				my ($old) = @_;
				my ($supervisor) = node()->supervisors;
				my $first;

				kill 'KILL', $old;
				GpuaggCluster::within(10, sub { ($first) = grep { $_ != $old } node()->daemons });
				kill 'STOP', $supervisor;
				GpuaggCluster::within(20, sub { unlink "$data/pg_stat_tmp/gpuagg.sock" });
				kill 'CONT', $supervisor;
				my $now = node()->await_daemon($first);
				return sub { $now != $first && -S "$data/pg_stat_tmp/gpuagg.sock" };
			},
			cuda => 1,
			proof => { log => qr/WARNING:  the socket of gpuaggd was removed/, also => 'there is another one', dies => 1 }),
		meets(
			'a file that is no socket lies in the place of the socket',
			sub {
				my ($old) = @_;

				unlink "$data/pg_stat_tmp/gpuagg.sock";
				mkdir "$data/pg_stat_tmp/gpuagg.sock";
				kill 'KILL', $old;
				GpuaggCluster::within(5, sub { !-d "/proc/$old" && (node()->daemon_status->{state} // '') eq 'waiting' });
				return sub {
					rmdir "$data/pg_stat_tmp/gpuagg.sock";
					GpuaggCluster::within(20, sub { -S "$data/pg_stat_tmp/gpuagg.sock" && node()->daemon_status->{state} eq 'up' });
				};
			},
			cuda => 1,
			witness => 'CPU',
			proof => { log => qr/could not create socket "pg_stat_tmp\/gpuagg\.sock": Address already in use/, also => '`gpuaggd` is back without a reload', dies => 1 }),
		meets(
			'the status file is garbage',
			sub {
				my $file = "$data/pg_stat_tmp/gpuagg.status";

				unlink $file;
				PostgreSQL::Test::Utils::append_to_file($file, join '', map { chr(rand 256) } 1 .. 4096);
				return sub { node()->answer('SELECT state FROM gpuagg_devices') =~ /^(?:up|none|unknown)$/ };
			},
			cuda => 1,
			proof => { also => 'what `gpuagg_devices` shows' }),
		meets(
			'all worker slots are taken, engine = auto',
			sub {
				node()->stop('fast');
				node()->configure("shared_preload_libraries = ''\nmax_worker_processes = 0");
				node()->start;
				return;
			},
			undo => sub { node()->configure("shared_preload_libraries = 'gpuagg'\nmax_worker_processes = 8") },
			cuda => 1,
			witness => 'CPU',
			proof => { reason => 'no background worker slot' }),
		meets(
			'all worker slots are taken, engine = gpu',
			sub {
				node()->stop('fast');
				node()->configure("shared_preload_libraries = ''\nmax_worker_processes = 0");
				node()->start;
				return;
			},
			undo => sub { node()->configure("shared_preload_libraries = 'gpuagg'\nmax_worker_processes = 8") },
			settings => 'SET gpuagg.engine = gpu',
			expect => 'no background worker slot',
			cuda => 1,
			witness => 'CPU',
			proof => { error => qr/58000/ }),
		meets(
			'staging memory for one session only, and two want it',
			sub {
				my ($old) = @_;

				node()->reload_with("gpuagg.staging_size = '8MB'", "gpuagg.emulated_faults = 'slow_launch=4000'");
				node()->await_daemon($old);
				my $other = node()->session('SET gpuagg.engine = gpu');
				$other->begin(FaultMatrix::query('sum'));
				GpuaggCluster::within(2, sub { node()->answer('SELECT sum(leases) FROM gpuagg_devices') eq '1' });
				return sub { $other->end(20); $other->close; 1 };
			},
			undo => sub { node()->configure("gpuagg.staging_size = '64MB'\ngpuagg.emulated_faults = ''") },
			within => 3,
			cuda => 1,
			witness => 'CPU',
			proof => { reason => 'no staging memory' }),
		meets(
			'the disk of pg_stat_tmp is full',
			sub {
				node()->stop('fast');
				PostgreSQL::Test::Utils::append_to_file("$data/full_disk", '');
				my $log = node()->log_end;
				node()->start;
				node()->log_since($log, qr/gpuaggd: staging memory/);
				return;
			},
			undo => sub { unlink "$data/full_disk" },
			cuda => 1,
			proof => { log => qr/could not write file "pg_stat_tmp\/gpuagg.status": No space left on device/ }),
	],
	node => \&node);
