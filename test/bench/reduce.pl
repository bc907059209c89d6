#!/usr/bin/perl
# reduce.pl: measures reductions of resident arrays beside gpu_sum.
#
# Runs under test/bin/with-cluster (see test/bin/bench), which made a server whose
# shared buffers hold the tables (Arrays.pm).  The sides of a figure take turns;
# medians are compared.  Before a figure is taken, its query is done by both
# engines: the results have to be equal, and the device has to have done every
# array.
#
# Prints a table in Markdown, and writes it to
# test/bench/results/<date>-<device>-reduce.md, and the times beside it, as .tsv.
# SIZE=0.001 has a thousandth of the data; ROUNDS sets how often.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Arrays;
use Bench;
use Page;
use Pgbench;

my $rounds = $ENV{ROUNDS} || 15;
my $table = 'arrays_10gb';

use_tables([$table]);

my $n = n_arrays($table);
my $sum = "SELECT gpu_sum(a) FROM $table";

# What, its goal, and how often the device has to have done all arrays.
my @figures = (
	(map { ["gpu_$_(a)", '<= 1.05 times its time', 1] } qw(count avg min max)),
	(map { ["gpu_$_(a)", '<= 1.3 times its time', 1] } qw(var_samp stddev_pop)),
	['gpu_sum(a), gpu_avg(a), gpu_count(a)', '<= 1.05 times its time', 1],
	['gpu_min(a), gpu_max(a)', '<= 2.1 times its time', 2],
);

# The rounding sum over what unnest gives, for part of the arrays.
sub by_unnest
{
	my ($what) = @_;
	my $part = $n < 5 ? $n : 5;
	my $core = $what =~ s/gpu_//gr =~ s/\(a\)/(x)/gr;
	my ($ms) = take_turns(2, "SELECT $core FROM $table, unnest(a) x WHERE id <= $part");

	return map { $_ * $n / $part } @$ms;
}

sub against_sum
{
	my ($what, $goal, $times) = @_;
	my $query = "SELECT $what FROM $table";

	check_query($times * $n, $query);
	my ($ours, $sums) = resident_turns($rounds, $times * $n, "$gpu $query", "$gpu $sum");
	my @unnest = by_unnest($what);
	keep($what =~ s/gpu_|\(a\)//gr =~ s/, /_/gr, @$ours);
	report_ratios("`$what`, " . content($table) . ', resident, against `gpu_sum(a)`', $goal,
		'ours ' . spread('ms', @$ours) . ', gpu_sum ' . spread('ms', @$sums)
		  . '; the same of `unnest(a)` ' . spread('ms', @unnest) . ', measured on 5 arrays and scaled',
		ratios($ours, $sums));
}

# A part of an array, by the settings' own choice of an engine.
sub of_a_part
{
	my @lists = latencies($rounds, '', "SELECT gpu_array_sum(a[500001:501000]) FROM $table WHERE id = 1", 'SELECT 1');

	report_more_us('`gpu_array_sum(a[500001:501000])` of a resident array of 1M float8', '<= 60 µs', @lists, '');
}

bring_up('gpuagg.staging_size', '1GB');
part('reductions', sub { against_sum(@$_) for @figures });
part('part', \&of_a_part);
write_page('reduce', 'reductions of resident arrays', "No parallel workers, no JIT.\n"
	  . "Medians of $rounds rounds in which the sides took turns; in brackets the 10th to the 90th percentile.\n", '');
exit(failed_parts() ? 1 : 0);
