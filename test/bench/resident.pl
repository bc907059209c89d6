#!/usr/bin/perl
# resident.pl: measures stored arrays that stay in the device's memory.
#
# Runs under test/bin/with-cluster (see test/bin/bench), which made a server
# whose shared buffers hold the tables made here, in a schema of their own.  The
# sides of a figure take turns; medians are compared.  Before a figure is taken,
# its query is done by both engines: the results have to be equal, and the
# device has to have done every array; in the sessions that are timed, too.
#
# Prints a table in Markdown, and writes it to
# test/bench/results/<date>-<device>-resident.md, and the times behind the
# README's first table beside it, as .tsv, for test/bench/readme-table.
# SIZE=0.001 has a thousandth of the data; ROUNDS sets how often.
use strict;
use warnings;
use FindBin;
use POSIX qw(ceil);
use lib $FindBin::Bin;
use Bench;
use Page;

my $size = $ENV{SIZE} || 1;
my $rounds = $ENV{ROUNDS} || 7;

# What reads a stored array and does nothing with it, against which the first
# run is measured: the reader that loads arrays, in pieces that fit in a cache.
my $reader = "the reader";
my $reader_query = "SELECT sum(toast_walk(a, 262144, true)) FROM arrays_10gb";

$Bench::settings .= "SET jit = off;\nSET search_path = resident, public;\n";
my $gpu = 'SET gpuagg.engine = auto; SET gpuagg.min_gpu_size = 0;';
my $gpu_always = 'SET gpuagg.engine = gpu;';
my $cpu = 'SET gpuagg.engine = cpu;';

# What this version of gpuagg has.  Without a cache every run is a cold one.
my $has_cache = has('gpuagg_cache_clear');
my $has_stat = psql("SELECT count(*) FROM pg_attribute WHERE attrelid = to_regclass('gpuagg_stat') AND attname IN ('hits', 'misses')") == 2;
my $clear = $has_cache ? 'SELECT gpuagg_cache_clear();' : '';

# --- the tables

sub scaled { my ($n) = @_; return ceil($n * $size) }

# name => arrays, elements of each, what makes them, where they have to lie
my @sizes = ([300, 20000], [1000, 20000], [4000, 10000], [16000, 2500], [100000, 400]);
my %tables = (
	arrays_10gb => [scaled(1250), 1000000, 'random_array', 'out of line'],
	arrays_8kb => [scaled(20000), 1000, 'random_array', 'out of line'],
	arrays_2k5 => [scaled(100000), 313, 'random_array', 'out of line'],
	arrays_pglz => [scaled(100), 1000000, 'decimal_array', 'out of line, compressed'],
	array_10m => [1, scaled(10000000), 'random_array', 'out of line'],
	map { ("arrays_of_$_->[0]" => [scaled($_->[1]), $_->[0], 'random_array', 'out of line']) } @sizes);

sub n_arrays { return $tables{$_[0]}[0] }
sub n_elements { return $tables{$_[0]}[0] * $tables{$_[0]}[1] }

# "1,250 arrays of 1,000,000 float8"
sub content
{
	my ($n, $length) = map { commas($_) } @{ $tables{$_[0]} }[ 0, 1 ];
	return $n eq '1' ? "an array of $length float8" : "$n arrays of $length float8";
}

# Many sessions insert, each a part of every table.
sub make_tables
{
	my $sessions = machine()->{cores} || 1;
	my @inserts = ('') x $sessions;

	psql("CREATE SCHEMA resident;\n" . join '', map {
		"CREATE UNLOGGED TABLE $_ (id integer, g integer, a float8[]);\n"
		  . "ALTER TABLE $_ ALTER a SET STORAGE "
		  . ($tables{$_}[3] =~ /compressed/ ? "EXTENDED, ALTER a SET COMPRESSION pglz;\n" : "EXTERNAL;\n")
	} sort keys %tables);
	for my $name (sort keys %tables)
	{
		my ($n, $length, $function) = @{ $tables{$name} };
		$inserts[ $_ - 1 ] .= "INSERT INTO $name SELECT i, i % 1000, $function($length, i)\n"
		  . "\tFROM generate_series($_, $n, $sessions) i;\n"
		  for 1 .. $sessions;
	}
	psql_all(@inserts);
	psql(join '', map { "ALTER TABLE $_ ADD PRIMARY KEY (id);\nVACUUM (ANALYZE, PROCESS_TOAST false) $_;\n" } sort keys %tables);
}

