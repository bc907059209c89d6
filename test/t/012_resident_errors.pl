# 012_resident_errors.pl: errors in queries that use resident arrays.
#
# An error that PL/pgSQL catches ends an inner query, while the outer one goes
# on: that may have arrays that were asked for, are being loaded, or are half
# read.  Its sum stays right, and no session waits for a load that was cancelled.

use strict;
use warnings;

use FindBin;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

use lib $FindBin::RealBin;
use GpuaggCluster qw(within);

my $node = GpuaggCluster->create('resident_errors',
	settings => [ "gpuagg.device = 'emulated'", 'gpuagg.cache_size = -1', "gpuagg.request_timeout = '8s'", 'max_parallel_workers_per_gather = 0' ]);

sub answer
{
	return $node->answer($_[0]);
}

# Starts a query in a session of its own; everything by the device.
sub begin
{
	return $node->session('SET gpuagg.engine = gpu')->begin($_[0]);
}

# Waits for it; returns its output, how long it took, and its messages.
sub finish
{
	my ($session) = @_;

	defined $session->end(60) or die 'a query does not end';
	$session->close;
	return @$session{qw(out seconds err)};
}

sub attempt
{
	return finish(begin($_[0]));
}

# Starts a session that sleeps after a query until it is released.
sub hold
{
	my ($query) = @_;
	my $session = begin("SET application_name = 'held';\n$query\nSELECT pg_sleep(50) \\g /dev/null\n");

	ok($node->poll_query_until('postgres',
		"SELECT count(*) = 1 FROM pg_stat_activity WHERE application_name = 'held' AND wait_event = 'PgSleep'"),
		'a session stays in its transaction');
	return $session;
}

sub release
{
	answer("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE application_name = 'held'");
	return finish($_[0]);
}

my $fallbacks = q{SELECT coalesce(string_agg(reason || ' ' || arrays, ', ' ORDER BY reason), 'none')
	FROM gpuagg_session_stat WHERE engine = 'cpu' AND arrays > 0;};
my $streamed = 'SELECT streamed FROM gpuagg_stat';
my $damage = qr/ERROR:  XX001: unexpected chunk number/;
my ($out, $took, $err);

answer(qq{
	CREATE FUNCTION toast_spoil(anyarray, int, text) RETURNS int AS '$ENV{GPUAGG_TEST_MODULE}' LANGUAGE C STRICT;
	CREATE TABLE damaged (i int, a float8[]);
	ALTER TABLE damaged ALTER a SET STORAGE EXTERNAL;
	CREATE TABLE fine (LIKE damaged INCLUDING STORAGE);
	CREATE TABLE large (LIKE damaged INCLUDING STORAGE);
	CREATE TABLE huge (LIKE damaged INCLUDING STORAGE);
	CREATE TABLE many (LIKE damaged INCLUDING STORAGE);
	INSERT INTO damaged SELECT i, array_fill(i::float8, ARRAY[10000]) FROM generate_series(1, 4) i;
	INSERT INTO fine TABLE damaged;
	INSERT INTO large SELECT i, array_fill(1::float8, ARRAY[300000]) FROM generate_series(1, 12) i;
	INSERT INTO huge SELECT i, array_fill(1::float8, ARRAY[1500000]) FROM generate_series(1, 2) i;
	INSERT INTO many SELECT i, array_fill(1::float8, ARRAY[300]) FROM generate_series(1, 9000) i});
is(answer(q{SELECT toast_spoil(a, 30, 'missing') FROM damaged WHERE i = 3}), '1', 'an array is damaged');
answer(q{
	-- each catches its error
	CREATE FUNCTION sum_fine(k int) RETURNS int LANGUAGE plpgsql AS $$
	BEGIN
		PERFORM gpu_array_sum(a) FROM fine WHERE i = k;
		RETURN 1;
	EXCEPTION WHEN OTHERS THEN RAISE NOTICE 'caught %', SQLERRM; RETURN 1;
	END $$;
	CREATE FUNCTION nested_fine(k int) RETURNS int LANGUAGE plpgsql AS $$
	BEGIN
		PERFORM gpu_sum(a) FROM fine WHERE sum_fine(i) = 1 AND i <> k;
		RETURN 1;
	EXCEPTION WHEN OTHERS THEN RAISE NOTICE 'caught %', SQLERRM; RETURN 1;
	END $$;
	CREATE FUNCTION sum_damaged() RETURNS int LANGUAGE plpgsql AS $$
	BEGIN
		PERFORM gpu_sum(a) FROM damaged;
		RETURN 0;
	EXCEPTION WHEN data_corrupted THEN RETURN 1;
	END $$;
	CREATE FUNCTION sum_large(k int) RETURNS int LANGUAGE plpgsql AS $$
	BEGIN
		PERFORM gpu_array_sum(a) FROM large WHERE i = (k + 3) % 12 + 1;
		RETURN 1;
	EXCEPTION WHEN query_canceled THEN RAISE NOTICE 'caught'; RETURN 1;
	END $$;
	CREATE FUNCTION cumsum_huge(k int) RETURNS text LANGUAGE plpgsql AS $$
	BEGIN
		PERFORM gpu_array_cumsum(a) FROM huge WHERE i = k;
		RETURN 'done';
	EXCEPTION WHEN query_canceled THEN RETURN 'caught';
	END $$});
