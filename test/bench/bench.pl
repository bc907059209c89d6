#!/usr/bin/perl
# bench.pl: measures the figures of the README, as ratios within one run.
#
# Runs under test/bin/with-cluster (see test/bin/bench), which made a server.
# The two queries of a figure take turns; medians are compared.  Prints a
# table in Markdown and the times behind it, and writes both to
# test/bench/results/<date>-<processor>.md.  ROUNDS sets how often.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Bench;

# These are figures of the CPU, wherever they are taken.
$Bench::settings .= "SET gpuagg.engine = cpu;\n";

my $rounds = $ENV{ROUNDS} || 11;
my $memory = shift or die "usage: bench.pl MEMORY_PROGRAM\n";

# figure, goal (a limit on the ratio: "<=" of times, ">=" of speed), the
# query, what it is compared with, and how often that is run if it is slow
my @figures = (
	["`gpu_sum(a)`, 50 arrays of 1M float8, against `sum(x) FROM t, unnest(a) x`", ">= 30",
		"SELECT gpu_sum(a) FROM arrays_1m",
		"SELECT sum(x) FROM arrays_1m, unnest(a) x", 3],
	["the same against a plain C aggregate (detoast and a naive loop)", "<= 1.1",
		"SELECT gpu_sum(a) FROM arrays_1m",
		"SELECT naive_sum(a) FROM arrays_1m"],
	["`gpu_sum(x)`, 10M rows of float8, against `SUM(x)`", "<= 1.3",
		"SELECT gpu_sum(x) FROM rows_10m",
		"SELECT sum(x) FROM rows_10m"],
	["100,000 groups of 10 rows, hashed, against `SUM(x::numeric)`", "<= 1",
		"SELECT max(s) FROM (SELECT gpu_sum(x) AS s FROM rows_1m GROUP BY g) q",
		"SELECT max(s) FROM (SELECT sum(x::numeric) AS s FROM rows_1m GROUP BY g) q"],
	["`OVER (ROWS BETWEEN 100 PRECEDING AND CURRENT ROW)`, 1M rows, against `SUM(float8)`", ">= 8",
		"SELECT max(s) FROM (SELECT gpu_sum(x) OVER (ORDER BY i ROWS BETWEEN 100 PRECEDING AND CURRENT ROW) AS s FROM rows_1m) q",
		"SELECT max(s) FROM (SELECT sum(x) OVER (ORDER BY i ROWS BETWEEN 100 PRECEDING AND CURRENT ROW) AS s FROM rows_1m) q", 3],
	["20,000 inline arrays of 100 float8, against the plain C aggregate", "<= 1.15",
		"SELECT gpu_sum(a) FROM arrays_100",
		"SELECT naive_sum(a) FROM arrays_100"],
	["20,000 inline arrays of 1000 float8, against the plain C aggregate", "<= 1.15",
		"SELECT gpu_sum(a) FROM arrays_1000",
		"SELECT naive_sum(a) FROM arrays_1000"],
	["`gpu_array_cumsum(a)` of 10M float8 against `sum(x) OVER (ORDER BY o)` on unnest, collected by array_agg", ">= 30",
		"SELECT cardinality(gpu_array_cumsum(a)) FROM array_10m",
		"SELECT cardinality(array_agg(s)) FROM (SELECT sum(x) OVER (ORDER BY o) AS s FROM array_10m, unnest(a) WITH ORDINALITY u(x, o)) q", 5],
	["`SELECT gpu_cumsum(a)`, 10M rows, against `SELECT unnest(a)`", "<= 1.2",
		"SELECT max(x) FROM (SELECT gpu_cumsum(a) AS x FROM array_10m) q",
		"SELECT max(x) FROM (SELECT unnest(a) AS x FROM array_10m) q"],
	["`gpu_cumsum(x) OVER (ROWS UNBOUNDED PRECEDING)`, 10M rows, against `SUM(x)`", "<= 1",
		"SELECT max(s) FROM (SELECT gpu_cumsum(x) OVER (ROWS UNBOUNDED PRECEDING) AS s FROM rows_10m) q",
		"SELECT max(s) FROM (SELECT sum(x) OVER (ROWS UNBOUNDED PRECEDING) AS s FROM rows_10m) q", 5],
);

my @times;

