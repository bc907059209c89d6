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
use Peers;
use Pgbench;

my $rounds = $ENV{ROUNDS} || 15;
my $table = 'arrays_10gb';

# Two arrays for products, each nearly as long as one can be.
my $pair = 'array_100m';
my $pair_length = scaled(100_000_000);

use_tables([$table, 'array_10m'], $pair => [2, $pair_length, 'random_array', 'out of line']);

my $n = n_arrays($table);
my $sum = "SELECT gpu_sum(a) FROM $table";

# What, its goal, and how often the device has to have done all arrays.
my @figures = (
	(map { ["gpu_$_(a)", '<= 1.05 times its time', 1] } qw(count avg min max)),
	(map { ["gpu_$_(a)", '<= 1.3 times its time', 1] } qw(var_samp stddev_pop)),
	['gpu_sum(a), gpu_avg(a), gpu_count(a)', '<= 1.05 times its time', 1],
	['gpu_min(a), gpu_max(a)', '<= 2.1 times its time', 2],
	['gpu_dot(a, a)', '<= 2.1 times its time', 2],
);

# The rounding sum over what unnest gives, for part of the arrays.
sub by_unnest
{
	my ($what) = @_;
	my $part = $n < 5 ? $n : 5;
	my $core = $what =~ s/gpu_//gr =~ s/\(a\)/(x)/gr =~ s/dot\(a, a\)/sum(x * x)/r;
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
	keep($what =~ s/gpu_|\(a(, a)?\)//gr =~ s/, /_/gr, @$ours);
	report_ratios("`$what`, " . content($table) . ', resident, against `gpu_sum(a)`', $goal,
		'ours ' . spread('ms', @$ours) . ', gpu_sum ' . spread('ms', @$sums)
		  . '; the same of `unnest(a)` ' . spread('ms', @unnest) . ', measured on 5 arrays and scaled',
		ratios($ours, $sums));
}

# A figure: ms of ours against those of a peer that was asked n times; no figure
# without the peer.
sub against_peer
{
	my ($what, $goal, $peer, $n, $ours, $detail) = @_;
	my ($theirs) = peer_ms($peer, $n);

	return report($what, $goal, why_no_peer($peer), 0, 'ours ' . spread('ms', @$ours)) if !$theirs;
	my @r = map { $goal =~ /^<=/ ? $_ / $theirs : $theirs / $_ } @$ours;
	report_ratios($what, $goal, 'ours ' . spread('ms', @$ours) . ", $detail " . number($theirs) . " ms (median of $n)", @r);
}

# The product of two arrays of a row, and of two rows, which are joined, against
# torch's of as many elements on the same card.
sub dot
{
	my $of_rows = "SELECT gpu_array_dot(x.a, y.a) FROM $pair x, $pair y WHERE x.id = 1 AND y.id = 2";
	my $query = 'SELECT gpu_array_dot(a, b) FROM pair_in_a_row';

	psql("CREATE UNLOGGED TABLE arrays.pair_in_a_row AS SELECT a, a AS b FROM $pair WHERE false;\n"
		  . "ALTER TABLE arrays.pair_in_a_row ALTER a SET STORAGE EXTERNAL, ALTER b SET STORAGE EXTERNAL;\n"
		  . "INSERT INTO arrays.pair_in_a_row SELECT x.a, y.a FROM $pair x, $pair y WHERE x.id = 1 AND y.id = 2");
	check_query(2, $query);
	check_query(2, $of_rows);
	my ($us, $rows_us) = latencies($rounds, assert_session(), $query, $of_rows);
	my @ms = map { $_ / 1000 } @$us;
	keep('dot', @ms);
	start_peers($pair_length, 1);
	against_peer('`gpu_array_dot` of two resident arrays of ' . commas($pair_length) . ' float8 in a row, prepared, against torch.dot',
		'<= 1.1 times its time', 'device_dot_torch', 50, \@ms,
		'of two rows, joined, ' . spread('ms', map { $_ / 1000 } @$rows_us) . ', torch.dot and `.item()`');
	stop_peers();
}

# Sums by position, against those of a matrix.
sub elem
{
	my $what = '`gpu_elem_sum(a)`, ' . content($table) . ', resident';
	my $query = "SELECT cardinality(gpu_elem_sum(a)) FROM $table";
	my $part = $n < 100 ? $n : 100;

	check_query($part, "SELECT md5(gpu_elem_sum(a)::text), md5(gpu_elem_avg(a)::text) FROM $table WHERE id <= $part");
	check_query($part, "SELECT md5(gpu_elem_min(a)::text), md5(gpu_elem_max(a)::text) FROM $table WHERE id <= $part");
	check_query($n, $query);
	my ($ours, $sums) = resident_turns($rounds, $n, "$gpu $query", "$gpu $sum");
	keep('elem_sum', @$ours);
	my ($counts, $maxima) = resident_turns($rounds, $n, map { "$gpu SELECT cardinality(gpu_elem_$_(a)) FROM $table" } qw(count max));
	my ($by_cpu) = take_turns(2, "$cpu $query");
	report_ratios("$what, against `gpu_sum(a)`", '<= 3 times its time',
		'ours ' . spread('ms', @$ours) . ', gpu_sum ' . spread('ms', @$sums) . ', the CPU engine ' . spread('ms', @$by_cpu)
		  . ', `gpu_elem_count(a)` ' . spread('ms', @$counts) . ', `gpu_elem_max(a)` ' . spread('ms', @$maxima), ratios($ours, $sums));
	start_peers(n_elements($table), n_elements($table) / $n);
	against_peer("$what, against torch `g.sum(0).cpu()` on the card", '<= 2 times its time', 'device_elem_torch', 20, $ours, 'torch');
	against_peer("$what, against numpy `a.sum(axis=0)` on all cores", '>= 100 times faster', 'elem_numpy', 3, $ours, 'numpy');
	stop_peers();
}

# A value for each array, against one for all.
sub each_row
{
	my $query = "SELECT sum(gpu_array_sum(a)) FROM $table";
	my $part = $n < 100 ? $n : 100;

	check_query($part, "SELECT md5(string_agg(gpu_array_sum(a)::text || gpu_array_var_samp(a), ' ' ORDER BY id)) FROM $table WHERE id <= $part");
	my ($ours, $sums, $by_cpu) = turns($rounds, $n, "$gpu $query", "$gpu $sum", "$cpu $query");
	keep('array_sum', @$ours);
	report_ratios('`gpu_array_sum(a)` of each row, ' . content($table) . ', resident, against `gpu_sum(a)`', '<= 3 times its time',
		'ours ' . spread('ms', @$ours) . ', gpu_sum ' . spread('ms', @$sums) . ', the CPU engine ' . spread('ms', @$by_cpu), ratios($ours, $sums));
}

# A value for every 1,000 elements, against one for all.
sub buckets
{
	my $query = "SELECT sum(cardinality(gpu_array_bucket_sum(a, 1000))) FROM $table";
	my $part = $n < 20 ? $n : 20;

	check_query($part, "SELECT md5(string_agg(gpu_array_bucket_sum(a, 1000)::text, ' ' ORDER BY id)) FROM $table WHERE id <= $part");
	my ($ours, $sums, $by_cpu) = turns($rounds, $n, "$gpu $query", "$gpu $sum", "$cpu $query");
	my ($one) = latencies(3, '', 'SELECT cardinality(gpu_array_bucket_sum(a, 1000)) FROM ' . "$table WHERE id = 1", 'SELECT 1');
	keep('bucket_sum', @$ours);
	report_ratios('`gpu_array_bucket_sum(a, 1000)`, ' . content($table) . ', resident, against `gpu_sum(a)`', '<= 2 times its time',
		'ours ' . spread('ms', @$ours) . ', gpu_sum ' . spread('ms', @$sums) . ', the CPU engine ' . spread('ms', @$by_cpu)
		  . ', one array, prepared ' . spread('µs', @$one), ratios($ours, $sums));
}

# A value for every element, of it and of elements before it, against running totals.
sub moving
{
	my $totals = 'SELECT cardinality(gpu_array_cumsum(a)) FROM array_10m';

	for my $what ('gpu_array_moving_sum(a, 9)', 'gpu_array_moving_sum(a, 99)', 'gpu_array_moving_max(a, 99)', 'gpu_array_cummax(a)', 'gpu_array_delta(a)')
	{
		my $query = "SELECT cardinality($what) FROM array_10m";

		check_query(1, "SELECT md5($what\::text) FROM array_10m");
		my ($ours, $sums, $by_cpu) = turns($rounds, 1, "$gpu $query", "$gpu $totals", "$cpu $query");
		keep($what =~ s/gpu_array_|\(a|\)//gr =~ s/, /_/gr, @$ours);
		report_ratios("`$what`, " . content('array_10m') . ', resident, against `gpu_array_cumsum(a)`', '<= 1.3 times its time',
			'ours ' . spread('ms', @$ours) . ', gpu_array_cumsum ' . spread('ms', @$sums) . ', the CPU engine ' . spread('ms', @$by_cpu), ratios($ours, $sums));
	}
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
part('dot', \&dot);
part('elem', \&elem);
part('rows', \&each_row);
part('buckets', \&buckets);
part('moving', \&moving);
write_page('reduce', 'reductions of resident arrays', "No parallel workers, no JIT.\n"
	  . "Medians of $rounds rounds in which the sides took turns; in brackets the 10th to the 90th percentile.\n", '');
exit(failed_parts() ? 1 : 0);
