# 020_dba.pl: what a database administrator sees and does.
#
# States that say what is wrong, or that nothing is; and what to do.  A script
# stands in for gpuaggd where the machine would have to be another.

use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use GpuaggCluster;
use PostgreSQL::Test::Utils;
use Test::More;

sub wait_until
{
	my ($node, $query, $what) = @_;

	ok($node->poll_query_until('postgres', $query), $what)
	  or diag($node->answer('SELECT * FROM gpuagg_devices'));
	return;
}

# Change a setting as the documents say.
sub set_device
{
	my ($node, $device) = @_;

	$node->safe_psql('postgres',
		"LOAD 'gpuagg'; ALTER SYSTEM SET gpuagg.device = '$device'");
	$node->reload;
	return;
}

# A query that wants the device, and is content with the CPU.
my $wants =
  'SET gpuagg.min_gpu_size = 0; SELECT gpu_sum(a) FROM series';
my $view = 'FROM gpuagg_devices';

#
# A server without a driver or a GPU does not look broken.
#
my $node = GpuaggCluster->create('dba', preload => 0, start => 0, settings => ["gpuagg.device = 'auto'"]);
$node->replace_daemon('exit 13');
$node->start;
$node->answer('CREATE EXTENSION gpuagg; CREATE TABLE series (a float8[]);'
	  . 'ALTER TABLE series ALTER a SET STORAGE EXTERNAL;'
	  . 'INSERT INTO series SELECT array_agg(x) FROM generate_series(1, 10000) x');
is($node->answer("SELECT state, reason, hint LIKE 'The first query %' $view"),
	'none||t', 'before the first query');

# Settings are known to sessions that have loaded the library.  From 17 on ALTER
# SYSTEM takes, of a superuser, what may be a setting of some library.
my $takes_all = $node->answer("SELECT current_setting('server_version_num')::int >= 170000") eq 't';
my $err;
$node->psql('postgres', "ALTER SYSTEM SET gpuagg.min_gpu_size = '1MB'", stderr => \$err);
like($err, $takes_all ? qr/^$/ : qr/unrecognized configuration parameter "gpuagg\.min_gpu_size"/,
	'a session without the library does not know the settings');
$node->answer('ALTER SYSTEM RESET gpuagg.min_gpu_size') if $takes_all;
is($node->answer("SELECT count(*) FROM pg_settings WHERE name = 'gpuagg.min_gpu_size'"),
	'0', 'and does not show them');
is($node->answer("LOAD 'gpuagg'; SELECT setting FROM pg_settings WHERE name = 'gpuagg.min_gpu_size'"),
	'0', 'LOAD has it know them');

foreach my $reason ('no NVIDIA driver was found', 'no GPU was found')
{
	$node->replace_daemon("print qq(FATAL: $reason\\n); exit 13;");
	$node->reload;
	is($node->answer($wants), '50005000', "$reason: the CPU computes");
	wait_until($node, "SELECT state = 'absent' $view", 'the state is absent');
	is($node->answer("SELECT reason, hint LIKE '%pg_reload_conf()%LOAD ''gpuagg''%', pid, supervisor_pid $view"),
		"$reason|t||", 'with a reason and a hint');
}
my $log = slurp_file($node->logfile);
like($log, qr/LOG:  gpuagg computes by the CPU: no GPU was found\n.*HINT:  Queries run on the CPU/,
	'the log says what it means');
unlike($log, qr/WARNING:|gpuaggd is not started again/, 'and warns of nothing');

#
# An old reason is not shown when the device was set to none, or was again.
#
$node->replace_daemon('print qq(FATAL: cudaMalloc: out of order\n); exit 11;');
$node->reload;
$node->answer($wants);
wait_until($node, "SELECT state = 'failed' AND reason LIKE '%out of order' $view",
	'a GPU that cannot be used is a failure');
is($node->answer("SELECT hint LIKE '%Once the cause is removed%' $view"), 't', 'with its hint');
set_device($node, 'none');
wait_until($node, "SELECT state = 'off' $view", 'device = none: the state is off');
is($node->answer("SELECT reason, hint LIKE '%LOAD ''gpuagg''; ALTER SYSTEM SET gpuagg.device%' $view"),
	'gpuagg.device is none|t', 'and its reason is that');
set_device($node, 'auto');
wait_until($node, "SELECT state = 'none' AND reason IS NULL $view",
	'with a device again the state is none');

$node->stop;

#
# The supervisor is a backend that a DBA sees and can end; gpuaggd ends with it.
#
$node = GpuaggCluster->create('ends');
is($node->answer(q{SELECT count(*), min(datname) FROM pg_stat_activity a JOIN gpuagg_devices d
		ON a.pid = d.supervisor_pid WHERE a.backend_type = 'gpuagg supervisor'}),
	'1|', 'the supervisor is in pg_stat_activity, without a database');
is_deeply([ $node->supervisors ], [ $node->answer("SELECT supervisor_pid $view") ],
	'by the process id that the view shows');

