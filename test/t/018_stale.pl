# 018_stale.pl: no sum of a deleted array for the one that has its id now.
#
# An id of a stored array is drawn from the server's OID counter first, and
# looked for among the stored arrays later.  A session that stops in between
# is played by set_next_oid(): one beyond the id when it is drawn, and back to
# the id when the session goes on.  What gpuagg sees of the counter is the same.
#
# What a session saw of an array before it was deleted must not go together with
# a sample of the counter from after that (src/wire/oid_guard.h).

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $id = 3000000;
my $node = PostgreSQL::Test::Cluster->new('stale');
$node->init;
$node->append_conf('postgresql.conf', <<'CONF');
gpuagg.device = 'emulated'
gpuagg.engine = gpu
gpuagg.cache_size = 64MB
gpuagg.staging_size = 32MB
max_parallel_workers_per_gather = 0
autovacuum = off
CONF
$node->start;

sub answer
{
	my ($query) = @_;

	return $node->safe_psql('postgres', $query);
}

answer(<<SQL);
CREATE EXTENSION gpuagg;
CREATE FUNCTION next_oid() RETURNS oid AS '$ENV{GPUAGG_TEST_MODULE}' LANGUAGE C STRICT;
CREATE FUNCTION set_next_oid(oid) RETURNS oid AS '$ENV{GPUAGG_TEST_MODULE}' LANGUAGE C STRICT;
CREATE FUNCTION toast_check(anyarray, text) RETURNS boolean
	AS '$ENV{GPUAGG_TEST_MODULE}' LANGUAGE C STRICT;
CREATE FUNCTION numbers(id integer, n integer) RETURNS float8[] LANGUAGE sql AS
	'SELECT array_agg(id * 1000 + i / 8.0::float8 ORDER BY i) FROM generate_series(1, n) i';
CREATE TABLE s (a float8[]);
CREATE TABLE locked (a float8[]);
CREATE TABLE behind (a float8[]);
CREATE TABLE other (a float8[]);
ALTER TABLE s ALTER a SET STORAGE EXTERNAL;
ALTER TABLE locked ALTER a SET STORAGE EXTERNAL;
ALTER TABLE behind ALTER a SET STORAGE EXTERNAL;
ALTER TABLE other ALTER a SET STORAGE EXTERNAL;
INSERT INTO other VALUES (numbers(1, 3000));
SELECT gpu_array_sum('{1}'::int[]);
SQL
$node->poll_query_until('postgres', "SELECT state = 'up' FROM gpuagg_devices");

sub toast_of { return answer("SELECT reltoastrelid::regclass FROM pg_class WHERE oid = '$_[0]'::regclass") }

sub ids { return answer('SELECT chunk_id FROM ' . toast_of('s') . ' WHERE chunk_seq = 0') }

# An array that is the only one of s gets the id.
sub insert
{
	my ($number, $n, $what) = @_;

	answer("SELECT set_next_oid($id); INSERT INTO s VALUES (numbers($number, $n))");
	is(ids(), $id, "$what has the id");
}

# The counter goes round, nearly back to the id.  A query in between tells
# gpuaggd how far it is.
sub bring_round
{
	my $from = answer('SELECT next_oid()');

	for my $step (1400000000, 2800000000)
	{
		answer('SELECT set_next_oid(' . ($from + $step) % 2**32 . ')');
		answer('SELECT gpu_sum(a) FROM other');
	}
	answer('SELECT set_next_oid(' . ($id - 100) . ')');
	answer('SELECT gpu_sum(a) FROM other');
}

# Another session draws the id, and stops.
sub draw { answer('SELECT set_next_oid(' . ($id + 1) . ')') }

# It goes on, when nothing is left of the deleted array.
sub go_on
{
	my ($number, $n, $what) = @_;

	answer('VACUUM s');
	is(ids(), '', "$what: the deleted array is gone");
	insert($number, $n, "$what: the next one");
	for my $time ('first', 'second')
	{
		is( answer('SELECT gpu_sum(a) FROM s; SELECT sum(arrays) FROM gpuagg_session_stat WHERE engine = \'cpu\''),
			answer('SELECT sum(x) FROM s, unnest(a) x') . "\n0", "$what: its $time sum");
	}
	answer('DELETE FROM s');
	answer('VACUUM s; SELECT gpuagg_cache_clear()');
}