# The arrays lie where they should, and all of them in shared buffers.
sub check_tables
{
	for my $name (sort keys %tables)
	{
		my $where = psql("SELECT string_agg(DISTINCT storage_of(a), ' and ') FROM $name");
		die "the arrays of $name lie $where, not $tables{$name}[3]\n" if $where ne $tables{$name}[3];
	}
	my $scan = "EXPLAIN (ANALYZE, BUFFERS, TIMING OFF) $reader_query;\n";
	my $plan = psql($scan x 2);
	$plan =~ s/.*?Execution Time//s;
	die "the tables do not fit into shared_buffers\n" if $plan =~ / read=\d/;
}

# --- who did it

# SQL that fails unless the device did at least n arrays in its session.
sub assert_device
{
	my ($n) = @_;

	return <<"SQL";
DO \$\$
DECLARE
	done bigint := (SELECT arrays FROM gpuagg_session_stat WHERE engine = 'gpu');
BEGIN
	IF done < $n THEN
		RAISE EXCEPTION 'the device did % of $n arrays: %', done,
			(SELECT string_agg(reason || ' ' || arrays, ', ') FROM gpuagg_session_stat WHERE engine = 'cpu');
	END IF;
END \$\$;
SQL
}

# That the device does all n arrays of a query, and with the CPU's result.
sub check
{
	my ($n, $query, $engine) = @_;
	my $by_device = psql(($engine || $gpu) . "\n$query;\n" . assert_device($n));
	my $by_cpu = psql("$cpu\n$query;\n");

	die "the device and the CPU differ: $query\n" if $by_device ne $by_cpu || $by_cpu eq '';
}

# How often a value had to be loaded, as far as this version tells.
sub misses { return $has_stat ? psql('SELECT coalesce(sum(misses), 0) FROM gpuagg_stat') : 0 }

# take_turns, of which the device has to do n arrays a round.
sub turns
{
	my ($rounds, $n, @queries) = @_;

	return take_turns({ rounds => $rounds, finally => assert_device($n * ($rounds + 1)) }, @queries);
}

# The same, and no value may have to be loaded meanwhile.
sub resident_turns
{
	my $before = misses();
	my @lists = turns(@_);

	die "a resident array was loaded again\n" if misses() > $before;
	return @lists;
}

# --- figures

my $big = content('arrays_10gb');
my $elements = n_elements('arrays_10gb');
my $sum = 'SELECT gpu_sum(a) FROM arrays_10gb';
my %ms;    # lists of times for the README
my $unnest_arrays;

# A figure that is the median of ratios.
sub report_ratios
{
	my ($figure, $goal, $detail, @r) = @_;

	report($figure, $goal, number(median(@r)), met(median(@r), $goal), "$detail, ratio " . spread('', @r));
}

# Resident against the CPU engine.
sub against_cpu
{
	my ($figure, $goal, $table, $query) = @_;

	check(n_arrays($table), $query);
	my ($ours, $theirs) = resident_turns($rounds, n_arrays($table), "$gpu $query", "$cpu $query");
	my @r = $goal =~ /^<=/ ? ratios($ours, $theirs) : ratios($theirs, $ours);
	report_ratios($figure, $goal, 'resident ' . spread('ms', @$ours) . ', CPU engine ' . spread('ms', @$theirs), @r);
}

sub cold
{
	check(n_arrays('arrays_10gb'), $sum);
	my ($cold, $reader_ms) = turns($rounds, n_arrays('arrays_10gb'), "$clear $gpu $sum", $reader_query);
	$ms{cold} = $cold;
	report_ratios("first run, against only reading ($reader), $big", '<= 1.15 times its time',
		'first run ' . spread('ms', @$cold) . ", $reader " . spread('ms', @$reader_ms), ratios($cold, $reader_ms));
}

# The part of the table that unnest is measured on, since it is slow.
sub unnest_ms
{
	my $part = $tables{arrays_10gb}[0] < 12 ? $tables{arrays_10gb}[0] : 12;
	my ($unnest) = take_turns(2, "SELECT sum(x) FROM arrays_10gb, unnest(a) x WHERE id <= $part");

	return ($part, map { $_ * n_arrays('arrays_10gb') / $part } @$unnest);
}

sub resident
{
	check(n_arrays('arrays_10gb'), $sum);
	my $naive_sum = 'SELECT naive_sum(a) FROM arrays_10gb';
	my ($resident, $naive, $cpu_ms) = resident_turns($rounds, n_arrays('arrays_10gb'), "$gpu $sum", $naive_sum, "$cpu $sum");
	my ($part, @unnest) = unnest_ms();
	@ms{qw(resident naive cpu unnest)} = ($resident, $naive, $cpu_ms, \@unnest);
	$unnest_arrays = $part;
	my $ours = 'resident ' . spread('ms', @$resident);

	report_ratios("`gpu_sum(a)`, $big, resident, against a plain C aggregate (detoast and a naive loop)", '>= 150 times faster',
		"$ours, plain C " . spread('ms', @$naive) . ', CPU engine ' . spread('ms', @$cpu_ms), ratios($naive, $resident));
	report_ratios('the same against `sum(x) FROM t, unnest(a) x`', '>= 5,000 times faster',
		"$ours, unnest " . spread('ms', @unnest) . ", measured on $part of the arrays and scaled", map { median(@unnest) / $_ } @$resident);
	my @rate = map { $elements * 8 / $_ / 1e9 } @$resident;
	report('the same in bytes a second', '>= 0.8 TB/s', sprintf('%.3g TB/s', median(@rate)), met(median(@rate), '>= 0.8'), spread('TB/s', @rate));
}

