# 023_deferred.pl: stored arrays that a query reads later than their rows.
#
# They stand in a list, which must stay short however many they are, and whose
# memory is the transaction's.

use strict;
use warnings;

use FindBin;
use PostgreSQL::Test::Utils;
use Test::More;

use lib $FindBin::RealBin;
use GpuaggCluster qw(within);

my $node = GpuaggCluster->create('deferred', settings => ['gpuagg.min_gpu_size = 0']);

$node->answer(q{
	CREATE TABLE many (i int, a float8[]);
	ALTER TABLE many ALTER a SET STORAGE EXTERNAL;
	INSERT INTO many SELECT i, array_fill(1::float8, ARRAY[300]) FROM generate_series(1, 4100) i;
	CREATE VIEW list AS SELECT sum(total_bytes) FROM pg_backend_memory_contexts WHERE name = 'gpuagg stored arrays'});

# Two sessions that first scan one table: one is to load 4096 arrays, which a
# request names, and sleeps; the other one meets each of them 50 times.
sub meet
{
	my $slow = $node->session;
	my $second = $node->session('SELECT gpu_array_sum(a) FROM many WHERE i = 4100');

	$node->look('SELECT gpuagg_cache_clear(), gpuagg_stat_reset()');
	$slow->begin('SELECT gpu_sum(a) FROM many WHERE i <= 4098 AND CASE WHEN i = 4098 THEN pg_sleep(2)::text = \'\' ELSE true END');
	ok(within(10, sub { $node->look('SELECT misses FROM gpuagg_stat') >= 4096 }), 'a session is to load many arrays');
	$second->ask('BEGIN; SELECT gpu_sum(a) FROM many, generate_series(1, 50) WHERE i <= 4096; SELECT sum FROM list');
	return ($slow, $second);
}

# The other one is late if the first one has slept, but hardly five times.
my ($slow, $second, $sum, $bytes);
for my $turn (1 .. 5)
{
	($slow, $second) = meet();
	($sum, $bytes) = split /\n/, $second->{out};
	last if $bytes > 100_000 || $turn == 5;
	$slow->end;
	$_->close foreach $slow, $second;
}
is($sum, 4096 * 50 * 300, 'another one that needs each of them fifty times gets its sum');
cmp_ok($bytes, '>', 100_000, 'for which it deferred many');
cmp_ok($bytes, '<', 9_000_000, "in a list of bounded size ($bytes bytes)");
is($second->ask('COMMIT; SELECT sum FROM list'), '', 'which is freed at the end of the transaction');
is($slow->end, 4098 * 300, 'the first one gets its own sum');
is($slow->ask('SELECT sum FROM list'), '', 'and frees its list');
$_->close foreach $slow, $second;

# The list of a transaction that fails is freed, too.
($slow, $second) = meet();
is($second->ask('SELECT 1 / 0; ROLLBACK; SELECT sum FROM list'), '', 'a list is freed when its transaction fails');
is($second->ask('SELECT gpu_sum(a) FROM many'), 4100 * 300, 'and made again');
$slow->end;
$_->close foreach $slow, $second;

$node->stop;
done_testing();