$node->with_faults('');

# --- an inner query fails over an array of the outer one
($out, $took, $err) = attempt('SELECT gpu_sum(a) FROM damaged WHERE sum_fine(i) = 1;');
like($err, $damage, 'a damaged array is missed by no sum');
is($out, '', 'there is no sum');
unlike($err, qr/caught/, 'and no other query meets the error');
($out, $took, $err) = attempt("SELECT gpu_sum(a) FROM damaged WHERE nested_fine(i) = 1;");
like($err, $damage, 'nor is it missed by two levels of inner queries');
unlike($err, qr/caught/, 'which do not meet it either');
($out, $took, $err) = attempt("BEGIN;\nSAVEPOINT a;\nSELECT gpu_sum(a) FROM damaged WHERE sum_fine(i) = 1;\nROLLBACK TO a;\n"
	  . "SELECT gpu_sum(a) FROM fine WHERE sum_fine(i) = 1;\nCOMMIT;\n$fallbacks");
like($err, $damage, 'in a subtransaction, too');
unlike($err, qr/caught/, 'where no inner one meets it');
is($out, "100000\nnone", 'and others are right');
($out, $took, $err) = attempt("SELECT gpu_sum(a) FILTER (WHERE i <> 3), gpu_sum(a) FROM damaged WHERE sum_fine(i) = 1;\n"
	  . "SELECT gpu_sum(a) FILTER (WHERE i <> 3) FROM damaged WHERE sum_fine(i) = 1;\n$fallbacks");
like($err, $damage, 'nor if others are right');
is($out, "70000\nnone", 'which they are');
is((attempt("SELECT gpu_sum(a) FROM fine WHERE sum_damaged() = 1;\n$fallbacks"))[0],
	"100000\nnone", 'an inner query fails over an array of its own');
like((attempt("SELECT gpu_sum(a) FROM damaged WHERE sum_damaged() = 1;"))[2], $damage, 'and one over that of both');

# --- an inner query is cancelled at any time; first while arrays are loaded,
# then while they are streamed
sub cancel_at
{
	my ($what, @ms) = @_;
	my $n_caught = 0;
	my @wrong;

	for my $ms (@ms)
	{
		answer('SELECT gpuagg_cache_clear()');
		($out, $took, $err) = attempt("SET statement_timeout = '${ms}ms';\n"
			  . 'SELECT gpu_sum(a) / 300000, gpu_sum(a) / 300000 FROM large WHERE sum_large(i) = 1;');
		$n_caught++ if $err =~ /caught/;
		push @wrong, "$ms ms: $out $err" unless $out eq '12|12' || ($out eq '' && $err =~ /ERROR:  57014/);
	}
	is(join("\n", @wrong), '', "sums are right when an inner query was cancelled: $what");
	cmp_ok($n_caught, '>', 0, "which happened $n_caught times");
}

cancel_at('loading', 4, 6, 8, 10, 13, 16, 20, 25, 30, 35);
# packed, they would fit
$node->append_conf('postgresql.conf', "gpuagg.cache_size = '24MB'\ngpuagg.cache_packing = off");
$node->with_faults('');
cancel_at('streaming', 4, 6, 8, 10, 13, 16, 20, 25, 30, 35);
cmp_ok(answer($streamed), '>', 0, 'arrays were streamed');
$node->with_faults('slow_launch=10');
cancel_at('waiting', 20, 50, 90, 140);
$node->append_conf('postgresql.conf', "gpuagg.cache_size = -1");
$node->with_faults('');

# --- loads are cancelled at once
my $held = hold("BEGIN;\nSELECT sum_damaged();\nSELECT clock_timestamp() AS t \\gset\n"
	  . "SELECT gpu_sum(a) FROM damaged WHERE i <> 3;\nSELECT gpu_array_sum(a) FROM damaged WHERE i = 2;\n"
	  . "SELECT clock_timestamp() - :'t' < '0.8 s';\n$fallbacks");