# A ratio of two times, and the times behind it.
sub compare
{
	my ($figure, $goal, $ours, $theirs, $unit, @spread) = @_;
	my ($how, $limit) = split ' ', $goal;
	my $ratio = $how eq '<=' ? $ours / $theirs : $theirs / $ours;

	report($figure, $how eq '<=' ? "<= $limit times its time" : ">= $limit times faster",
		sprintf('%.2f', $ratio), met($ratio, $goal));
	push @times, sprintf("| %s | %s | %s | %s |\n", $figure,
		sprintf($unit, $ours), sprintf($unit, $theirs),
		join('; ', map { sprintf("$unit to $unit", @$_) } @spread));
}

# In memory: the program prints name, median, lowest and highest.
sub in_memory
{
	my (%ns, %spread);

	for (`$memory`)
	{
		chomp;
		my ($name, $middle, $lowest, $highest) = split /\t/;
		$ns{$name} = $middle;
		$spread{$name} = [ $lowest, $highest ];
		push @times, "| $name | $middle ns | | $lowest to $highest ns |\n";
	}
	die "$memory failed\n" if $? || !%ns;

	my $family = sub {
		my ($title, $pattern) = @_;
		my ($best) = sort { $ns{$a} <=> $ns{$b} }
			grep { /^\Q$title\E, $pattern/ } keys %ns;
		return $best;
	};
	my ($used) = map { "float8, $_" } split /\s+/, psql(
		"SELECT DISTINCT implementation FROM gpuagg_session_stat WHERE engine = 'cpu'");
	my $simd = $family->('float8', 'vector loop');
	my $wide = "float8, exponents +-1000, " . ($used =~ s/.*, //r);

	for (["exact float8 sum of 2^24 elements in memory against the fastest inexact vector loop", "<= 1.3", $used, $simd],
		["the same against a sequential loop", "<= 0.6", $used, "float8, sequential loop"],
		["float8 with exponents over the whole range against a sequential loop", "<= 3", $wide, "float8, exponents +-1000, sequential loop"],
		["exact running total of 2^24 elements in memory against a naive loop, AVX-512", "<= 1.2", "running total, avx512", "running total, naive loop"],
		["the same, AVX2", "<= 2", "running total, avx2", "running total, naive loop"])
	{
		my ($figure, $goal, $ours, $theirs) = @$_;
		next unless $ns{$ours};		# not on this processor
		compare($figure, $goal, $ns{$ours}, $ns{$theirs}, '%.3f ns', $spread{$ours}, $spread{$theirs});
	}
}

sub in_sql
{
	for (@figures)
	{
		my ($figure, $goal, $query, $other, $n) = @$_;
		my ($ours, $theirs) = take_turns($n || $rounds, $query, $other);
		my $range = sub { my @s = sort { $a <=> $b } @_; return [ @s[ 0, -1 ] ] };
		compare($figure, $goal, median(@$ours), median(@$theirs), '%.1f ms',
			$range->(@$ours), $range->(@$theirs));
	}
}

# Bytes of a group in a hash table, ours and SUM's.
sub group_memory
{
	my $of = sub {
		my ($kb) = psql("EXPLAIN (ANALYZE, TIMING OFF) SELECT $_[0] FROM rows_1m GROUP BY g")
			=~ /Memory Usage: (\d+)kB/;
		return $kb * 1024 / 100000;
	};
	return sprintf("A group of 10 rows takes %.0f bytes with `gpu_sum(x)`, %.0f with `SUM(x::numeric)`\n"
		. "and %.0f with `SUM(x)`, hash table included.\n",
		$of->('gpu_sum(x)'), $of->('sum(x::numeric)'), $of->('sum(x)'));
}

print STDERR "bench: measuring\n";
in_memory();
in_sql();
my $groups = group_memory();
my $implementation = psql("SELECT DISTINCT implementation FROM gpuagg_session_stat WHERE engine = 'cpu'");
my $pg = psql('SHOW server_version');
my $machine = machine();
my $text = "# `make bench`, " . date() . "\n\n"
	. "$machine->{name} (model $machine->{model}, $machine->{cores} cores, one used), CPU engine $implementation,\n"
	. "PostgreSQL $pg, tables in shared_buffers, no parallel workers. Ratios of medians; the two sides took turns in one run.\n\n"
	. figures()
	. "\n$groups\n## The times\n\n"
	. "| figure | ours | the other | lowest to highest |\n| --- | --- | --- | --- |\n"
	. join('', @times);
write_results($machine->{name}, '.md', $text);
print $text;
