#!/usr/bin/perl
# resident.pl: measures stored arrays that stay in the device's memory.
#
# Runs under test/bin/with-cluster (see test/bin/bench), which made a server
# whose shared buffers hold the tables (Arrays.pm).  The sides of a figure take
# turns; medians are compared.  Before a figure is taken, its query is done by
# both engines: the results have to be equal, and the device has to have done
# every array; in the sessions that are timed, too.
#
# Prints a table in Markdown, and writes it to
# test/bench/results/<date>-<device>-resident.md, and the times behind the
# README's first table beside it, as .tsv, for test/bench/readme-table.
# SIZE=0.001 has a thousandth of the data; ROUNDS sets how often.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Arrays;
use Bench;
use Page;
use Pgbench;

my $rounds = $ENV{ROUNDS} || 7;

# What reads a stored array and does nothing with it, against which the first
# run is measured: the reader that loads arrays, in pieces that fit in a cache.
my $reader = "the reader";
my $reader_query = "SELECT sum(toast_walk(a, 262144, true)) FROM arrays_10gb";

# Without a cache every run is a cold one.
my $has_cache = has_cache();
my $clear = $has_cache ? 'SELECT gpuagg_cache_clear();' : '';

# --- the tables

my @sizes = ([300, 20000], [1000, 20000], [4000, 10000], [16000, 2500], [100000, 400]);
use_tables([qw(arrays_10gb arrays_8kb arrays_pglz array_10m)],
	arrays_2k5 => [scaled(100000), 313, 'random_array', 'out of line'],
	map { ("arrays_of_$_->[0]" => [scaled($_->[1]), $_->[0], 'random_array', 'out of line']) } @sizes);

# --- figures

my $big = content('arrays_10gb');
my $elements = n_elements('arrays_10gb');
my $sum = 'SELECT gpu_sum(a) FROM arrays_10gb';

# Resident against the CPU engine.
sub against_cpu
{
	my ($figure, $goal, $table, $query) = @_;

	check_query(n_arrays($table), $query);
	my ($ours, $theirs) = resident_turns($rounds, n_arrays($table), "$gpu $query", "$cpu $query");
	my @r = $goal =~ /^<=/ ? ratios($ours, $theirs) : ratios($theirs, $ours);
	report_ratios($figure, $goal, 'resident ' . spread('ms', @$ours) . ', CPU engine ' . spread('ms', @$theirs), @r);
}

sub cold
{
	check_query(n_arrays('arrays_10gb'), $sum);
	my ($cold, $reader_ms) = turns($rounds, n_arrays('arrays_10gb'), "$clear $gpu $sum", $reader_query);
	keep('cold', @$cold);
	report_ratios("first run, against only reading ($reader), $big", '<= 1.15 times its time',
		'first run ' . spread('ms', @$cold) . ", $reader " . spread('ms', @$reader_ms), ratios($cold, $reader_ms));
}

# The part of the table that unnest is measured on, since it is slow.
sub unnest_ms
{
	my $n = n_arrays('arrays_10gb');
	my $part = $n < 12 ? $n : 12;
	my ($unnest) = take_turns(2, "SELECT sum(x) FROM arrays_10gb, unnest(a) x WHERE id <= $part");

	return ($part, map { $_ * $n / $part } @$unnest);
}

sub resident
{
	check_query(n_arrays('arrays_10gb'), $sum);
	my $naive_sum = 'SELECT naive_sum(a) FROM arrays_10gb';
	my ($resident, $naive, $cpu_ms) = resident_turns($rounds, n_arrays('arrays_10gb'), "$gpu $sum", $naive_sum, "$cpu $sum");
	my ($part, @unnest) = unnest_ms();
	keep('resident', @$resident);
	keep('naive', @$naive);
	keep('cpu', @$cpu_ms);
	keep('unnest', @unnest);
	keep('unnest_arrays', $part);
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

	check_query($n, "$query ORDER BY g");
	# rows are counted in the server, not sent to psql, as in bench.pl
	my ($grouped, $whole, $sent) = resident_turns(3 * $rounds, 3 * $n,
		"$gpu SELECT count(s) FROM ($query) q", "$gpu SELECT count(s) FROM (SELECT gpu_sum(a) AS s FROM arrays_10gb) q",
		"$gpu $query");
	report_ratios("resident, `GROUP BY` with " . commas(psql('SELECT count(DISTINCT g) FROM arrays_10gb')) . ' groups, against without',
		'<= 1.3 times the time', 'grouped ' . spread('ms', @$grouped) . ', without ' . spread('ms', @$whole)
		  . '; with all rows sent to psql ' . spread('ms', @$sent), ratios($grouped, $whole));
}

