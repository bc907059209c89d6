# 019_statements.pl: one number for each execution of a query.
#
# What one execution used is evicted for another one, but never for itself:
# also if a client's statement has several executions, and if an execution has
# parallel workers.  The cache has 24 MB for arrays, and each table 10 MB of them.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('statements');
$node->init;
$node->append_conf('postgresql.conf', <<'CONF');
gpuagg.device = 'emulated'
gpuagg.engine = gpu
gpuagg.cache_size = 32MB
gpuagg.staging_size = 64MB
autovacuum = off
parallel_setup_cost = 0
parallel_tuple_cost = 0
min_parallel_table_scan_size = 0
max_parallel_workers_per_gather = 0
CONF
$node->start;

sub answer
{
	return $node->safe_psql('postgres', $_[0]);
}

my $parallel = 'SET max_parallel_workers_per_gather = 2; SET parallel_leader_participation = off';

# Runs statements in a session with an empty cache; returns the last line of
# their output, and what was evicted.  Then table t3 is resident, if it should.
sub evictions
{
	my ($statements) = @_;
	my @lines = split /\n/, answer(<<SQL);
SELECT gpuagg_cache_clear() \\g /dev/null
SELECT gpuagg_stat_reset() \\g /dev/null
$statements;
SELECT evictions FROM gpuagg_stat;
SQL
	my $n = pop @lines;

	return ($lines[-1], $n);
}

# Checks that the last of several executions found capacity in the cache.
sub makes_capacity
{
	my ($statements, $what) = @_;
	my (undef, $n) = evictions($statements);

	cmp_ok($n, '>', 0, "$what: arrays are evicted");
	is(resident('t3'), 20, "$what: what came last is resident");
}

sub resident
{
	return answer("SELECT entries FROM gpuagg_cache WHERE relation = '$_[0]'::regclass") || 0;
}

answer(q{
	CREATE EXTENSION gpuagg;
	CREATE TABLE t1 (i int, a float8[]);
	ALTER TABLE t1 ALTER a SET STORAGE EXTERNAL;
	CREATE TABLE t2 (LIKE t1 INCLUDING STORAGE);
	CREATE TABLE t3 (LIKE t1 INCLUDING STORAGE);
	-- of many pages, so that each worker gets some
	CREATE TABLE large (i int, a float8[], filler text);
	ALTER TABLE large ALTER a SET STORAGE EXTERNAL, ALTER filler SET STORAGE PLAIN;
	INSERT INTO t1 SELECT i, array_fill(1::float8, ARRAY[65000]) FROM generate_series(1, 20) i;
	INSERT INTO t2 TABLE t1;
	INSERT INTO t3 TABLE t1;
	INSERT INTO large SELECT i, array_fill(1::float8, ARRAY[65000]), repeat(' ', 3000) FROM generate_series(1, 80) i;
	CREATE FUNCTION sum_of(t text) RETURNS float8 LANGUAGE plpgsql AS $$
	DECLARE s float8;
	BEGIN
		EXECUTE 'SELECT gpu_sum(a) FROM ' || t INTO s;
		RETURN s;
	END $$;
	CREATE PROCEDURE sum_all(commits bool) LANGUAGE plpgsql AS $$
	DECLARE k int; s float8;
	BEGIN
		FOR k IN 1 .. 3 LOOP
			EXECUTE 'SELECT gpu_sum(a) FROM t' || k INTO s;
			IF commits THEN COMMIT; END IF;
		END LOOP;
	END $$});

