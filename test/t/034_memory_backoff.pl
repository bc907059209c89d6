# 034_memory_backoff.pl: another program has the memory of the device.
#
# To be refused takes a driver milliseconds.  Queries must not pay that again and
# again: they get the CPU's answer about as fast as from the CPU engine, and use
# the device again soon after there is memory.

use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use GpuaggCluster qw(within);
use PostgreSQL::Test::Utils;
use Test::More;

plan skip_all => 'a fault of the emulated device' if GpuaggCluster::is_cuda();

my $node = GpuaggCluster->create('backoff', settings => [ 'max_parallel_workers_per_gather = 0' ]);
my $query = 'SELECT gpu_sum(x) FROM series';
my $reason = q{SELECT string_agg(reason, ',' ORDER BY reason) FROM gpuagg_session_stat WHERE engine = 'cpu' AND arrays > 0};

$node->answer(q{
	CREATE TABLE series (x float8[]);
	ALTER TABLE series ALTER x SET STORAGE external;
	INSERT INTO series SELECT array_agg(sin(g * 1000.0 + i)) FROM generate_series(1, 20) g, generate_series(1, 5000) i GROUP BY g;
	ANALYZE series});
my $right = $node->answer("SET gpuagg.engine = cpu; $query");

# How often the query runs in a second, in a session with these settings.
sub rate
{
	my ($session) = @_;

	my $n = $session->ask(qq{
		DO \$\$ DECLARE n int := 0; until timestamptz := clock_timestamp() + interval '1 s'; BEGIN
			WHILE clock_timestamp() < until LOOP
				IF ($query) IS DISTINCT FROM '$right' THEN RAISE 'a wrong sum'; END IF;
				n := n + 1;
			END LOOP;
			PERFORM set_config('my.n', n::text, false);
		END \$\$;
		SELECT current_setting('my.n')}, 20);
	unlike($session->{err}, qr/ERROR/, 'all answers are right');
	return $n || 0;
}

my $cpu = $node->session('SET gpuagg.engine = cpu');
my $rate = 0;

# no_memory_after=1: not even a lease has memory; 2: its queue has, arrays have not
foreach my $first (1, 2, 3)
{
	my $what = "no memory from allocation $first on";
	my $log = $node->log_end;
	my $session;
	my ($with, $without);

	$node->with_faults("no_memory_after=$first");
	# processor time that others take makes one or the other slow
	for (1 .. 3)
	{
		$session = $node->session('SET gpuagg.min_gpu_size = 0');
		$without = rate($cpu);
		$with = rate($session);
		last if $with >= $without / 2;
	}
	cmp_ok($with, '>=', $without / 2, "$what: $with queries a second, $without by the CPU engine");
	is($session->ask($reason), 'out of device memory', "$what: the reason") if $first == 1;
	my @lines = slurp_file($node->logfile, $log) =~ /for resident arrays, and no more/g;
	cmp_ok(scalar @lines, '<=', 1, "$what: said once at most");
	$session->close;
}

# memory comes back
$node->with_faults('fail_allocation=1');
my $session = $node->session('SET gpuagg.min_gpu_size = 0');
$session->ask($query);
is($session->ask("$query; SELECT arrays FROM gpuagg_session_stat WHERE engine = 'gpu'"), "$right\n20",
	'one failure is no reason to wait');
$session->close;
$cpu->close;
$node->stop;
done_testing();
