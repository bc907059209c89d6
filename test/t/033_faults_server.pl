# 033_faults_server.pl: the server ends, restarts, is copied or upgraded.
#
# While a query is on the device.  The server has to be back as if there were no
# gpuagg, gpuaggd with it, and nothing may be left of the one before.

use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use FaultMatrix;
use FaultServer;
use IPC::Run;
use Time::HiRes qw(time);

# The process of a kind, by the server's own view.
sub pid_of
{
	return $_[0]->answer("SELECT pid FROM pg_stat_activity WHERE backend_type = '$_[1]'");
}

# The server that a program of PostgreSQL's made of this one: sums by the device,
# and what else a query has to return there.
sub observe_copy
{
	my ($row, $copy, $query, $expected) = @_;

	$row->{settings} = 'SET gpuagg.engine = gpu';
	my $seen = FaultMatrix::observe($copy, $row);
	$seen->{also} = $copy->answer($query) eq $expected;
	return $seen;
}

my $crashes = qr/terminating any other active server processes|all server processes terminated/;

fault_matrix(
	[
		loses('a backend of several is killed', sub { kill 'KILL', $_[1]{pid} }, crowd => 3, proof => { log => $crashes, dies => 1 }),
		loses('the checkpointer is killed', sub { kill 'KILL', pid_of($_[0], 'checkpointer') }, proof => { log => $crashes, dies => 1 }),
		loses('the supervisor is killed', sub { kill 'KILL', $_[0]->daemon_status->{supervisor_pid} },
			proof => { log => $crashes, dies => 1 }),
		loses(
			'the postmaster is killed',
			sub {
				my ($node) = @_;

				$node->kill9;
				GpuaggCluster::within(5, sub { !$node->processes(qr/./) });
				unlink $node->data_dir . '/postmaster.pid', $node->host . '/.s.PGSQL.' . $node->port . '.lock';
				$node->start;
			},
			proof => { log => qr/was not properly shut down/, dies => 1 }),
		loses('a fast stop of several sessions, and a start', sub { $_[0]->stop('fast'); $_[0]->start },
			crowd => 3,
			proof => { log => qr/received fast shutdown request/, dies => 1 }),
		loses('an immediate stop of several sessions, and a start', sub { $_[0]->stop('immediate'); $_[0]->start },
			crowd => 3,
			proof => { log => qr/received immediate shutdown request/, dies => 1 }),
		loses('a restart under several sessions', sub { $_[0]->restart }, crowd => 3, proof => { log => qr/starting PostgreSQL/, dies => 1 }),
		goes_on(
			'the supervisor is terminated',
			sub { kill 'TERM', $_[0]->daemon_status->{supervisor_pid} },
			witness => 'either',
			proof => { reason => 'gpuaggd went away', dies => 1 }),
		goes_on(
			'gpuaggd is told to stop, by SIGTERM',
			sub { kill 'TERM', $_[2] },
			witness => 'either',
			proof => { reason => 'gpuaggd went away', dies => 1 }),
		goes_on(
			'gpuaggd is killed by SIGSEGV',
			sub { kill 'SEGV', $_[2] },
			witness => 'either',
			unsanitized => 'sanitizers handle this signal',
			proof => { reason => 'gpuaggd went away', log => qr/terminated by signal 11/, dies => 1 }),
		goes_on(
			'gpuaggd and its supervisor end at once',
			sub { my $supervisor = $_[0]->daemon_status->{supervisor_pid}; kill 'KILL', $_[2]; kill 'TERM', $supervisor },
			witness => 'either',
			proof => { reason => 'gpuaggd went away', dies => 1 }),
		{
			name => 'a smart stop waits for the queries of several sessions',
			within => 5,
			crowd => 3,
			cuda => 1,
			proof => { log => qr/received smart shutdown request/, lasts => 0.4, dies => 1 },
			own => sub {
				my ($row) = @_;
				my $old = node()->with_faults('slow_launch=400');
				my $stop;
				my $seen = FaultMatrix::observe(
					node(), $row,
					settings => 'SET gpuagg.engine = gpu',
					act => sub { $stop = IPC::Run::start([ 'pg_ctl', 'stop', '-m', 'smart', '-w', '-s', '-D', node()->data_dir ], '<', \undef) });

				$stop->finish;
				node()->_update_pid(0);
				$seen->{died} = defined node()->all_gone;
				node()->start;
				return $seen;
			},
		},
		{
			name => 'a standby, and its promotion',
			within => 5,
			cuda => 1,
			proof => { log => qr/received promote request/, also => 'it was in recovery before, and is not after' },
			own => sub {
				my ($row) = @_;
				my $standby = GpuaggCluster->new('standby_of_server');

				node()->with_faults('');
				node()->backup('backup');
				$standby->init_from_backup(node(), 'backup', has_streaming => 1);
				$standby->configure("gpuagg.emulated_faults = 'slow_launch=400'");
				$standby->start;
				bless $standby, 'GpuaggCluster';
				my $before = $standby->answer('SELECT pg_is_in_recovery()');
				$row->{settings} = 'SET gpuagg.engine = gpu';
				my $seen = FaultMatrix::observe($standby, $row, act => sub { $standby->promote });
				$seen->{also} = $before eq 't' && $standby->poll_query_until('postgres', 'SELECT NOT pg_is_in_recovery()');
				$standby->stop('immediate');
				return $seen;
			},
		},
		{
			name => 'point-in-time recovery, to before rows were deleted',
			query => 'stored',
			within => 5,
			cuda => 1,
			proof => { log => qr/recovery stopping|recovery stopped|archive recovery complete/, also => 'the rows are there again' },
			own => sub {
				my ($row) = @_;
				my $copy = GpuaggCluster->new('recovered');

				node()->append_conf('postgresql.conf', "archive_mode = on\narchive_command = 'cp \"%p\" \"" . node()->archive_dir . "/%f\"'");
				node()->restart;
				node()->await_daemon;
				node()->backup('before_delete');
				my $till = node()->answer("SET gpuagg.engine = gpu; SELECT gpu_sum(x) FROM series \\g /dev/null\nSELECT pg_create_restore_point('here')");
				node()->answer('CREATE TABLE kept AS TABLE series; DELETE FROM series; VACUUM series; SELECT pg_switch_wal()');
				node()->poll_query_until('postgres', "SELECT last_archived_wal >= pg_walfile_name('$till') FROM pg_stat_archiver");
				$copy->init_from_backup(node(), 'before_delete', has_restoring => 1, standby => 0);
				$copy->append_conf('postgresql.conf', "recovery_target_name = 'here'\nrecovery_target_action = promote\narchive_mode = off");
				$copy->start;
				bless $copy, 'GpuaggCluster';
				$copy->poll_query_until('postgres', 'SELECT NOT pg_is_in_recovery()');
				$copy->await_daemon;
				my $seen = observe_copy($row, $copy, 'SELECT count(*) FROM series', '100');
				$seen->{log} = PostgreSQL::Test::Utils::slurp_file($copy->logfile);
				$copy->stop('immediate');
				node()->answer('INSERT INTO series TABLE kept; DROP TABLE kept');
				return $seen;
			},
		},
		{
			name => 'single-user mode, without any other process',
			query => 'stored',
			within => 5,
			cuda => 1,
			proof => { also => 'the program is `postgres --single`' },
			own => sub {
				my $query = FaultMatrix::query('stored');
				my ($out, $err) = ('', '');
				my $begin = time;

				node()->stop('fast');
				IPC::Run::run([ 'postgres', '--single', '-D', node()->data_dir, 'postgres' ],
					'<', \"SET gpuagg.min_gpu_size = 0;\n$query\n", '>', \$out, '2>', \$err);
				my %seen = (seconds => time - $begin, err => $err, right => FaultServer::right('stored'));
				($seen{out}) = $out =~ /\?column\? = "(.*?)"/;
				$seen{also} = $out =~ /PostgreSQL stand-alone backend/;
				node()->start;
				$seen{witness} = 'device' if node()->answer("SET gpuagg.engine = gpu; $query") eq FaultServer::right('stored');
				return \%seen;
			},
		},
		{
			name => 'pg_upgrade to another data directory',
			query => 'stored',
			within => 5,
			cuda => 1,
			proof => { also => 'the old server\'s rows are in the new one' },
			own => sub {
				my ($row) = @_;
				my $new = GpuaggCluster->new('upgraded');
				my ($out, $dir) = ('', $new->basedir);

				$new->init;
				$new->configure($_) foreach "shared_preload_libraries = 'gpuagg'", "gpuagg.device = '" . GpuaggCluster::device() . "'";
				node()->stop('fast');
				IPC::Run::run([ 'sh', '-c', "cd $dir && exec pg_upgrade --no-sync -b \$(dirname \$(command -v postgres)) -d "
					. node()->data_dir . ' -D ' . $new->data_dir . ' -s ' . $new->host . ' -p ' . node()->port . ' -P ' . $new->port ],
					'<', \undef, '>&', \$out) or Test::More::diag($out);
				$new->start;
				bless $new, 'GpuaggCluster';
				$new->await_daemon;
				my $seen = observe_copy($row, $new, "SELECT count(*) FROM series WHERE array_length(x, 1) = 5000", '100');
				$new->stop('fast');
				node()->start;
				return $seen;
			},
		},
	],
	node => \&node);