# What the server asks all backends, and waits for.
is( $node->answer(q{SET statement_timeout = '20s'; CREATE DATABASE template; DROP DATABASE template;
		SELECT pg_log_backend_memory_contexts(supervisor_pid) FROM gpuagg_devices}),
	't', 'it is in no one\'s way');
ok($node->log_since(0, qr/logging memory contexts of PID \d+/), 'and answers');
my $pid = $node->daemon_pid;
is($node->answer("SELECT pg_cancel_backend(supervisor_pid) $view"), 't', 'it has no query to cancel');
is($node->daemon_pid, $pid, 'and goes on');

my $from = $node->log_end;
$node->signal_daemon('TERM');
my $next = $node->await_daemon($pid);
is($node->answer("SELECT restarts $view"), '0', 'gpuaggd that is told to end starts again, which is no failure');
like(slurp_file($node->logfile, $from), qr/LOG:  gpuaggd was told to end/, 'the log says so');
unlike(slurp_file($node->logfile, $from), qr/WARNING:/, 'and warns of nothing');

$from = $node->log_end;
is($node->answer("SELECT pg_terminate_backend(supervisor_pid, 5000) $view"), 't', 'the supervisor is ended');
ok(defined $node->all_gone, 'and gpuaggd with it');
unlike(slurp_file($node->logfile, $from), qr/WARNING:|ERROR:|FATAL:/, 'in good order');
is($node->answer("SELECT state, reason, hint LIKE 'The next query %' $view"),
	'stopped|it was told to stop|t', 'the view says so');
is($node->answer("SET gpuagg.engine = gpu; SELECT gpu_array_sum('{1,2}'::int[])"), '3', 'the next query');
isnt($node->await_daemon($pid), $next, 'starts another one');

#
# gpuaggd that nobody uses ends: so does that of a dropped extension.  Neither a
# session that stays connected nor a view is a use.
#
my $session = $node->session("SET gpuagg.engine = gpu; SELECT gpu_array_sum('{1,2}'::int[])");
$from = $node->log_end;
$node->reload_with("gpuagg.idle_timeout = '1s'");
wait_until($node, "SELECT state = 'stopped' AND reason = 'not used for gpuagg.idle_timeout' $view",
	'gpuaggd that is not used ends');
ok(defined $node->all_gone, 'and its supervisor');
like(slurp_file($node->logfile, $from), qr/LOG:  gpuaggd has ended: not used for gpuagg\.idle_timeout/,
	'the log says so');
unlike(slurp_file($node->logfile, $from), qr/WARNING:/, 'and warns of nothing');
$session->begin("SET client_min_messages = warning; SELECT gpu_array_sum('{3,4}'::int[])");
is($session->end, '7', 'a session goes on with another one');
is($session->{err}, '', 'without a warning');
$session->close;
$node->reload_with('gpuagg.idle_timeout = 0');
sleep 1;    # until the supervisor has read that, too
$node->answer("SET gpuagg.engine = gpu; SELECT gpu_array_sum('{1,2}'::int[])");
$pid = $node->await_daemon;
sleep 2;
is($node->daemon_pid, $pid, '0 is for ever');

#
# Two servers share a device: what the other one took is left to it, and so is some
# memory besides, unless the DBA chose a size.
#
$node->answer(q{CREATE TABLE series (a float8[]); ALTER TABLE series ALTER a SET STORAGE EXTERNAL;
	INSERT INTO series SELECT array_agg(x) FROM generate_series(1, 10000) x});
$node->reload_with('gpuagg.cache_size = -1');
$node->with_faults('fail_launch=0');

SKIP:
{
	skip 'the memory of the emulated device', 5 if GpuaggCluster::is_cuda();
	my $mb = $node->answer("SELECT memory_bytes >> 20 $view");
	my $stat = 'SELECT streamed, cache_entries FROM gpuagg_stat';

	$node->with_faults('other_memory=' . int($mb * 15 / 16));
	$from = $node->log_end;
	is($node->answer("$wants; $stat"), "50005000\n1|0", 'an array is not kept if too little memory would be left');
	ok($node->log_since($from, qr/LOG:  gpuaggd: device 0: 0 MB for resident arrays, and no more: free memory: \d+ MB/),
		'the log says so');
	unlike(slurp_file($node->logfile, $from), qr/WARNING:/, 'but warns of nothing');
	$node->with_faults('other_memory=' . int($mb * 15 / 16 - 300));
	is($node->answer("$wants; $stat"), "50005000\n0|1", 'it is if enough is left');
	$node->reload_with("gpuagg.cache_size = '64MB'");
	$node->with_faults('other_memory=' . int($mb * 15 / 16));
	is($node->answer("$wants; $stat"), "50005000\n0|1", 'and if the DBA chose a size');
}

#
# A superuser says who may use the device, and a user cannot undo it.
#
$node->answer(q{CREATE ROLE reader LOGIN; GRANT SELECT ON series TO reader;
	GRANT pg_monitor TO reader;
	LOAD 'gpuagg'; ALTER ROLE reader SET gpuagg.allow_device = off});

