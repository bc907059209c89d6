# 014_several_devices.pl: sessions that are spread over two GPUs.
#
# On machines with two GPUs, the ones that nvidia-smi calls 0 and 1.

use strict;
use warnings;

use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(usleep);

my @cards = glob('/dev/nvidia[0-9]*');
plan skip_all => 'there are no two GPUs' if @cards < 2;

my $node = PostgreSQL::Test::Cluster->new('several');
$node->init;
$node->append_conf('postgresql.conf', <<'CONF');
gpuagg.device = '0,1'
gpuagg.staging_size = '64MB'
CONF
$node->start;

sub answer
{
	return $node->safe_psql('postgres', $_[0]);
}

my $devices = q{SELECT string_agg(device || ' ' || state, ', ' ORDER BY device) FROM gpuagg_devices};

# Change gpuagg.device, and wait until gpuaggd uses it.
sub with_devices
{
	my ($list, $must) = @_;

	$node->append_conf('postgresql.conf', "gpuagg.device = '$list'");
	$node->reload;
	for (1 .. 100)
	{
		$node->psql('postgres', 'SET gpuagg.engine = gpu; SELECT gpu_array_sum(ARRAY[1, 2])');
		last if answer($devices) eq $must;
		usleep(100_000);
	}
	is(answer($devices), $must, "gpuagg.device = '$list'");
	return;
}

answer('CREATE EXTENSION gpuagg');
answer('CREATE TABLE series (id int, x float8[])');
answer('ALTER TABLE series ALTER x SET STORAGE external');
answer(q{INSERT INTO series SELECT g, (SELECT array_agg(sin(g * 1000.0 + i) * 10 ^ (i % 40 - 20)::float8)
	FROM generate_series(1, 5000) i) FROM generate_series(1, 200) g});

my $work = q{SELECT gpu_sum(x)::text || ' ' || count(*) FROM series;
	SELECT md5(string_agg(gpu_array_cumsum(x)::text, ',' ORDER BY id)) FROM series;
	SELECT gpu_sum(x || '{}') FROM series;};

# Run the work in so many sessions at once, each twice; before they end, check
# which devices have the stored arrays.
sub check_sessions
{
	my ($n, $holders, $what) = @_;
	my $right = answer("SET gpuagg.engine = cpu; $work $work");
	my $query = "SET gpuagg.engine = gpu; $work $work SELECT pg_sleep(1);";
	my $fallbacks = q{SELECT sum(arrays) FROM gpuagg_session_stat WHERE engine = 'cpu' AND arrays > 0};
	my @sessions = map { { out => '', err => '' } } 1 .. $n;

	$_->{run} = IPC::Run::start([ 'psql', '-X', '-q', '-A', '-t', '-d', $node->connstr('postgres'), '-c', $query,
			'-c', $fallbacks ], '<', \undef, '>', \$_->{out}, '2>', \$_->{err}, IPC::Run::timeout(120))
		for @sessions;
	$_->{run}->finish for @sessions;
	is($_->{out}, "$right\n\n\n", "$what: the same as the CPU") for @sessions;
	is($_->{err}, '', "$what: nothing is said") for @sessions;
	is( answer(q{SELECT string_agg(device::text, ', ' ORDER BY device) FILTER (WHERE entries >= 200)
		FROM gpuagg_cache WHERE relation = 'series'::regclass}),
		$holders, "$what: where the arrays are resident");
	return;
}

with_devices('0,1', '0 up, 1 up');
is(answer('SELECT count(DISTINCT id) FROM gpuagg_devices'), 2, 'two cards');
check_sessions(1, '0', 'one session');
check_sessions(6, '0, 1', 'six sessions');

# an update is seen on both
answer('UPDATE series SET x = x || 1.5 WHERE id % 2 = 0');
check_sessions(6, '0, 1', 'after an update');

with_devices('1', '1 up');
check_sessions(3, '1', 'the second card');
with_devices('1,0', '0 up, 1 up');
check_sessions(1, '1', 'the second card first');

# a device that does not exist
$node->append_conf('postgresql.conf', "gpuagg.device = '0,99'");
$node->reload;
my $err = '';
for (1 .. 100)
{
	$node->psql('postgres', 'SET gpuagg.engine = gpu; SELECT gpu_array_sum(ARRAY[1, 2])', stderr => \$err);
	last if $err ne '';
	usleep(100_000);
}
like($err, qr/device/, 'a device that does not exist: an error with gpuagg.engine = gpu');
like(answer('SELECT reason FROM gpuagg_devices'), qr/cudaSetDevice|invalid device ordinal|no device/i, 'and the reason');
is(answer('SELECT gpu_sum(id) FROM series'), 20100, 'and none with auto');

done_testing();
