# 011_resident_sessions.pl: sessions that change what others, or they, sum.
#
# First errors while arrays are loaded and summed, and snapshots; then random
# changes of two tables, with ids that are used again and a cache that is too
# small.  SEED and STEPS choose other changes, or more of them.

use strict;
use warnings;

use IO::Handle;
use IPC::Open3;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time);

my $seed = $ENV{SEED} // 1;
my $steps = $ENV{STEPS} // 200;

my $node = PostgreSQL::Test::Cluster->new('sessions');
$node->init;
$node->append_conf('postgresql.conf', <<'CONF');
gpuagg.device = 'emulated'
gpuagg.engine = gpu
gpuagg.cache_size = 16MB
gpuagg.staging_size = 32MB
gpuagg.request_timeout = 15s
autovacuum = off
log_statement = none
lock_timeout = 20ms
default_toast_compression = pglz
CONF
$node->start;

sub answer
{
	return $node->safe_psql('postgres', $_[0]);
}

# Starts a session that the test talks to by pipes: thousands of queries would
# take minutes otherwise.  It goes on after queries that fail.
sub session
{
	my %session;
	my @psql = ('psql', '-X', '-q', '-A', '-t', '-v', 'VERBOSITY=terse', '-d', $node->connstr('postgres'));

	$session{pid} = open3($session{in}, $session{out}, undef, @psql);
	$session{in}->autoflush(1);
	return \%session;
}

# Runs a query in a session; returns its output and its errors.
sub say_in
{
	my ($session, $query) = @_;
	my (@lines, @errors);

	print { $session->{in} } "$query;\n\\echo THE END\n";
	while (defined(my $line = readline $session->{out}))
	{
		chomp $line;
		last if $line eq 'THE END';
		if ($line =~ /^ERROR:  (.*)/) { push @errors, $1 }
		elsif ($line !~ /^WARNING:/) { push @lines, $line }
	}
	return (join("\n", @lines), join '; ', @errors);
}

answer(<<SQL);
CREATE EXTENSION gpuagg;
CREATE FUNCTION set_next_oid(oid) RETURNS oid AS '$ENV{GPUAGG_TEST_MODULE}' LANGUAGE C STRICT;
CREATE FUNCTION toast_spoil(anyarray, integer, text) RETURNS integer
	AS '$ENV{GPUAGG_TEST_MODULE}' LANGUAGE C STRICT;
CREATE FUNCTION numbers(seed integer, n integer) RETURNS float8[] LANGUAGE sql AS
	'SELECT array_agg((i % 97 * seed % 1009) / 8.0::float8) FROM generate_series(1, n) i';
CREATE TABLE good (id integer, a float8[]);
CREATE TABLE bad (id integer, a float8[]);
ALTER TABLE good ALTER a SET STORAGE EXTERNAL;
ALTER TABLE bad ALTER a SET STORAGE EXTERNAL;
INSERT INTO good SELECT i, numbers(i, 3000) FROM generate_series(1, 20) i;
INSERT INTO bad SELECT i, numbers(i, 3000) FROM generate_series(1, 20) i;
SELECT toast_spoil(a, 3, 'missing') FROM bad WHERE id = 5;
CREATE FUNCTION caught(query text) RETURNS text LANGUAGE plpgsql AS \$\$
DECLARE result text;
BEGIN
	EXECUTE query INTO result;
	RETURN result;
EXCEPTION WHEN OTHERS OR query_canceled THEN
	RETURN SQLSTATE;
END \$\$;
SQL
my $good = answer('SET gpuagg.engine = cpu; SELECT gpu_sum(a) FROM good');
my $rest = 'SELECT gpu_sum(a) FROM bad WHERE id <> 5';
my $right_rest = answer("SET gpuagg.engine = cpu; $rest");