($out, $took, $err) = attempt("SELECT gpu_sum(a) FROM damaged WHERE i <> 3;\n$fallbacks");
is("$out $err", "70000\nnone ", 'others load it');
cmp_ok($took, '<', 0.8, 'and do not wait');
is((release($held))[0], "1\n70000\n20000\nt\nnone", 'nor does the session itself');
is(answer($streamed), '0', 'nothing had to be streamed');

# one that is not caught, and one that ends with its transaction
$node->with_faults('');
$held = hold("BEGIN;\nSAVEPOINT s;\nSELECT gpu_sum(a) FROM damaged;\nROLLBACK TO s;");
($out, $took, $err) = attempt("SELECT gpu_sum(a) FROM damaged WHERE i <> 3;\n$fallbacks");
is("$out $err", "70000\nnone ", 'the same after ROLLBACK TO');
cmp_ok($took, '<', 0.8, 'without waiting');
release($held);
$held = hold('SELECT gpu_sum(a) FROM fine, sum_damaged() WHERE i / (i - 4) < 9;');
($out, $took, $err) = attempt("SELECT gpu_sum(a) FROM fine;\n$fallbacks");
is("$out $err", "100000\nnone ", 'the same after an error in the query itself');
cmp_ok($took, '<', 0.8, 'without waiting');
release($held);
is(answer($streamed), '0', 'nothing had to be streamed');

# --- a request that fails on the device
$node->with_faults('refuse_launch=2');
$held = hold("SELECT gpu_sum(a) FROM fine WHERE i = 1;\nBEGIN;\nSELECT gpu_sum(a) FROM fine;\n$fallbacks");
($out, $took, $err) = attempt("SELECT gpu_sum(a), gpu_sum(a) FROM fine;\n$fallbacks");
is("$out $err", "100000|100000\nnone ", 'what a failed request would have loaded, others load');
cmp_ok($took, '<', 0.8, 'without waiting');
($out, $took, $err) = release($held);
is($out, "10000\n100000\nout of device memory 4", 'the CPU does what the request was about');
like($err, qr/WARNING:  58030: the CPU goes on|WARNING:  58000: the CPU goes on/, 'and a warning tells');
is(answer($streamed), '0', 'nothing had to be streamed');

# --- arrays of a query that failed do not concern a later one
$node->with_faults('');
($out, $took, $err) = attempt("BEGIN;\nSELECT sum_damaged();\nDROP TABLE damaged;\n"
	  . "SELECT gpu_array_sum(a) FROM fine WHERE i = 4;\nSELECT gpu_sum(a) FROM fine;\nROLLBACK;\n$fallbacks");
is("$out $err", "1\n40000\n100000\nnone ", 'their table is dropped');
($out, $took, $err) = attempt("BEGIN;\nSAVEPOINT s;\nCREATE TABLE new (LIKE fine INCLUDING STORAGE);\n"
	  . "INSERT INTO new TABLE fine;\nSELECT gpu_sum(a) FROM (TABLE new UNION ALL TABLE damaged) x;\nROLLBACK TO s;\n"
	  . "SELECT gpu_array_sum(a) FROM fine WHERE i = 4;\nSELECT gpu_sum(a) FROM fine;\nCOMMIT;\n$fallbacks");
is($out, "40000\n100000\nnone", 'their table never was');
like($err, $damage, 'after an error');
for my $engine ('auto', 'cpu')
{
	# where there may be helpers the CPU notes arrays, too
	($out, $took, $err) = attempt("SET gpuagg.engine = $engine;\nSET max_parallel_workers_per_gather = 2;\nBEGIN;\nDECLARE c CURSOR FOR SELECT gpu_sum(a) FROM damaged;\n"
		  . "SAVEPOINT s;\nFETCH c;\nROLLBACK TO s;\nRELEASE s;\nSELECT gpu_sum(a) FROM fine;\n"
		  . "SELECT gpu_array_sum(a) FROM fine WHERE i = 4;\nCOMMIT;");
	is($out, "100000\n40000", "they are of a cursor that failed in a savepoint, engine = $engine");
	is(scalar(() = $err =~ /$damage/g), 1, 'which alone has the error');
}
unlike($err, qr/could not open|does not exist|WARNING/, 'and no other');

# --- running totals: the first ones, and some that are cancelled
($out, $took, $err) = attempt("SELECT array_length(gpu_array_cumsum(a), 1) FROM huge WHERE i = 2;\n"
	  . "SELECT array_length(gpu_array_cumsum(a), 1), gpu_array_sum(a) FROM large WHERE i = 5;\n$fallbacks");
