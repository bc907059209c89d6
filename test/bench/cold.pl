#!/usr/bin/perl
# cold.pl: measures the first query over stored arrays, by as many processes as the
# server allows, and what is beside it: resident arrays, and other programs.
#
# Runs under test/bin/with-cluster (see test/bin/bench), whose shared buffers hold
# the tables (Arrays.pm).  The sides of a figure take turns, other programs too
# (Peers.pm); medians are compared.  A first query finds no resident array, since
# gpuagg_cache_clear() came before it.
#
# Prints tables in Markdown, and writes them to
# test/bench/results/<date>-<device>-cold.md, and the times beside it, as .tsv.
# SIZE=0.001 has a thousandth of the data; ROUNDS says how often; PARTS=first,peers
# measures these parts alone (first, compressed, half, resident, sessions, before,
# reader, peers).  A part that fails is a row, and the exit status is 1.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Arrays;
use Bench;
use Page;
use Peers;
use Pgbench;

my $rounds = $ENV{ROUNDS} || 3;
my @helpers = (0, 2, 4, 8, 15);    # 2 is PostgreSQL's default

use_tables([qw(arrays_10gb arrays_8kb arrays_pglz array_10m)],
	arrays_lz4 => [scaled(100), 1000000, 'decimal_array', 'out of line, compressed', 'lz4'],
	arrays_100 => [scaled(20000), 100, 'random_array', 'in line'],
	arrays_1000 => [scaled(20000), 1000, 'random_array', 'in line']);

my $big = content($big_table);
my $sum = "SELECT gpu_sum(a) FROM $big_table";
my $tables = '';

sub cpu_query { my ($table, $n) = @_; return helpers($n) . " $cpu SELECT gpu_sum(a) FROM $table" }

