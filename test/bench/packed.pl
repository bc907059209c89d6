#!/usr/bin/perl
# packed.pl: measures packed resident arrays beside plain ones: first queries,
# queries that find them, and the memory that they take.
#
# Runs under test/bin/with-cluster (see test/bin/bench), which made a server whose
# shared buffers hold the tables (Arrays.pm).  gpuagg.cache_packing is on and off in
# turns, each time in another gpuaggd; medians are compared.  Before a figure is
# taken, its query is done by both engines: the results have to be equal.  In the
# sessions that are timed, the device has to do every array.
#
# Prints tables in Markdown, and writes them to
# test/bench/results/<date>-<device>-packed.md, and the times beside it, as .tsv.
# SIZE=0.001 has a thousandth of the data; ROUNDS says how often the setting
# changes; PARTS=load measures this part alone (load, resident).  A part that fails
# is a row, and the exit status is 1.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Arrays;
use Bench;
use Page;

my $rounds = $ENV{ROUNDS} || 3;
my $n_cold = 3;         # first queries for each setting in a round
my $n_resident = 7;     # queries that find all arrays, likewise
my $n_helpers = 15;

my ($decimals, $long) = qw(decimals_10gb decimals_10m);
use_tables([has_part('load') ? $big_table : ()],
	$decimals => [n_arrays($big_table), 1000000, 'random_decimals', 'out of line'],
	$long => [1, n_elements('array_10m'), 'random_decimals', 'out of line']);

my $kind = 'decimals of 2 places in 0 to 1000';
my $tables = '';

# Measures queries, each of which the device does n_arrays of, n times in each round
# with packing on and with packing off.  Nothing else is resident.  Returns the ms of
# each query, and the bytes that the arrays take in device memory:
# { on => [ [ms...], ... ], off => ... }, { on => bytes, off => bytes }.
sub on_and_off
{
	my ($n, $n_arrays, @queries) = @_;
	my %ms = (on => [ map { [] } @queries ], off => [ map { [] } @queries ]);
	my %bytes;

	for my $round (1 .. $rounds)
	{
		for my $setting ($round % 2 ? qw(on off) : qw(off on))
		{
			bring_up('gpuagg.cache_packing', $setting);
			psql('SELECT gpuagg_cache_clear()');
			my @lists = turns($n, $n_arrays * @queries, @queries);
			push @{ $ms{$setting}[$_] }, @{ $lists[$_] } for 0 .. $#queries;
			$bytes{$setting} //= psql('SELECT sum(cache_used) FROM gpuagg_stat');
		}
	}
	bring_up('gpuagg.cache_packing');
	return (\%ms, \%bytes);
}

sub on_off_detail { my ($on, $off) = @_; return 'packing on ' . spread('ms', @$on) . ', off ' . spread('ms', @$off) }

# First queries of arrays that are packed, and of those that stay as they are.
sub load
{
	for my $load ([$decimals, $kind], [$big_table, 'random in 0 to 1, which stay plain'])
	{
		my ($table, $data) = @$load;

		check_query(n_arrays($table), "SELECT gpu_sum(a) FROM $table");
		my ($ms) = on_and_off($n_cold, n_arrays($table), first_query($table, $n_helpers));
		my ($on, $off) = map { $ms->{$_}[0] } qw(on off);
		report_ratios('first query, ' . content($table) . ", $data, $n_helpers helpers, packing on against off", '<= 1.05 times its time',
			on_off_detail($on, $off), ratios($on, $off));
		keep("cold_${table}_on", @$on);
		keep("cold_${table}_off", @$off);
	}
}

# What is measured of resident arrays, each with a check of its result.
my %figures = (
	$decimals => [
		map({ ["$_(a)", "SELECT $_(a) FROM $decimals"] } qw(gpu_sum gpu_count gpu_avg gpu_min gpu_max gpu_var_samp)),
		['gpu_dot(a, a)', "SELECT gpu_dot(a, a) FROM $decimals"],
		['gpu_elem_sum(a)', "SELECT hash_array_extended(gpu_elem_sum(a), 0) FROM $decimals"],
	],
	$long => [
		map { ["$_", "SELECT hash_array_extended($_, 0) FROM $long"] }
			('gpu_array_cumsum(a)', 'gpu_array_moving_sum(a, 99)', 'gpu_array_moving_max(a, 99)', 'gpu_array_cummax(a)',
			'gpu_array_delta(a)', 'gpu_array_bucket_sum(a, 1000)')
	]);

# Queries that find all arrays.
sub resident
{
	my @rows;

	for my $table ($decimals, $long)
	{
		my @figures = @{ $figures{$table} };
		my $n = n_arrays($table);

		check_query($n, $_->[1]) for @figures;
		# hashing a result takes longer than computing it
		my ($ms, $bytes) = on_and_off($n_resident, $n, map { "$gpu " . $_->[1] =~ s/hash_array_extended\((.*), 0\)/cardinality($1)/r } @figures);
		for my $i (0 .. $#figures)
		{
			my ($what, $on, $off) = ($figures[$i][0], map { $ms->{$_}[$i] } qw(on off));
			my @ratios = ratios($on, $off);
			my $name = $what =~ s/\(a\)//r =~ s/\W+/_/gr;

			report_ratios("`$what`, " . content($table) . ", $kind, resident, packing on against off", '<= 0.5 times its time', on_off_detail($on, $off), @ratios)
			  if $what eq 'gpu_sum(a)';
			push @rows, row("`$what`", content($table), spread('', @$on), spread('', @$off), spread('', @ratios));
			keep("${name}_on", @$on);
			keep("${name}_off", @$off);
		}
		report_most('memory, ' . content($table) . ", $kind", '<= 2.2 bytes a value', 'bytes',
			sprintf(', %.4g with packing off', $bytes->{off} / n_elements($table)), $bytes->{on} / n_elements($table));
	}
	$tables .= "\n## Resident arrays, packed and plain\n\nms, and the ratio of packed to plain.\n\n"
	  . head_row('what', 'arrays', 'packed', 'plain', 'ratio') . join('', @rows);
}

bring_up('gpuagg.cache_packing');
part('load', \&load);
part('resident', \&resident);
write_page('packed', 'packed arrays', "No parallel workers but the helpers that are named; no JIT.\n"
	  . "Medians of " . $rounds * $n_cold . " first queries and of " . $rounds * $n_resident . " resident ones for each setting; in brackets the 10th to the 90th percentile.\n", $tables);
exit(failed_parts() ? 1 : 0);