is("$out $err", "1500000\n300000|300000\nnone ", 'the first running totals of an array, by the device');
$node->with_faults('slow_launch=40');
for my $ms (20, 60, 110, 170, 230)
{
	# The function is compiled and planned before the time runs; even so the time
	# may be over before its block begins, but not each time.
	for (1 .. 5)
	{
		($out, $took, $err) = attempt("SELECT gpu_array_sum(ARRAY[1]);\nSELECT gpuagg_cache_clear(), cumsum_huge(0) \\g /dev/null\nBEGIN;\n"
			  . "SET statement_timeout = '${ms}ms';\nSELECT cumsum_huge(1);\nSET statement_timeout = 0;\n"
			  . "SELECT gpu_array_sum(a) FROM fine WHERE i = 2;\nSELECT gpu_sum(a) FROM fine;\n"
			  . "SELECT gpu_sum(x) FROM generate_series(1, 3) x;\nCOMMIT;\n$fallbacks");
		last if $err !~ /57014/ && $took < 3;
	}
	is("$out $err", "1\ncaught\n20000\n100000\n6\nnone ", "sums behind running totals that were cancelled after $ms ms");
	cmp_ok($took, '<', 3, sprintf('soon (%.2f s)', $took));
}

# --- a session that is to load 4096 arrays and does something else: its answer
# comes while it sleeps, since gpuaggd is stopped meanwhile
my $repeated = 'SELECT a FROM many, generate_series(1, 30) WHERE i > 4200';

# Returns what that session and three others got, the usual time of a sum, how many
# arrays were missing, and whether gpuaggd was the same all the time.
sub load_slowly
{
	my $pid = $node->with_faults('');
	my %seen = (misses => '');

	attempt("SELECT gpu_sum(a) FROM ($repeated) x;");
	($seen{sum}, $seen{usual}) = attempt("SELECT gpu_sum(a) FROM ($repeated) x;");
	my @others = map { $node->session('SET gpuagg.engine = gpu') } 1 .. 3;
	$node->look('SELECT 1');
	my $slow = begin("SELECT gpu_sum(a) FROM ($repeated) x \\g /dev/null\n\\! kill -STOP $pid\nSET application_name = 'slow';\n"
		  . "SELECT gpu_sum(a) FROM many WHERE i <= 4198 AND CASE WHEN i = 4098 THEN length(pg_sleep(5)::text) = 0 ELSE true END;\n"
		  . $fallbacks);
	within(60, sub { $slow->has_ended || $node->look(
		"SELECT count(*) FROM pg_stat_activity WHERE application_name = 'slow' AND wait_event = 'PgSleep'") eq '1' });
	kill 'CONT', $pid;
	within(3, sub { ($seen{misses} = $node->look('SELECT misses FROM gpuagg_stat')) eq '8896' });
	$others[0]->begin("SELECT gpu_array_sum(a) FROM many WHERE i = 7;\n$fallbacks");
	$others[1]->begin("SELECT (gpu_array_cumsum(a))[300] FROM many WHERE i = 8;\n$fallbacks");
	$others[2]->begin("SELECT gpu_sum(a) FROM (SELECT a FROM many WHERE i <= 4097 UNION ALL ($repeated)) x;\n$fallbacks");
	$seen{others} = [ map { [ finish($_) ] } @others ];
	$seen{slow} = [ finish($slow) ];
	$seen{is_same} = $node->daemon_pid == $pid;
	return %seen;
}

# On a busy machine the supervisor may notice that gpuaggd was stopped, or the
# session may sleep too late, but not each time.
my %seen;
for (1 .. 5)
{
	%seen = load_slowly();
	last if $seen{misses} eq '8896' && $seen{is_same};
}
is($seen{sum}, 4800 * 30 * 300, 'many resident arrays');
is($seen{misses}, '8896', 'a slow session is to load 4096 arrays');
for my $what ('a sum', 'running totals')
{
	($out, $took, $err) = @{ shift @{ $seen{others} } };
	is("$out $err", "300\nnone ", "$what of one of them");
	cmp_ok($took, '<', 2.5, sprintf('does not wait for long (%.2f s)', $took));
}
($out, $took, $err) = @{ shift @{ $seen{others} } };
is("$out $err", 300 * (4097 + 4800 * 30) . "\nnone ", 'sums of all of them and many others');
cmp_ok($took, '<', 3 * $seen{usual} + 2.5, sprintf('take what others take (%.2f s, %.2f s)', $took, $seen{usual}));
($out, $took, $err) = @{ $seen{slow} };
is("$out $err", 300 * 4198 . "\nnone ", 'and the slow session gets its own');

ok($seen{is_same}, 'gpuaggd is the same all the time');
unlike(slurp_file($node->logfile), qr/PANIC|TRAP|terminated by signal/, 'no process died');
$node->stop;
done_testing();