# Return what a query by that role returns and writes.
sub by_reader
{
	my ($query) = @_;
	my ($out, $stderr) = ('', '');

	$node->psql('postgres', $query, stdout => \$out, stderr => \$stderr, on_error_stop => 0,
		extra_params => [ '-U', 'reader', '-v', 'VERBOSITY=verbose' ]);
	return "$out\n$stderr";
}
my $reason = q{SELECT DISTINCT reason FROM gpuagg_session_stat WHERE engine = 'cpu' AND arrays > 0};
is(by_reader("$wants; $reason"), "50005000\ngpuagg.allow_device is off\n",
	'the CPU computes for the role, and the counters say why');
like(by_reader("SET gpuagg.engine = gpu; $wants"),
	qr/ERROR:  58000: .*gpuagg\.allow_device is off/, 'engine = gpu is an error that says why');
like(by_reader('SELECT * FROM gpuagg_bench_reduce(1000)'),
	qr/ERROR:  55000: .*gpuagg\.allow_device is off/, 'and so is the ladder');
like(by_reader("LOAD 'gpuagg'; SET gpuagg.allow_device = on"), qr/ERROR:  42501/, 'the role cannot set it');
like(by_reader("SET gpuagg.allow_device = on; $wants; $reason"),
	qr/^50005000\ngpuagg\.allow_device is off$/m, 'not before the library is loaded');
like(by_reader("RESET gpuagg.allow_device; RESET ALL; $wants; $reason"),
	qr/^50005000\ngpuagg\.allow_device is off$/m, 'and not by RESET');
like(by_reader("LOAD 'gpuagg'; ALTER ROLE reader SET gpuagg.allow_device = on"),
	qr/ERROR:  42501/, 'nor for the sessions to come');
like(by_reader("ALTER ROLE reader RESET gpuagg.allow_device; ALTER ROLE reader RESET ALL; \\c\n$wants; $reason"),
	qr/^50005000\ngpuagg\.allow_device is off$/m, 'nor take it back');
is($node->answer("SET client_min_messages = error; SET gpuagg.engine = gpu; $wants"), '50005000',
	'other roles use the device');

# A session that loads the library when it needs it: a client may send any value
# before, which takes the place of the role's.
$node->configure("shared_preload_libraries = ''");
$node->restart;
$node->answer(q{CREATE FUNCTION told() RETURNS text LANGUAGE plpgsql PARALLEL SAFE AS
	$$BEGIN RETURN gpu_array_sum('{1}'::int[]) || ' ' || current_setting('gpuagg.allow_device'); END$$});
my $by_worker = q{SELECT set_config(name, 'on', false) FROM pg_settings WHERE name IN ('force_parallel_mode', 'debug_parallel_query')};
foreach my $sent ('', '-c gpuagg.allow_device=on', '-c gpuagg.allow_device=', '--gpuagg.allow-device=off')
{
	local $ENV{PGOPTIONS} = $sent;
	like(by_reader("$wants; $reason"), qr/^50005000\ngpuagg\.allow_device is off$/m, "nor by PGOPTIONS='$sent'");
	like(by_reader("SET gpuagg.allow_device = on; $wants; RESET gpuagg.allow_device; $wants; $reason"),
		qr/^50005000\n50005000\ngpuagg\.allow_device is off$/m, 'nor by that and SET');
	like(by_reader("$by_worker; SELECT told(); SET gpuagg.allow_device = on; SELECT told()"), qr/^1 off\n1 off$/m, 'nor in a worker that is the first to load it');
}
{
	local $ENV{PGOPTIONS} = '-c gpuagg.allow_device=on';
	$node->answer("LOAD 'gpuagg'; ALTER ROLE reader RESET gpuagg.allow_device; ALTER SYSTEM SET gpuagg.allow_device = off");
	$node->reload;
	like(by_reader("$wants; $reason"), qr/^50005000\ngpuagg\.allow_device is off$/m, 'nor where it is off for the server');
	is($node->answer("SET gpuagg.engine = gpu; $wants"), '50005000', 'a superuser can');
	is($node->answer("$wants; SHOW gpuagg.allow_device"), "50005000\non", 'and chooses it when connecting');
}

# A value that means nothing is as off, until it is mended.
$node->answer("LOAD 'gpuagg'; ALTER SYSTEM RESET gpuagg.allow_device");
$node->configure("shared_preload_libraries = 'gpuagg'\ngpuagg.allow_device = 'perhaps'");
$node->restart;
is($node->answer('SHOW gpuagg.allow_device'), 'off', 'a value that means nothing');
$node->answer('ALTER ROLE reader SET gpuagg.allow_device = on');
like(by_reader('SHOW gpuagg.allow_device'), qr/^on$/m, '... leaves it to roles');
$node->configure('gpuagg.allow_device = on');
$node->reload;
wait_until($node, "SELECT current_setting('gpuagg.allow_device') = 'on'", '... and is mended without a restart');
$node->stop;
done_testing();
