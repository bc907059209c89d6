#!/usr/bin/perl
# cards.pl: measures several cards against one.
#
# Runs under test/bin/with-cluster (see test/bin/bench), whose shared buffers hold
# the tables (Arrays.pm).  CARDS='0 0,1' names the two values of gpuagg.device that
# are compared; they take turns, and gpuaggd starts anew for each.  The results
# have to be those of the CPU, by bits.
#
# Prints tables in Markdown, and writes them to
# test/bench/results/<date>-<device>-cards.md, and the times beside it, as .tsv.
# SIZE=0.001 has a thousandth of the data; ROUNDS says how often; PARTS=fit measures
# that part alone (resident, fit).  A part that fails is a row, and the exit status
# is 1.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Arrays;
use Bench;
use Page;

my $rounds = $ENV{ROUNDS} || 3;
my $n_queries = 25;
my $n_early = 7;    # the first of these, whose ratio is shown, too
my $emulated = ($ENV{DEVICE} || '') eq 'emulated';
my ($one, $several) = split ' ', $ENV{CARDS} || ($emulated ? 'emulated emulated:2' : '0 0,1');
my $n_cards = count($several);

# Returns how many devices a value of gpuagg.device names.
sub count { my ($cards) = @_; return $cards =~ /^emulated:(\d+)$/ ? $1 : 1 + ($cards =~ tr/,//) }

use_tables(['arrays_10gb']);

my $big = content($big_table);
my $n = n_arrays($big_table);
my $sum = "SELECT gpu_sum(a) FROM $big_table";
my $first = first_query($big_table, 15);
my $tables = '';

# Lets gpuaggd use these cards, and nothing be resident.
sub use_cards
{
	my ($cards) = @_;

	bring_up('gpuagg.device', $cards, count($cards));
	psql('SELECT gpuagg_cache_clear()');
}

# Does something with one card and with several, in turns: for each of the two the
# list of what it returned.
sub with_cards
{
	my ($code) = @_;
	my %all;

	for my $round (1 .. $rounds)
	{
		for my $which ($round % 2 ? qw(one several) : qw(several one))
		{
			use_cards($which eq 'one' ? $one : $several);
			push @{ $all{$which} }, $code->();
		}
	}
	server_setting('gpuagg.device');
	return @all{qw(one several)};
}

# The bits of some results: of all arrays, of groups, and of each.
sub bits
{
	my ($engine) = @_;

	return psql("$engine " . helpers(15) . " SELECT encode(float8send(gpu_sum(a)), 'hex') FROM $big_table;\n"
		  . "SELECT md5(string_agg(encode(float8send(s), 'hex'), '' ORDER BY g)) FROM (SELECT g, gpu_sum(a) AS s FROM $big_table GROUP BY g) q;\n"
		  . "SELECT md5(string_agg(encode(float8send(gpu_array_sum(a)), 'hex'), '' ORDER BY id)) FROM $big_table WHERE id <= 50;\n");
}

sub arrays_by_card { return psql("SELECT string_agg(device || ': ' || entries, ', ' ORDER BY device) FROM gpuagg_cache WHERE relation = '$big_table'::regclass") }

sub resident
{
	my $cpu_bits = bits($cpu);
	my $same = 1;
	my ($on_one, $on_several) = with_cards(sub {
		my ($cold) = turns({ rounds => 2, cold => 1 }, $n, $first);
		# This also warms up cards that had little to do.
		$same = 0 if bits($gpu) ne $cpu_bits;
		my ($ms) = turns($n_queries, $n, "$gpu $sum");
		return { cold => $cold, ms => $ms, early => [ @$ms[ 0 .. $n_early - 1 ] ], by_card => arrays_by_card() };
	});
	my %ms = map { my $what = $_; ($what => [ map { [ map { @{ $_->{$what} } } @$_ ] } $on_one, $on_several ]) } qw(ms early cold);
	my ($resident_1, $resident_n) = @{ $ms{ms} };
	my ($cold_1, $cold_n) = @{ $ms{cold} };
	my $by_card = "arrays by card: $on_several->[-1]{by_card}";

	report('results of one card, of several and of the CPU, by bits', 'the same', $same ? 'the same' : 'different', $same,
		'of all arrays, of groups and of 50 arrays');
	report_ratios("$big, resident on $n_cards cards against one", '<= 0.6 times the time',
		'one ' . spread('ms', @$resident_1) . ", $n_cards " . spread('ms', @$resident_n) . "; $by_card; of the first $n_early queries of a session " . spread('', ratios(reverse @{ $ms{early} })), ratios($resident_n, $resident_1));
	$tables .= "\n## First query\n\n$big, 15 helpers: one card " . spread('ms', @$cold_1) . ", $n_cards cards " . spread('ms', @$cold_n)
	  . ', ratio ' . spread('', ratios($cold_n, $cold_1)) . ".\n";
	keep('resident_one', @$resident_1);
	keep('resident_several', @$resident_n);
	keep('first_one', @$cold_1);
	keep('first_several', @$cold_n);
}

# How many arrays a third query finds resident where one card holds 2 of 5.
sub fit
{
	my $mb = int(n_elements($big_table) * 8 * 0.4 / 2**20);

	$mb = 40 if $mb < 40;    # for a try: one array at least fits
	server_setting('gpuagg.cache_size', "${mb}MB");
	my ($on_one, $on_several) = eval { with_cards(sub {
		my $hits = "SELECT coalesce(sum(hits), 0) FROM gpuagg_session_stat;";
		my (undef, undef, $before, undef, $after) = split /\n/, psql(helpers(15) . "\n$gpu\n$sum;\n$sum;\n$hits\n$sum;\n$hits\n");
		return $after - $before;
	}) };
	my $error = $@;
	server_setting('gpuagg.cache_size');
	die $error if $error;
	die "nothing is resident\n" if grep { $_ == 0 } @$on_one;
	report_ratios("arrays that are resident on $n_cards cards against one, of $big, `gpuagg.cache_size` = $mb MB", '>= ' . $n_cards . ' times',
		'one ' . spread('', @$on_one) . ", $n_cards " . spread('', @$on_several), ratios($on_several, $on_one));
	keep('fit_one', @$on_one);
	keep('fit_several', @$on_several);
}

bring_up('gpuagg.staging_size');    # as it is by default
part('resident', \&resident);
part('fit', \&fit);
write_page('cards', 'several cards', "`gpuagg.device` is '$one' and '$several', in turns; no JIT.\n"
	  . "Medians of $rounds rounds of $n_queries queries, and of 2 first queries; in brackets the 10th to the 90th percentile.\n", $tables);
exit(failed_parts() ? 1 : 0);