sub groups
{
	my $n = n_arrays('arrays_10gb');
	my $query = 'SELECT g, gpu_sum(a) AS s FROM arrays_10gb GROUP BY g';

	check($n, "$query ORDER BY g");
	# rows are counted in the server, not sent to psql, as in bench.pl
	my ($grouped, $whole, $sent) = resident_turns(3 * $rounds, 3 * $n,
		"$gpu SELECT count(s) FROM ($query) q", "$gpu SELECT count(s) FROM (SELECT gpu_sum(a) AS s FROM arrays_10gb) q",
		"$gpu $query");
	report_ratios("resident, `GROUP BY` with " . commas(psql('SELECT count(DISTINCT g) FROM arrays_10gb')) . ' groups, against without',
		'<= 1.3 times the time', 'grouped ' . spread('ms', @$grouped) . ', without ' . spread('ms', @$whole)
		  . '; with all rows sent to psql ' . spread('ms', @$sent), ratios($grouped, $whole));
}

# --- sessions of pgbench

# Runs a script with prepared statements and the settings of $gpu.
sub pgbench
{
	my ($script, @options) = @_;
	my $file = "$ENV{GPUAGG_TMP}/pgbench.sql";

	open my $out, '>', $file or die "$file: $!";
	print $out $script;
	close $out;
	local $ENV{PGOPTIONS} = '-c gpuagg.engine=auto -c gpuagg.min_gpu_size=0 -c jit=off -c search_path=resident,public';
	my $output = `pgbench -n -M prepared -D n=$tables{arrays_10gb}[0] -f $file @options 2>&1`;
	die "pgbench failed (it comes with PostgreSQL's server or contrib package):\n$output" if $?;
	$output =~ /^tps = ([\d.]+)/m or die "no tps in what pgbench says:\n$output";
	return $1;
}

my $random_one = "\\set id random(1, :n)\nSELECT gpu_array_sum(a) FROM arrays_10gb WHERE id = :id;\n";

# Fails in a session in which the CPU did anything, or the device nothing.
my $assert_session = "SELECT 1 / (sum(arrays) FILTER (WHERE engine = 'gpu') > 0\n"
  . "\tAND coalesce(sum(arrays) FILTER (WHERE engine = 'cpu'), 0) = 0)::integer FROM gpuagg_session_stat;\n";

# From one session, by one and the same array.
sub latency
{
	my @scripts = map { "$_;\n" } 'SELECT gpu_array_sum(a) FROM arrays_10gb WHERE id = 1', 'SELECT id FROM arrays_10gb WHERE id = 1', 'SELECT 1';
	my @us = map { [] } @scripts;

	check(1, 'SELECT gpu_array_sum(a) FROM arrays_10gb WHERE id = 1');
	pgbench($scripts[0] . $assert_session, '-t', 20);
	for my $round (1 .. $rounds)
	{
		my @order = $round % 2 ? 0 .. $#scripts : reverse 0 .. $#scripts;
		push @{ $us[$_] }, 1e6 / pgbench($scripts[$_], '-T', 1) for @order;
	}
	my @more = map { $us[0][$_] - $us[2][$_] } 0 .. $rounds - 1;
	my @index = map { $us[1][$_] - $us[2][$_] } 0 .. $rounds - 1;
	report('`SELECT gpu_array_sum(a)` of a resident array of 1M float8, more than `SELECT 1`, prepared', '<= 60 µs',
		sprintf('%.1f µs', median(@more)), met(median(@more), '<= 60'),
		'the sum ' . spread('µs', @{ $us[0] }) . ', SELECT 1 ' . spread('µs', @{ $us[2] })
		  . ', difference ' . spread('µs', @more) . '; finding the row alone, `SELECT id`, takes ' . spread('µs', @index)
		  . ' more than SELECT 1; averages of a second each');
}