# --- sessions of pgbench

# From one session, by one and the same array.
sub latency
{
	my $query = 'SELECT gpu_array_sum(a) FROM arrays_10gb WHERE id = 1';

	check_query(1, $query);
	my ($sum_us, $index, $one) = latencies($rounds, assert_session(), $query, 'SELECT id FROM arrays_10gb WHERE id = 1', 'SELECT 1');
	report_more_us('`SELECT gpu_array_sum(a)` of a resident array of 1M float8', '<= 60 µs', $sum_us, $one,
		'; finding the row alone, `SELECT id`, takes ' . spread('µs', differences($index, $one)) . ' more than SELECT 1');
}

sub sessions
{
	my ($one, $many) = ([], []);

	check_query(n_arrays('arrays_10gb'), $sum);
	pgbench(random_one() . assert_session(), '-c', 32, '-j', 8, '-t', 10);
	my $before = misses();
	for my $round (1 .. $rounds)
	{
		push @$one, pgbench(random_one(), '-T', 1)->{tps};
		push @$many, pgbench(random_one(), '-c', 32, '-j', 8, '-T', 1)->{tps};
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
		check_query($n, "SELECT gpu_sum(gpu_array_sum(a)) FROM $table", $gpu_always);
		check_query($n, $all);
		push @lists, resident_turns($rounds, 2 * $n, "$gpu $all", "$gpu_always $each", "$cpu $each");
		$text .= join(' | ', "| $length", 8 * $length + 24, map { spread('', map { 1000 * $_ / $n } @{ $lists[$_] }) } 2, 0, 1, 3, 4) . " |\n";
	}
	return $text;
}

# --- the run

print STDERR "bench: measuring\n";
bring_up('gpuagg.staging_size', '1GB');
keep('arrays', n_arrays('arrays_10gb'));
keep('elements', $elements);
keep('kept', $has_cache ? 'yes' : 'no');
cold();
resident();
groups();
latency();
sessions();
against_cpu(content('arrays_8kb') . ', resident, against the CPU engine', '>= 5 times faster', 'arrays_8kb', 'SELECT gpu_sum(a) FROM arrays_8kb');
against_cpu(content('arrays_2k5') . ', resident, against the CPU engine', '<= 1 times its time', 'arrays_2k5', 'SELECT gpu_sum(a) FROM arrays_2k5');
against_cpu(content('arrays_pglz') . ' with 2 decimals, compressed by pglz, resident, against the CPU engine', '>= 500 times faster',
	'arrays_pglz', 'SELECT gpu_sum(a) FROM arrays_pglz');
check_query(1, 'SELECT hash_array_extended(gpu_array_cumsum(a), 0) FROM array_10m');
against_cpu('`gpu_array_cumsum(a)` of ' . content('array_10m') . ', resident, against the CPU engine', '>= 2 times faster',
	'array_10m', 'SELECT cardinality(gpu_array_cumsum(a)) FROM array_10m');
my $by_size = by_size();

write_page('resident', 'resident arrays', "No parallel workers, no JIT.\n"
	  . ($has_cache ? '' : "**This version of gpuagg keeps no arrays: each run sent them to the device, those called resident too.**\n")
	  . "Medians of $rounds rounds in which the sides took turns; in brackets the 10th to the 90th percentile.\n",
	"\nµs an array, for `gpuagg.min_gpu_size`; all arrays are stored out of line:\n\n$by_size");