# Dies unless queries have one and the same result.
sub assert_same
{
	my %results = map { psql("$_;") =~ s/^\d+\n//r => 1 } @_;

	die 'results differ: ' . join(', ', sort keys %results) . "\n" if keys %results != 1;
}

# take_turns without a round to warm up, and how many arrays the device should have
# done and did, in words; nothing if it did all.
sub cold_turns
{
	my ($how, $n, @queries) = @_;
	my ($done, @lists) = done_by(sub { take_turns({ rounds => $rounds, cold => 1, %$how }, @queries) });
	my $missing = $n * $rounds - $done->{gpu};

	return ($missing > 0 ? sprintf('; **the device did not do %d of %d arrays**', $missing, $n * $rounds) : '', @lists);
}

sub in_seconds { return map { $_ / 1000 } @_ }

# --- the first query

sub first
{
	my $copies = peer_ms('copy_torch', 1);
	my @sides = ((map { first_query($big_table, $_) } @helpers), (map { cpu_query($big_table, $_) } @helpers));

	assert_same(map { ($sides[$_], $sides[ @helpers + $_ ]) } 0, $#helpers);
	push @sides, peer_side('copy_torch') if $copies;
	my ($remark, @lists) = cold_turns({}, @helpers * n_arrays($big_table), @sides);
	my @device = splice @lists, 0, @helpers;
	my @cpu = splice @lists, 0, @helpers;
	my $copy = $lists[0];

	report_most("first query, $big, 2 helpers (PostgreSQL's default)", '<= 1.0 s', 's', $remark, in_seconds(@{ $device[1] }));
	report_most('the same, 15 helpers', '<= 0.40 s', 's', $remark, in_seconds(@{ $device[-1] }));
	report_ratios('the same against `.cuda()` of torch, from plain memory', '<= 1 times its time',
		'first query ' . spread('ms', @{ $device[-1] }) . ', torch ' . spread('ms', @$copy), ratios($device[-1], $copy)) if $copies;
	report_most("CPU engine, $big, 15 helpers", '<= 0.40 s', 's', '', in_seconds(@{ $cpu[-1] }));
	$tables .= "\n## First query\n\nms for $big, by helpers. No table has a setting of its own.\n"
	  . ($copies ? 'torch copies the same bytes from plain memory to the device in ' . spread('ms', @$copy) . ".\n\n" : 'No copy by torch: ' . why_no_peer('copy_torch') . ".\n\n")
	  . head_row('helpers', 'first query, device', 'CPU engine')
	  . join('', map { row($helpers[$_], spread('', @{ $device[$_] }), spread('', @{ $cpu[$_] })) } 0 .. $#helpers);
	keep("first_$helpers[$_]", @{ $device[$_] }) for 0 .. $#helpers;
	keep("cpu_$helpers[$_]", @{ $cpu[$_] }) for 0 .. $#helpers;
	keep('copy_torch', @$copy) if $copies;
}

# The same of compressed arrays: 15 helpers against none.
sub compressed
{
	for my $method (qw(pglz lz4))
	{
		my $table = "arrays_$method";
		my @sides = map { (first_query($table, $_), cpu_query($table, $_)) } 0, 15;
		my $what = content($table) . " with 2 decimals, compressed by $method, 15 helpers against none";

		assert_same(@sides);
		my ($remark, $none, $cpu_none, $many, $cpu_many) = cold_turns({}, 2 * n_arrays($table), @sides);
		report_ratios("first query, $what", '>= 6 times faster', 'none ' . spread('ms', @$none) . ', 15 ' . spread('ms', @$many) . $remark, ratios($none, $many));
		report_ratios("CPU engine, $what", '>= 6 times faster', 'none ' . spread('ms', @$cpu_none) . ', 15 ' . spread('ms', @$cpu_many), ratios($cpu_none, $cpu_many));
		keep("${method}_0", @$none);
		keep("${method}_15", @$many);
		keep("${method}_cpu_0", @$cpu_none);
		keep("${method}_cpu_15", @$cpu_many);
	}
}

# A device that holds half of the arrays.
sub half
{
	my $mb = int(n_elements($big_table) * 8 / 2 / 2**20);
	my $again = helpers(15) . " $gpu $sum";

	bring_up('gpuagg.cache_size', "${mb}MB");
	my ($remark, $cold, undef, $third) = cold_turns({ fixed => 1 }, 3 * n_arrays($big_table), first_query($big_table, 15), $again, $again);
	my $resident = psql('SELECT coalesce(sum(entries), 0) FROM gpuagg_cache');
	assert_same($again, cpu_query($big_table, 15));
	bring_up('gpuagg.cache_size');
	report_ratios("$big, `gpuagg.cache_size` of half of that ($mb MB), 15 helpers: third query against a first one", '<= 0.6 times its time',
		'first ' . spread('ms', @$cold) . ', third ' . spread('ms', @$third) . ', ' . commas($resident) . " arrays resident$remark", ratios($third, $cold));
	keep('half_first', @$cold);
	keep('half_third', @$third);
}

# --- resident arrays

sub resident
{
	my @cupy = peer_ms('device_sum_cupy', 3);
	my @torch = peer_ms('device_sum_torch', 3);

	assert_same(helpers(15) . " $gpu $sum", cpu_query($big_table, 15));
	if (!@cupy)
	{
		my ($ours) = resident_turns(7 * $rounds, n_arrays($big_table), "$gpu $sum");

		keep('resident', @$ours);
		$tables .= "\nResident, $big: " . spread('ms', @$ours) . '. No cupy: ' . why_no_peer('device_sum_cupy') . ".\n";
		return;
	}
	# The device changes from one process to another before the first of the two
	# queries, not before the second one.
	my ($after_cupy, $after_ours, $cupy) = resident_turns({ rounds => 7 * $rounds, fixed => 1 }, 2 * n_arrays($big_table),
		"$gpu $sum", "$gpu $sum", peer_side('device_sum_cupy'));
	my $beside = 'cupy by its events ' . spread('ms', @$cupy) . sprintf(', by the wall clock with synchronization %.3f ms (median of 3)', $cupy[1])
	  . (@torch ? sprintf(', torch, to the host, %.3f ms', $torch[0]) : '');
	keep('resident', @$after_ours);
	keep('resident_after_cupy', @$after_cupy);
	keep('device_sum_cupy', @$cupy);
	report_ratios("$big, resident, in a session that has asked before, against cupy's `.sum()` of one flat array of the same size on the device; after a query of the same session", '<= 1.15 times its time',
		'resident ' . spread('ms', @$after_ours) . ", $beside", ratios($after_ours, $cupy));
	report_ratios('the same right after cupy in its own process', '<= 1.15 times its time', 'resident ' . spread('ms', @$after_cupy), ratios($after_cupy, $cupy));
}

# What the first query of a new session takes more than its later ones, ms.
sub more_at_first
{
	my ($preparation, $query) = @_;
	my @more;

	for (1 .. 15 * $rounds)
	{
		my ($first, @later) = first_and_later($preparation, $query, 6);
		push @more, $first - median(@later);
	}
	return @more;
}

sub sessions
{
	psql(helpers(15) . " $gpu $sum");
	my @more = more_at_first($gpu, $sum);
	my @count = more_at_first('', "SELECT count(a) FROM $big_table");
	my @library = more_at_first($cpu, "SELECT gpu_array_sum('{1}'::float8[])");
	report_most("$big, resident, first query of a new session, over later ones", '<= 0.7 ms', 'ms',
		", of which PostgreSQL's own, by `count(a)` of the same table, " . spread('ms', @count)
		  . "; a sum of one element by the CPU, which loads the library, takes " . spread('ms', @library) . ' more at first', @more);
	keep('new_session', @more);
	keep('new_session_count', @count);
	keep('new_session_library', @library);
}

# What must not become slower: no goal here, since it is compared with a run of
# another version.
sub before
{
	my $totals = 'SELECT cardinality(gpu_array_cumsum(a)) FROM array_10m';
	my @rows;

	for my $figure ([$big_table, $sum, 'resident'], ['arrays_8kb', 'SELECT gpu_sum(a) FROM arrays_8kb', 'resident'], ['array_10m', $totals, 'resident'],
		['arrays_100', 'SELECT gpu_sum(a) FROM arrays_100', 'in line'], ['arrays_1000', 'SELECT gpu_sum(a) FROM arrays_1000', 'in line'])
	{
		my ($table, $query, $where) = @$figure;
		my $n = $where eq 'resident' ? n_arrays($table) : 0;
		# its first round brings it to the device, and is no measurement
		my ($ms) = turns({ rounds => 7 * $rounds }, $n, "$gpu $query");
		push @rows, row("`$query`", content($table) . ", $where", spread('ms', @$ms));
		keep("before_${table}", @$ms);
	}
	my @us = map { 1e6 / pgbench(random_one() =~ s/random\(1, \d+\)/1/r, '-T', 1)->{tps} } 1 .. $rounds;
	push @rows, row('`SELECT gpu_array_sum(a)`, prepared', 'one of 1,000,000 float8, resident', spread('µs', @us));
	keep('before_one_us', @us);
	$tables .= "\n## To compare with other versions\n\n" . head_row('query', 'arrays', 'time') . join('', @rows);
}

# --- other programs

# What one core reads, against memcpy: a script of its own, if it is there, with a
# server of its own.
sub reader
{
	my $program = "$FindBin::Bin/reader";

	return unless -x $program;
	local %ENV = %ENV;
	delete $ENV{GPUAGG_TMP};
	$ENV{SIZE} = ($ENV{SIZE} || 1) < 1 ? 1 : 4;
	$ENV{ROUNDS} = $rounds;
	my $output = `$program`;
	die "test/bench/reader failed\n" if $?;
	$tables .= "\n## Reading alone\n\n```text\n$output```\n";
}

sub peers
{
	my $n = commas(n_elements($big_table));
	my $n_totals = commas(n_elements('array_10m'));
	my $totals = 'SELECT cardinality(gpu_array_cumsum(a)) FROM array_10m';
	my ($device, $core) = turns($rounds, n_arrays('array_10m'), "$gpu $totals", "$cpu $totals");
	my @rows = (["running totals of $n_totals float8: gpuagg, resident", median(@$device)], ['gpuagg, CPU engine, one core', median(@$core)]);

	for (['cupy, on the device, to the host', 'cumsum_cupy'], ['torch, on the device, to the host', 'cumsum_torch_device'],
		['torch, CPU', 'cumsum_torch'], ['numpy', 'cumsum_numpy'], ['DuckDB, `sum(x) OVER (ORDER BY o)`', 'cumsum_duckdb'],
		["sum of $n float8 in plain memory: torch, all cores", 'sum_torch'], ['numpy', 'sum_numpy'],
		['DuckDB, a column in memory', 'sum_duckdb'], ['DuckDB, the same by `fsum`', 'fsum_duckdb'],
		['DuckDB, `sum(list_sum(a))`, measured on a tenth and scaled', 'lists_duckdb'])
	{
		my ($what, $peer) = @$_;
		my ($ms) = peer_ms($peer, $rounds);
		push @rows, [$what, $ms // 'not here: ' . why_no_peer($peer)];
		keep($peer, $ms) if defined $ms;
	}
	$tables .= "\n## Other programs\n\nMedians of $rounds runs.\n\n" . head_row('what', 'ms')
	  . join('', map { row($_->[0], $_->[1] =~ /^[\d.]+$/ ? digits($_->[1]) : $_->[1]) } @rows);
	keep('cumsum', @$device);
	keep('cumsum_cpu', @$core);
}

start_peers(n_elements($big_table), n_elements('array_10m'));
bring_up('gpuagg.staging_size');    # as it is by default
part('first', \&first);
part('compressed', \&compressed);
part('half', \&half);
part('resident', \&resident);
part('sessions', \&sessions);
part('before', \&before);
part('reader', \&reader);
part('peers', \&peers);
stop_peers();
write_page('cold', 'first queries', "PostgreSQL's defaults but for the helpers that are named, which are parallel workers that a query may start; no JIT.\n"
	  . "Medians of $rounds rounds in which the sides took turns, of " . 7 * $rounds . " for resident arrays; in brackets the 10th to the 90th percentile.\n", $tables);
exit(failed_parts() ? 1 : 0);