sub sessions
{
	my ($one, $many) = ([], []);

	check(n_arrays('arrays_10gb'), $sum);
	pgbench($random_one . $assert_session, '-c', 32, '-j', 8, '-t', 10);
	my $before = misses();
	for my $round (1 .. $rounds)
	{
		push @$one, pgbench($random_one, '-T', 1);
		push @$many, pgbench($random_one, '-c', 32, '-j', 8, '-T', 1);
	}
	die "a resident array was loaded again\n" if misses() > $before;
	report_ratios('32 sessions against one, each summing a random one of the resident arrays of 1M float8, queries a second', '>= 8 times',
		'one ' . spread('/s', @$one) . ', 32 ' . spread('/s', @$many), ratios($many, $one));
}

# --- what min_gpu_size should be

# A row for each size: µs an array, in one query that sums all, and in one that
# waits for each array's sum.
sub by_size
{
	my $text = "| elements | bytes | `gpu_sum`, resident | first run | CPU engine | `gpu_array_sum`, resident | CPU engine |\n"
	  . '| --- ' x 7 . "|\n";

	for (@sizes)
	{
		my ($length) = @$_;
		my $table = "arrays_of_$length";
		my $n = n_arrays($table);
		my $all = "SELECT gpu_sum(a) FROM $table";
		my $each = "SELECT count(gpu_array_sum(a)) FROM $table";
		my @lists = turns($rounds, $n, "$clear $gpu $all", "$cpu $all");
		check($n, "SELECT gpu_sum(gpu_array_sum(a)) FROM $table", $gpu_always);
		check($n, $all);
		push @lists, resident_turns($rounds, 2 * $n, "$gpu $all", "$gpu_always $each", "$cpu $each");
		$text .= join(' | ', "| $length", 8 * $length + 24, map { spread('', map { 1000 * $_ / $n } @{ $lists[$_] }) } 2, 0, 1, 3, 4) . " |\n";
	}
	return $text;
}

# --- the run

my $kind = device();
my $card = (split /,/, $kind)[0];
my $m = machine();
my $machine = "$m->{name} ($m->{cores} cores, $m->{memory_gb} GB)";
my $version = psql('SHOW server_version');
my $command = join ' ', 'make bench ONLY=resident', map { "$_=$ENV{$_}" } grep { $ENV{$_} } qw(DEVICE SIZE ROUNDS);

my $start = time;
print STDERR "bench: making the tables\n";
make_tables();
check_tables();
my $made = time - $start;
print STDERR "bench: measuring\n";
cold();
resident();
groups();
latency();
sessions();
against_cpu(content('arrays_8kb') . ', resident, against the CPU engine', '>= 5 times faster', 'arrays_8kb', 'SELECT gpu_sum(a) FROM arrays_8kb');
against_cpu(content('arrays_2k5') . ', resident, against the CPU engine', '<= 1 times its time', 'arrays_2k5', 'SELECT gpu_sum(a) FROM arrays_2k5');
against_cpu(content('arrays_pglz') . ' with 2 decimals, compressed by pglz, resident, against the CPU engine', '>= 500 times faster',
	'arrays_pglz', 'SELECT gpu_sum(a) FROM arrays_pglz');
check(1, 'SELECT hash_array_extended(gpu_array_cumsum(a), 0) FROM array_10m');
against_cpu('`gpu_array_cumsum(a)` of ' . content('array_10m') . ', resident, against the CPU engine', '>= 2 times faster',
	'array_10m', 'SELECT cardinality(gpu_array_cumsum(a)) FROM array_10m');
my $by_size = by_size();
psql('SET client_min_messages = warning; DROP SCHEMA resident CASCADE');    # its pages need not be written

my $text = "# `make bench`, resident arrays, " . date() . "\n\n"
  . "$kind; $machine; PostgreSQL $version.\n"
  . "`$command`: " . (time - $start) . " s, $made s of them for the tables, which lie in shared_buffers. No parallel workers, no JIT.\n"
  . ($has_cache ? '' : "**This version of gpuagg keeps no arrays: each run sent them to the device, those called resident too.**\n")
  . ($size == 1 ? '' : "**Not the size that the goals are for: SIZE=$size.**\n")
  . "Medians of $rounds rounds in which the sides took turns; in brackets the 10th to the 90th percentile.\n\n"
  . figures() . "\n" . details()
  . "\nµs an array, for `gpuagg.min_gpu_size`; all arrays are stored out of line:\n\n$by_size";
print $text;
write_results($card, '-resident.md', $text);
write_results($card, '-resident.tsv', join '', map { join("\t", @$_) . "\n" }
	['card', $card], ['machine', $machine], ['postgresql', $version], ['command', $command], ['date', date()],
	['arrays', n_arrays('arrays_10gb')], ['elements', $elements],
	['unnest_arrays', $unnest_arrays], ['kept', $has_cache ? 'yes' : 'no'],
	map { [$_, @{ $ms{$_} }] } qw(unnest naive cpu cold resident));
