# 014_several_devices.pl: several devices that work as one.
#
# Two emulated devices; and the GPUs that nvidia-smi calls 0 and 1 on machines
# that have them.  Each stored array is resident on one of them, all sums are
# those of the CPU, and a device that fails leaves the other one at work.

use strict;
use warnings;

use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(usleep);

my $node = PostgreSQL::Test::Cluster->new('several');
$node->init;
$node->append_conf('postgresql.conf', "gpuagg.staging_size = '64MB'\ngpuagg.cache_size = '256MB'\n");
$node->start;

sub answer
{
	return $node->safe_psql('postgres', $_[0]);
}

# Run a query until its answer is what it must be, or for ten seconds.
sub comes
{
	my ($query, $must, $what) = @_;
	my $got = '';

	for (1 .. 100)
	{
		$node->psql('postgres', "$query", stdout => \$got);
		last if $got eq $must;
		usleep(100_000);
	}
	is($got, $must, $what);
	return;
}

my $use = 'SET gpuagg.engine = gpu; SELECT gpu_array_sum(ARRAY[1, 2]) AS used \gset' . "\n";
my $devices = q{SELECT string_agg(device || ' ' || state, ', ' ORDER BY device) FROM gpuagg_devices;};

# Change gpuagg.device, and wait until gpuaggd uses it.
sub with_devices
{
	my ($list, $must, $faults) = @_;

	$node->append_conf('postgresql.conf',
		"gpuagg.device = '$list'\ngpuagg.emulated_faults = '" . ($faults // '') . "'");
	$node->reload;
	comes($use . $devices, $must, "gpuagg.device = '$list'");
	return;
}

answer('CREATE EXTENSION gpuagg');
answer('CREATE TABLE series (id int, x float8[])');
answer('ALTER TABLE series ALTER x SET STORAGE external');
answer(q{INSERT INTO series SELECT g, (SELECT array_agg(sin(g * 1000.0 + i) * 10 ^ (i % 40 - 20)::float8)
	FROM generate_series(1, 5000) i) FROM generate_series(1, 200) g});

# Some of these have NULLs, and as many bytes as the others.
answer('CREATE TABLE alike (id int, x float8[])');
answer('ALTER TABLE alike ALTER x SET STORAGE external');
answer(q{INSERT INTO alike SELECT g, CASE WHEN g % 10 = 3
	THEN array_fill(NULL::float8, '{400}') || array_fill(g * 0.1::float8, '{63000}') || array_fill(NULL::float8, '{600}')
	ELSE array_fill(g * 0.1::float8, '{64000}') END FROM generate_series(1, 20) g});

my $work = q{SELECT gpu_sum(x)::text || ' ' || count(*) FROM series;
	SELECT md5(string_agg(s::text, ',' ORDER BY g)) FROM (SELECT id % 7 AS g, gpu_sum(x) AS s FROM series GROUP BY 1) q;
	SELECT md5(string_agg(gpu_array_cumsum(x)::text, ',' ORDER BY id)) FROM series;
	SELECT gpu_sum(x || '{}') FROM series;};
my $fallbacks = q{SELECT sum(arrays) FROM gpuagg_session_stat WHERE engine = 'cpu' AND arrays > 0};
my $resident = q{FROM gpuagg_cache WHERE relation = 'series'::regclass};

# Of an array with NULLs the CPU takes its own, and the devices all others.
sub check_nulls
{
	my ($kind) = @_;
	my $query = 'SELECT md5(gpu_elem_max(x)::text), md5(gpu_elem_sum(x)::text) FROM alike;';
	my $by = q{SELECT string_agg(coalesce(reason, engine) || ' ' || arrays, ', ' ORDER BY reason NULLS FIRST)
		FROM gpuagg_session_stat WHERE elements > 0};

	for my $when ('cold', 'resident')
	{
		is(answer("SET gpuagg.engine = gpu; $query $by"), answer("SET gpuagg.engine = cpu; $query") . "\ngpu 36, NULL elements 4",
			"$kind: by position, with NULLs, $when");
	}
	return;
}

# Run the work in so many sessions at once, each twice.
sub check_sessions
{
	my ($n, $what) = @_;
	my $right = answer("SET gpuagg.engine = cpu; $work $work");
	my @sessions = map { { out => '', err => '' } } 1 .. $n;

	$_->{run} = IPC::Run::start([ 'psql', '-X', '-q', '-A', '-t', '-d', $node->connstr('postgres'), '-c',
			"SET gpuagg.engine = gpu; $work $work", '-c', $fallbacks ],
		'<', \undef, '>', \$_->{out}, '2>', \$_->{err}, IPC::Run::timeout(120))
		for @sessions;
	$_->{run}->finish for @sessions;
	is($_->{out}, "$right\n\n", "$what: the same as the CPU") for @sessions;
	is($_->{err}, '', "$what: nothing is said") for @sessions;
	return;
}

# Two devices, by their numbers.
sub check_two
{
	my ($list, $kind) = @_;

	with_devices($list, '0 up, 1 up');
	check_sessions(1, "$kind, one session");
	is(answer("SELECT sum(entries) $resident"), 200, "$kind: each array is resident once");
	is(answer("SELECT count(*) FILTER (WHERE entries > 60) $resident"), 2, "$kind: about half of them on each device");
	check_sessions(6, "$kind, six sessions");
	is(answer("SELECT sum(entries) $resident"), 200, "$kind: and no more with more sessions");
	answer('UPDATE series SET x = x || 1.5 WHERE id % 2 = 0');
	check_sessions(6, "$kind, after an update");
	check_nulls($kind);
	return;
}

check_two('emulated:2', 'emulated');

# --- results are made ahead, however many devices the arrays are on in turn
answer('CREATE TABLE small (id int, x float8[])');
answer('ALTER TABLE small ALTER x SET STORAGE external');
answer('INSERT INTO small SELECT g, array_fill(g * 0.1::float8, ARRAY[500]) FROM generate_series(1, 1000) g');
for my $n (8, 24)
{
	with_devices("emulated:$n", join(', ', map { "$_ up" } 0 .. $n - 1));
	for my $call ('gpu_array_sum(x)', 'gpu_array_bucket_max(x, 100)')
	{
		my $query = "SELECT md5(string_agg($call\::text, ',')) FROM small;";
		my $settings = 'SET max_parallel_workers_per_gather = 0; SET gpuagg.engine =';

		answer("$settings gpu; SELECT gpu_sum(x) FROM small; SELECT gpuagg_stat_reset()");
		is(answer("$settings gpu; $query"), answer("$settings cpu; $query"), "$n devices: $call");
		my ($requests, $hits) = split /\|/, answer('SELECT requests, hits FROM gpuagg_stat');
		cmp_ok($requests, '<', 100, "... with $requests requests about 1000 arrays");
		is($hits, 1000, '... each of which was asked for once');
	}
}

# --- one of them fails, in the middle of a query
for my $fault ('fail_launch', 'hang_launch')
{
	my $right = answer("SET gpuagg.engine = cpu; $work");
	my $lost = q{SELECT count(*) FILTER (WHERE state = 'up') || ' ' || string_agg(reason, '') FROM gpuagg_devices;};
	my ($out, $err);

	with_devices('emulated', '0 up');
	$node->append_conf('postgresql.conf', "gpuagg.request_timeout = '" . ($fault eq 'hang_launch' ? '2s' : '30s') . "'");
	with_devices('emulated:2', '0 up, 1 up', "$fault=2");
	my $pid = answer('SELECT DISTINCT pid FROM gpuagg_devices');
	$node->psql('postgres', "SET gpuagg.min_gpu_size = 0; $work", stdout => \$out, stderr => \$err);
	is($out, $right, "$fault: a query over both");
	comes($devices, '0 failed, 1 up', "$fault: the view shows it");
	like(answer($lost), $fault eq 'fail_launch' ? qr/^1 .*injected failure/ : qr/^1 .*no answer from the device/, 'with its reason');
	like(answer('SELECT hint FROM gpuagg_devices WHERE device = 0'), qr/pg_terminate_backend\(supervisor_pid\)/, 'and what to do');
	check_sessions(2, "$fault, afterwards");
	is(answer("SELECT string_agg(device || ' ' || entries, ',') $resident"), '1 200', "$fault: all arrays are on the other one");
	is(answer('SELECT DISTINCT pid FROM gpuagg_devices'), $pid, "$fault: gpuaggd goes on");
	$node->append_conf('postgresql.conf', "gpuagg.emulated_faults = ''\ngpuagg.request_timeout = '30s'");
	answer('SELECT pg_terminate_backend(supervisor_pid, 5000) FROM gpuagg_devices LIMIT 1');
	$node->reload;
	comes($use . $devices, '0 up, 1 up', "$fault: both are back after a restart of gpuaggd");
}

# --- values of the setting
for my $bad ('emulated:', 'emulated:0', 'emulated:65', 'emulated:1x', 'emulated2', 'emulated,0')
{
	my ($status, $out, $err) = $node->psql('postgres', "LOAD 'gpuagg'; ALTER SYSTEM SET gpuagg.device = '$bad'");

	like($err, qr/invalid value for parameter "gpuagg.device"/, "gpuagg.device = '$bad' is refused");
}

# --- two GPUs
my @cards = glob('/dev/nvidia[0-9]*');
SKIP:
{
	skip 'there are no two GPUs', 1 if @cards < 2;
	check_two('0,1', 'two GPUs');
	is(answer('SELECT count(DISTINCT id) FROM gpuagg_devices'), 2, 'two cards');
	with_devices('1', '1 up');
	check_sessions(3, 'the second card');
	with_devices('1,0', '0 up, 1 up');
	check_sessions(1, 'the second card first');
	with_devices('auto', join(', ', map { "$_ up" } 0 .. $#cards));
	check_sessions(1, 'all cards');

	# a device that does not exist
	$node->append_conf('postgresql.conf', "gpuagg.device = '0,63'");
	$node->reload;
	my $err = '';
	for (1 .. 100)
	{
		$node->psql('postgres', 'SET gpuagg.engine = gpu; SELECT gpu_array_sum(ARRAY[1, 2])', stderr => \$err);
		last if $err =~ /ERROR/;
		usleep(100_000);
	}
	like($err, qr/ERROR: .*no device/, 'a device that does not exist: an error with gpuagg.engine = gpu');
	comes(q{SELECT DISTINCT reason ~* 'cudaSetDevice|invalid device ordinal|no device' FROM gpuagg_devices}, 't', 'and the reason');
	is(answer('SELECT gpu_sum(id) FROM series'), 20100, 'and none with auto');
}

done_testing();
