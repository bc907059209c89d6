#!/usr/bin/perl
# ladder.pl: measures the ladder of teaching kernels, on the device at hand.
#
# Runs under test/bin/with-cluster (see test/bin/bench), which made a server.
# Asks gpuagg_bench_reduce and gpuagg_bench_scan for what the classic tables
# have, and for floats, whose errors are to be seen; and writes all rows to
# test/bench/results/<date>-<device>-ladder.tsv.  ladder-page makes tables and a
# plot of them.  ROUNDS is how often each kernel runs, 20 if nothing is said.
#
# An answer that was wrong ends it without figures: integers have one sum, and
# what is exact has the same bits always.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Bench;
use Page;

my $rounds = $ENV{ROUNDS} || 20;

# ladder, type, elements; the classics are integer, of these sizes
my @runs = (
	['reduce', 'integer', 4194304],
	['reduce', 'integer', 10000000],
	(map { my $n = $_; map { [ $_, 'integer', $n ] } qw(scan exclusive-scan) } 100000, 1000000, 25000000),
	map { my $ladder = $_; map { [ $ladder, 'double precision', $_ ] } 4194304, 16777216 } qw(reduce scan));

# what the functions return
my @columns = qw(kernel elements time_ms gb_per_s copy_share step_speedup
	total_speedup cpu_speedup max_error same_bits);

# --- the device

psql('SET client_min_messages = warning; CREATE EXTENSION IF NOT EXISTS gpuagg');
my $device = device();
my $card = (split /,/, $device)[0];
my $m = machine();

# What the NVIDIA driver says about itself; nothing where there is none.
sub driver_words
{
	open my $in, '<', '/proc/driver/nvidia/version' or return '';
	return scalar <$in>;
}

# --- the rows

sub run_query
{
	my ($ladder, $type, $n) = @_;
	my $call = $ladder eq 'reduce' ? "gpuagg_bench_reduce($n, '$type', $rounds)"
		: "gpuagg_bench_scan($n, '$type', $rounds, " . ($ladder eq 'scan' ? 'false' : 'true') . ')';

	print STDERR "bench: $call\n";
	my $out = psql("\\pset fieldsep '\\t'\n\\pset null '-'\nSELECT " . join(', ', @columns) . " FROM $call;\n");
	return map {
		my %row = (ladder => $ladder, type => $type);
		@row{@columns} = split /\t/, $_, -1;
		\%row;
	} split /\n/, $out;
}

# Dies unless there is what others are measured against, and a kernel at all.
sub check_rows
{
	my ($ladder, $type, $n, @rows) = @_;
	my %has = map { $_->{kernel} => 1 } @rows;

	die "$card has no ladder of kernels: nothing is written\n"
		unless grep { $_->{kernel} ne 'cpu' } @rows;
	for (qw(copy cpu exact))
	{
		die "$ladder of $n $type has no row \"$_\": nothing is written\n" unless $has{$_};
	}
}

# Was an answer wrong?  Floats may round, but not in the exact kernel; a copy
# answers nothing.
sub is_wrong
{
	my ($row) = @_;

	return 0 if $row->{kernel} eq 'copy';
	return 0 if $row->{type} ne 'integer' && $row->{kernel} ne 'exact';
	return $row->{same_bits} eq 'f' || ($row->{max_error} ne '-' && $row->{max_error} != 0);
}

my $start = time;
my @rows;

for my $run (@runs)
{
	my @of = run_query(@$run);

	check_rows(@$run, @of);
	push @rows, @of;
}
my @wrong = map { "$_->{ladder} $_->{kernel} of $_->{elements} $_->{type}" } grep { is_wrong($_) } @rows;
die "wrong answers, nothing is written: @{[ join ', ', @wrong ]}\n" if @wrong;
printf STDERR "bench: %d s\n", time - $start;

my %about = (
	card => $card, device => $device, driver => nvidia_driver(driver_words()),
	processor => "$m->{name} ($m->{cores} cores, $m->{memory_gb} GB)",
	postgresql => psql('SHOW server_version'), date => date(), rounds => $rounds,
	command => join ' ', 'make bench-ladder', map { "$_=$ENV{$_}" } grep { $ENV{$_} } qw(DEVICE ROUNDS));
my $file = write_results("$card-ladder", '.tsv',
	figures_text('gpuagg ladder', \%about, [ 'ladder', 'type', @columns ], \@rows));
exec $^X, "$FindBin::Bin/ladder-page", $file or die "ladder-page: $!\n";