# Checks a sum in this session, which may be in a transaction, and in another
# one: both are right, and neither waits.
sub goes_on
{
	my ($session, $what, $query, $right) = @_;
	my $began = time;

	is(join(' ', say_in($session, $query // $rest)), ($right // $right_rest) . ' ', "$what: the session goes on");
	is(answer($rest), $right_rest, "$what: so does another one");
	cmp_ok(time - $began, '<', 7, "$what: soon");
}

# --- errors
my $session = session();
my $damage = qr/unexpected chunk number 4/;
my $sum_bad = 'SELECT gpu_sum(a) FROM bad';
like((say_in($session, $sum_bad))[1], $damage, 'a damaged array');
goes_on($session, 'after an error');
answer('SELECT gpuagg_cache_clear()');
like((say_in($session, "BEGIN; SAVEPOINT s; $sum_bad"))[1], $damage, 'in a subtransaction');
say_in($session, 'ROLLBACK TO s');
goes_on($session, 'after ROLLBACK TO');
like((say_in($session, "SAVEPOINT s; SELECT max(c) FROM (SELECT gpu_cumsum(a) c FROM bad) q"))[1], $damage, 'running totals');
say_in($session, 'ROLLBACK TO s');
goes_on($session, 'after running totals');
say_in($session, 'SAVEPOINT s; CREATE TABLE passing (LIKE bad INCLUDING STORAGE); INSERT INTO passing SELECT * FROM bad WHERE id <> 5; SELECT toast_spoil(a, 3, \'missing\') FROM passing WHERE id = 1');
like((say_in($session, 'SELECT gpu_sum(a) FROM passing'))[1], $damage, 'a table of the subtransaction');
say_in($session, 'ROLLBACK TO s');
goes_on($session, 'a table that is no more');
say_in($session, 'COMMIT');
for my $query ($sum_bad, 'SELECT gpu_sum(a || (1 / (id - 7))::float8) FROM bad', 'SELECT gpu_sum(a) / 0 FROM good',
	'SELECT gpu_array_sum(a) / (id - 9) FROM good ORDER BY id', 'SELECT sum(gpu_array_sum(a)) FROM bad')
{
	answer('SELECT gpuagg_cache_clear()');
	like(join(' ', say_in($session, "BEGIN; SELECT caught(\$\$$query\$\$)")), qr/^\w{5} $/, "caught: $query");
	goes_on($session, 'after an exception block');
	say_in($session, 'COMMIT');
}
answer('SELECT gpuagg_cache_clear()');
goes_on($session, 'exception blocks for each row of a sum',
	"SELECT gpu_sum(a)::text || ' ' || count(DISTINCT caught('$sum_bad')) || ' ' || count(caught('SELECT gpu_sum(a) FROM good')) FROM good",
	"$good 1 20");
say_in($session, "SET statement_timeout = '40ms'");
like((say_in($session, 'SELECT gpu_sum(a), pg_sleep(0.02) FROM good GROUP BY id'))[1], qr/canceling statement/, 'a query that is cancelled');
say_in($session, 'SET statement_timeout = 0');
goes_on($session, 'after a cancellation');

# --- cursors that are closed early, totals that are not fetched
answer('SELECT gpuagg_cache_clear()');
goes_on($session, 'a cursor that is closed early', "BEGIN; DECLARE c CURSOR FOR SELECT gpu_sum(a) FROM good GROUP BY id ORDER BY id;
	FETCH 1 FROM c \\g /dev/null\nDECLARE d CURSOR FOR SELECT gpu_cumsum(a) FROM bad WHERE id <> 5; FETCH 5000 FROM d \\g /dev/null
	FETCH 3 FROM c \\g /dev/null\nCLOSE c; CLOSE d; SELECT gpu_sum(a) FROM good", $good);
say_in($session, 'COMMIT');
goes_on($session, 'LIMIT', "SELECT count(*) FROM (SELECT gpu_cumsum(a) FROM good LIMIT 3) q", 3);

# --- snapshots
sub all_ways
{
	# SUM() takes a hundred times as long: sometimes without
	my ($session, $what, $without_server) = @_;
	my $sums = "string_agg(id || ':' || s, ' ' ORDER BY id)";
	my $rows = '(TABLE one UNION ALL TABLE two) r';
	my $ours = "SELECT concat($sums, (SELECT gpu_sum(a) FROM $rows)) FROM (SELECT id, gpu_array_sum(a) s FROM $rows) q";
	my $server = "SELECT concat($sums, sum(s)) FROM (SELECT id, (SELECT sum(x) FROM unnest(a) x) s FROM $rows) q";
	my ($out, $errors) = say_in($session,
		"$ours; SET gpuagg.engine = cpu; $ours; SET gpuagg.engine = gpu; " . ($without_server ? $ours : $server));
	my @lines = split /\n/, $out, -1;

	return 'locked' if $errors =~ /lock timeout/;
	return 1 if $errors eq '' && @lines == 3 && $lines[0] eq $lines[1] && $lines[0] eq $lines[2];
	diag("$what: $errors\n$out");
	return 0;
}
answer(q{CREATE TABLE one (id integer, g integer, a float8[]);
	ALTER TABLE one DROP g, ALTER a SET STORAGE EXTERNAL;
	ALTER TABLE one ADD touched integer;
	CREATE TABLE two (id integer, a float8[], touched integer);
	INSERT INTO one SELECT i, numbers(i, 20000), 0 FROM generate_series(1, 20) i;
	INSERT INTO two SELECT i + 100, numbers(i, 20000), 0 FROM generate_series(1, 20) i});
my $old = session();
my $total = 'SELECT gpu_sum(a) FROM one';
say_in($old, 'BEGIN ISOLATION LEVEL REPEATABLE READ');
my $seen = (say_in($old, $total))[0];
answer('UPDATE one SET a = numbers(id + 3, 20000) WHERE id < 9; DELETE FROM one WHERE id > 15; UPDATE one SET touched = 1 WHERE id = 12');
answer('VACUUM one; SELECT gpuagg_cache_clear()');
is((say_in($old, $total))[0], $seen, 'a transaction sums what it saw');
isnt(answer($total), $seen, 'others what there is');
ok(all_ways($old, 'old'), 'all ways agree in the one');
ok(all_ways($session, 'new'), 'and in the other');
say_in($old, 'COMMIT');
is((say_in($old, $total))[0], answer("SET gpuagg.engine = cpu; $total"), 'and then it sees the rest');

# --- random changes
srand $seed;
sub any { return $_[rand @_] }

my @sessions = ($session, $old, session());
my @is_open = (0, 0, 0);
my ($n_wrong, $n_refused, $next_id) = (0, 0, 1000);

# Returns a random change, as SQL.
sub change
{
	my $table = any('one', 'two');
	my $where = "id % 10 = " . int rand 10;
	my $seed = int rand 1000;
	my $n = any(300, (6000) x 5, 30000);

	$next_id++;
	return any(
		("INSERT INTO $table VALUES ($next_id, numbers($seed, $n), 0)") x 5,
		("UPDATE $table SET a = numbers($seed + id, $n) WHERE $where") x 3,
		("UPDATE $table SET touched = touched + 1 WHERE $where") x 2,
		("DELETE FROM $table WHERE $where") x 3,
		"UPDATE $table SET a = a || 1.5::float8 WHERE $where",
		"INSERT INTO $table SELECT id + 50, a FROM " . any('one', 'two') . " WHERE $where",
		"TRUNCATE $table");
}

# Returns what a session does next, as SQL, and if it is in a transaction then.
sub next_of
{
	my ($i) = @_;

	if ($is_open[$i])
	{
		my $do = any('change', 'change', 'change', 'COMMIT', 'ROLLBACK', 'SAVEPOINT s', 'part');
		$is_open[$i] = 0 if $do eq 'COMMIT' || $do eq 'ROLLBACK';
		return $do eq 'change' ? change() :
			$do eq 'part' ? 'SAVEPOINT p; ' . change() . "; $total; ROLLBACK TO p" : $do;
	}
	my $do = any('change', 'change', 'BEGIN', 'BEGIN ISOLATION LEVEL REPEATABLE READ',
		'VACUUM', 'VACUUM', 'VACUUM FULL', 'SELECT gpuagg_cache_clear()', 'round', 'round');
	$is_open[$i] = 1 if $do =~ /^BEGIN/;
	return change() if $do eq 'change';
	return "$do; SELECT gpu_sum(a) FROM one" if $do =~ /^BEGIN/;
	return "$do " . any('one', 'two') if $do =~ /^VACUUM/;
	return $do if $do ne 'round';

	# ids that some arrays had are then used again
	my $table = any('one', 'two');
	return "DELETE FROM $table WHERE id % 10 < 6; VACUUM $table; " .
		join('; SELECT gpu_sum(a) FROM good; ', map { "SELECT set_next_oid($_)" } 1400000000, 2800000000, 5000000) .
		"; INSERT INTO $table SELECT i * 10, numbers($next_id + i, 6000), 0 FROM generate_series(1, 3) i";
}

answer('SELECT gpu_sum(a) FROM good; SELECT set_next_oid(5000000); SELECT gpuagg_stat_reset()');
for my $step (1 .. $steps)
{
	my $i = int rand @sessions;
	my $query = next_of($i);
	my ($out, $errors) = say_in($sessions[$i], $query);

	if ($errors ne '')
	{
		# of a session that waits for another one, or comes too late
		$n_refused++;
		is($errors, '', "step $step: $query")
		  if $errors !~ /^(canceling statement due to lock timeout( at character \d+)?|could not serialize access[^;]*)(; current transaction is aborted[^;]*)*$/;
		say_in($sessions[$i], 'ROLLBACK') if $is_open[$i];
		$is_open[$i] = 0;
	}
	for my $j (0 .. $#sessions)
	{
		my $did = "step $step (SEED=$seed), session $j after session $i: $query";

		my $agree = all_ways($sessions[$j], $did, $j != $i || $step % 4);

		$n_wrong++ unless $agree;
		# by a TRUNCATE whose transaction has not ended
		if ($agree eq 'locked')
		{
			say_in($sessions[$j], 'ROLLBACK') if $is_open[$j];
			$is_open[$j] = 0;
		}
	}
}
is($n_wrong, 0, "$steps steps, $n_refused of them refused: all sums agree");
my ($hits, $misses, $evictions) = split /\|/, answer('SELECT hits, misses, evictions FROM gpuagg_stat');
ok($hits > 100 && $misses > 50 && $evictions > 0, "$hits hits, $misses misses, $evictions evictions")
  if $steps >= 100;
close $_->{in}, waitpid $_->{pid}, 0 for @sessions;
is(join("\n", grep { /gpuaggd: a connection|TRAP|PANIC|WARNING:  the CPU/ } split /\n/, slurp_file($node->logfile)),
	'', 'nothing broke a rule, or failed');
$node->stop;
done_testing();
