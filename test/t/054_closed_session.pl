# 054_closed_session.pl: a session whose connection gpuaggd has closed, and which
# has not noticed, keeps its slots: no other session's data come into its results.
#
# A device fails while one request of the session is on it and results of another
# one are in a slot.  Then another session loads arrays, which needs slots.

use strict;
use warnings;

use FindBin;
use Test::More;
use Time::HiRes qw(sleep);

use lib $FindBin::RealBin;
use GpuaggCluster qw(is_cuda);

plan skip_all => 'faults are those of the emulated device' if is_cuda();

my $node = GpuaggCluster->create('closed',
	settings => [ "gpuagg.device = 'emulated:2'", 'gpuagg.min_gpu_size = 0', 'gpuagg.cache_packing = off',
		'max_parallel_workers_per_gather = 0', "gpuagg.request_timeout = '20s'" ]);

# Elements of one table are around 0, and of the other around 77.
$node->answer(<<'SQL');
CREATE TABLE even (i int, a float8[]);
CREATE TABLE other (i int, a float8[]);
ALTER TABLE even ALTER a SET STORAGE EXTERNAL;
ALTER TABLE other ALTER a SET STORAGE EXTERNAL;
INSERT INTO even SELECT i, array_agg(random() - 0.5) FROM generate_series(1, 300) i, generate_series(1, 1000) GROUP BY i ORDER BY i;
INSERT INTO other SELECT i, array_agg(random() + 77) FROM generate_series(1, 60) i, generate_series(1, 1000) GROUP BY i ORDER BY i;
SQL
my $query = 'SELECT gpu_array_bucket_sum(a, 8)::text FROM even ORDER BY i';
my @right = split /\n/, $node->answer("SET gpuagg.engine = cpu; $query");

# Has a device failed?
sub is_lost
{
	return $node->answer(q{SELECT count(*) FROM gpuagg_devices WHERE state IN ('lost', 'failed')}) > 0;
}

# The fourth launch of a device is of a request that nobody waits for.
$node->with_faults('fail_launch=4,slow_launch=100');
my $session = $node->session('SET client_min_messages = error; SET gpuagg.engine = gpu');
$session->ask('SELECT gpu_sum(a) FROM even');
$session->ask("BEGIN; DECLARE c CURSOR FOR $query");
my $lost = 0;
my @got;
for (1 .. @right / 20)
{
	push @got, split /\n/, $session->ask('FETCH 20 FROM c');
	next if $lost;
	sleep 0.4;
	$lost = is_lost();
	$node->answer('SET gpuagg.engine = auto; SELECT gpu_sum(a) FROM other') if $lost;
}
ok($lost, 'a device fails, and another session loads');
is("@got", "@right", '... and does not change what this one reads');
$session->ask('COMMIT');
is($session->ask($query), join("\n", @right), '... which goes on');
$session->close;

$node->stop;
done_testing;