# --- several executions in a client's statement
makes_capacity(q{DO 'DECLARE s float8; BEGIN
	SELECT gpu_sum(a) INTO s FROM t1; SELECT gpu_sum(a) INTO s FROM t2; SELECT gpu_sum(a) INTO s FROM t3; END'},
	'a DO block');
makes_capacity('CALL sum_all(true)', 'a procedure with COMMITs');
makes_capacity('CALL sum_all(false)', 'a procedure');
makes_capacity(q{SELECT sum_of('t' || k) FROM generate_series(1, 3) k}, 'a function for each row');
makes_capacity(q{DO 'DECLARE s float8; BEGIN
	SELECT gpu_sum(a) INTO s FROM t1; BEGIN SELECT gpu_sum(a) / 0 INTO s FROM t2; EXCEPTION WHEN division_by_zero THEN END;
	SELECT gpu_sum(a) INTO s FROM t3; END'}, 'an execution that fails');

# --- one execution evicts nothing of its own
my $sum = 80 * 65000;
is(join(' ', evictions('SELECT gpu_sum(a) FROM large')), "$sum 0", 'a table larger than the cache');
cmp_ok(resident('large'), '>', 20, 'fills it');
is(join(' ', evictions(q{SELECT sum(gpu_array_sum(a)) FROM large WHERE length(pg_backend_pid()::text) > 0})), "$sum 0",
	'sums of single arrays');
is(join(' ', evictions(q{BEGIN; DECLARE c CURSOR FOR SELECT gpu_array_sum(a) FROM large;
	FETCH 20 FROM c \g /dev/null
	SELECT 1 \g /dev/null
	FETCH 20 FROM c \g /dev/null
	FETCH 1 FROM c; COMMIT})), '65000 0', 'a cursor');

# also if queries run within it, in the middle
answer(q{CREATE FUNCTION count_t1() RETURNS bigint LANGUAGE plpgsql AS
	'BEGIN RETURN (SELECT count(*) FROM t1); END'});
is(join(' ', evictions('SELECT sum(gpu_array_sum(a)) FROM large WHERE CASE WHEN i > 20 THEN count_t1() = 20 ELSE true END')), "$sum 0",
	'an execution with others within it');

# --- nor do its workers
like(answer("$parallel; EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) SELECT gpu_sum(a) FROM large"),
	qr/Workers Launched: 2/, 'workers sum alone');
is(join(' ', evictions("$parallel; SELECT gpu_sum(a) FROM large")), "$sum 0", 'parallel workers evict nothing of their leader');
cmp_ok(resident('large'), '>', 20, 'and fill the cache');
is(join(' ', evictions("$parallel; SELECT sum(gpu_array_sum(a)) FROM large")), "$sum 0", 'also with sums of single arrays');
is(join(' ', evictions("$parallel; SELECT gpu_sum(a) FROM t1 WHERE false \\g /dev/null\nRESET ALL; RESET gpuagg.execution; $parallel; SELECT gpu_sum(a) FROM large")),
	"$sum 0", 'nor behind RESET');
is(join(' ', evictions("$parallel; DO 'BEGIN PERFORM gpu_sum(a) FROM large; END'; SELECT 1")), '1 0', 'nor within a DO block');
makes_capacity("$parallel; SELECT gpu_sum(a) FROM t1 \\g /dev/null\nSELECT gpu_sum(a) FROM t2 \\g /dev/null\n"
	  . 'SELECT gpu_sum(a) FROM t3', 'workers of three statements');

# --- the setting that brings the number to them is of no concern to users
is(answer("SELECT count(*) FROM pg_settings WHERE name = 'gpuagg.execution'"), '0', 'the setting is hidden');
my (undef, undef, $err) = $node->psql('postgres', 'SELECT gpu_sum(1); SET gpuagg.execution = 7');
like($err, qr/invalid value for parameter "gpuagg.execution"/, 'and not for users to set');

# --- rows that a statement never asks for are not evaluated: the window function
# reads rows ahead only where nothing can fail
answer('CREATE TABLE falling AS SELECT x FROM generate_series(3, 0, -1) x;
	CREATE TABLE rows AS SELECT x FROM generate_series(1, 1000) x');
for my $case (
	[ 'SELECT gpu_cumsum(10 / x) OVER (ORDER BY x DESC) FROM falling LIMIT 1', 'an argument' ],
	[ 'SELECT gpu_cumsum(10 / x) OVER () FROM falling LIMIT 1', 'one without a sort' ],
	[ 'SELECT gpu_cumsum(y) OVER () FROM (SELECT 10 / x AS y FROM falling OFFSET 0) q LIMIT 1', 'a column of a subquery' ],
	[ 'SELECT gpu_cumsum(x) OVER () FROM falling WHERE 10 / x > 0 LIMIT 1', 'a condition' ],
	[ 'SELECT (SELECT gpu_cumsum(10 / x) OVER (ORDER BY x DESC) FROM falling LIMIT 1)', 'a subquery' ],
	[ 'BEGIN; DECLARE c CURSOR FOR SELECT gpu_cumsum(10 / x) OVER () FROM falling; FETCH 1 FROM c; COMMIT', 'a cursor' ])
{
	my ($query, $what) = @$case;
	my ($status, $out, $err) = $node->psql('postgres', $query);

	is("$out $err", '3 ', "$what of a row that is never asked for");
}
my $on_device = q{SELECT sum(elements) FROM gpuagg_session_stat WHERE engine <> 'cpu'};
for my $case (
	[ 'SELECT max(s) FROM (SELECT gpu_cumsum(x) OVER (ORDER BY x) s FROM rows) q', 1000, 'sorted rows' ],
	[ 'SELECT max(s) FROM (SELECT gpu_cumsum(x) OVER () s FROM rows) q', 1000, 'the rows of a table' ],
	[ 'SELECT max(s) FROM (SELECT gpu_cumsum(x::int8) OVER (ORDER BY x) s FROM rows) q', 0, 'expressions' ])
{
	my ($query, $n, $what) = @$case;

	is(answer("$query; $on_device"), "500500\n$n", "running totals of $what: elements on the device");
}

$node->stop;
done_testing();
