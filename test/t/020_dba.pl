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

# Settings are known to sessions that have loaded the library.
my $err;
$node->psql('postgres', "ALTER SYSTEM SET gpuagg.min_gpu_size = '1MB'", stderr => \$err);
like($err, qr/unrecognized configuration parameter "gpuagg\.min_gpu_size"/,
	'a session without the library does not know the settings');
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
done_testing();