# --- what settles a doubt is read after the sample, and has to be final
insert(1, 3000, 'an array');
is(answer(q{SELECT toast_check(a, 'SELECT') FROM s}), 't', 'a committed array is settled');
is(answer(q{SELECT toast_check(a, 'DELETE FROM s') FROM s}), 'f', 'not one that is deleted when the sample is taken');
is(ids(), '', 'which it was');
is(answer(q{BEGIN; INSERT INTO s VALUES (numbers(1, 3000)); SELECT toast_check(a, 'SELECT') FROM s}), 'f',
	'not one whose transaction is in progress');
answer('VACUUM s');
insert(1, 3000, 'another one');
answer('VACUUM (FREEZE) s');
is(answer(q{SELECT toast_check(a, 'SELECT') FROM s}), 't', 'one that is frozen');
answer('BEGIN; DELETE FROM s; ROLLBACK');
is(answer(q{SELECT toast_check(a, 'SELECT') FROM s}), 'f', 'not with an xmax, though its transaction was rolled back');
my $reader = $node->background_psql('postgres');
$reader->query_safe('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT FROM s');
answer('DELETE FROM s');
is($reader->query_safe(q{SELECT toast_check(a, 'SELECT') FROM s}), 'f', 'nor a frozen one that was deleted');
$reader->query_safe('COMMIT');
$reader->quit;
answer('VACUUM s');

# --- running totals: a cursor that rests after its first row
insert(2, 200000, 'an array');
answer('VACUUM (FREEZE) s');
bring_round();
my $cursor = $node->background_psql('postgres');
$cursor->query_safe('BEGIN; DECLARE c CURSOR FOR SELECT gpu_cumsum(a) FROM s');
is($cursor->query_safe('FETCH 1 FROM c'), '2000.125', 'the first of its totals');
answer('DELETE FROM s');
draw();
is($cursor->query_safe('MOVE FORWARD 199998 IN c; FETCH 1 FROM c'), answer("SELECT gpu_array_sum(numbers(2, 200000))"), 'the last one');
is($cursor->query_safe(q{SELECT sum(arrays) + sum(elements) FROM gpuagg_session_stat WHERE engine = 'cpu'}), '0',
	'the device computed all of them');
$cursor->query_safe('COMMIT');
$cursor->quit;
go_on(3, 200000, 'a cursor');

# --- sums: arrays in doubt are looked at one after the other, and this takes
# long; it stops at one whose index is locked
answer("BEGIN; SELECT set_next_oid($id); INSERT INTO s VALUES (numbers(4, 3000)); INSERT INTO locked VALUES (numbers(1, 3000));
	INSERT INTO behind VALUES (numbers(1, 3000));
	SELECT gpu_sum(a) FROM (SELECT a FROM s UNION ALL SELECT a FROM locked UNION ALL SELECT a FROM behind) q; COMMIT");
is(ids(), $id, 'an array has the id');
bring_round();
my $lock = $node->background_psql('postgres');
$lock->query_safe('BEGIN; REINDEX INDEX ' . (toast_of('locked') =~ s/$/_index/r));
my $sum = $node->background_psql('postgres');
$sum->query_until(qr/begun/, "\\echo begun\nSELECT gpu_sum(a) FROM (SELECT a FROM s UNION ALL SELECT a FROM locked UNION ALL SELECT a FROM behind) q;\n");
ok($node->poll_query_until('postgres', "SELECT count(*) = 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'"),
	'a sum waits for the lock');
answer('DELETE FROM s');
draw();
$lock->query_safe('COMMIT');
$lock->quit;
$sum->query_safe('SELECT');
$sum->quit;
go_on(5, 3000, 'a sum');

$node->stop;
done_testing();
