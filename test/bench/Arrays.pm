# Arrays.pm: tables of stored arrays, for the scripts of the benchmark that share
# them in one server: the device has to do what is measured, with the bits of the
# CPU.
#
# A script names its tables to use_tables().  Those that are missing are made, in
# the schema `arrays`, and stay for the next script; test/bin/bench drops them.
package Arrays;

use strict;
use warnings;
use Exporter 'import';
use FindBin;
use POSIX qw(ceil);
use lib $FindBin::Bin;
use Bench;
use Page;

our @EXPORT = qw($big_table $gpu $gpu_always $cpu scaled use_tables n_arrays n_elements content
	helpers first_query has_cache assert_device check_query turns resident_turns misses
	done_by bring_up write_page);

our $gpu = 'SET gpuagg.engine = auto; SET gpuagg.min_gpu_size = 0;';
our $gpu_always = 'SET gpuagg.engine = gpu;';
our $cpu = 'SET gpuagg.engine = cpu;';

# The 10 GB that most figures are about.
our $big_table = 'arrays_10gb';

my $size = $ENV{SIZE} || 1;
my $start = time;
my $made_s = 0;

sub scaled { my ($n) = @_; return ceil($n * $size) }

# name => arrays, elements of each, what makes them, where they have to lie, and
# by what they are compressed: those that several scripts use
my %tables = (
	arrays_10gb => [scaled(1250), 1000000, 'random_array', 'out of line'],
	arrays_8kb => [scaled(20000), 1000, 'random_array', 'out of line'],
	arrays_pglz => [scaled(100), 1000000, 'decimal_array', 'out of line, compressed', 'pglz'],
	array_10m => [1, scaled(10000000), 'random_array', 'out of line']);

$Bench::settings .= "SET jit = off;\nSET search_path = arrays, public;\n";

# --- the tables

sub n_arrays { return $tables{$_[0]}[0] }
sub n_elements { return $tables{$_[0]}[0] * $tables{$_[0]}[1] }

# "1,250 arrays of 1,000,000 float8"
sub content
{
	my ($n, $length) = map { commas($_) } @{ $tables{$_[0]} }[ 0, 1 ];
	return $n eq '1' ? "an array of $length float8" : "$n arrays of $length float8";
}

sub storage
{
	my ($where, $method) = @{ $tables{$_[0]} }[ 3, 4 ];

	return $where eq 'in line' ? 'PLAIN' : !$method ? 'EXTERNAL' : "EXTENDED, ALTER a SET COMPRESSION $method";
}

# Many sessions insert, each a part of every table.
sub make_tables
{
	my @names = @_;
	my $sessions = machine()->{cores} || 1;
	my @inserts = ('') x $sessions;

	psql("SET client_min_messages = warning;\nCREATE SCHEMA IF NOT EXISTS arrays;\n" . join '', map {
		"CREATE UNLOGGED TABLE $_ (id integer, g integer, a float8[]);\nALTER TABLE $_ ALTER a SET STORAGE " . storage($_) . ";\n"
	} @names);
	for my $name (@names)
	{
		my ($n, $length, $function) = @{ $tables{$name} };
		$inserts[ $_ - 1 ] .= "INSERT INTO $name SELECT i, i % 1000, $function($length, i)\n"
		  . "\tFROM generate_series($_, $n, $sessions) i;\n"
		  for 1 .. $sessions;
	}
	psql_all(@inserts);
	psql(join '', map { "ALTER TABLE $_ ADD PRIMARY KEY (id);\nVACUUM (ANALYZE, PROCESS_TOAST false) $_;\n" } @names);
}

# The arrays lie where they should, and all of them in shared buffers.
sub check_tables
{
	for my $name (@_)
	{
		my $where = psql("SELECT string_agg(DISTINCT storage_of(a), ' and ') FROM $name");
		die "the arrays of $name lie $where, not $tables{$name}[3]\n" if $where ne $tables{$name}[3];
	}
	my ($largest) = sort { n_elements($b) <=> n_elements($a) } @_;
	my $scan = "EXPLAIN (ANALYZE, BUFFERS, TIMING OFF) SELECT sum(toast_walk(a, 262144, true)) FROM $largest;\n";
	my $plan = psql($scan x 2);
	$plan =~ s/.*?Execution Time//s;
	die "the tables do not fit into shared_buffers\n" if $plan =~ / read=\d/;
}

# Makes those of some tables that are not there yet; more => [...] describes one of
# the script's own.
sub use_tables
{
	my ($names, %more) = @_;
	my $began = time;

	%tables = (%tables, %more);
	my @missing = grep { psql("SELECT to_regclass('arrays.$_') IS NULL") eq 't' } @$names, sort keys %more;
	print STDERR "bench: making @missing\n";
	if (@missing)
	{
		make_tables(@missing);
		check_tables(@missing);
	}
	$made_s = time - $began;
	print STDERR "bench: the tables took $made_s s\n";
}

# --- who did it

# Without a cache, in old versions, every run is a cold one.
sub has_cache { return has('gpuagg_cache_clear') }

# SQL for a query's first read by so many processes besides its own.
sub helpers { my ($n) = @_; return "SET max_parallel_workers_per_gather = $n;" }

# SQL for the sum of a table's arrays, none of which is resident, with n helpers.
sub first_query { my ($table, $n) = @_; return 'SELECT gpuagg_cache_clear(); ' . helpers($n) . " $gpu SELECT gpu_sum(a) FROM $table" }

# Gives gpuaggd a setting, or its default again, and brings it up with that: as
# many devices as are said, or one.  Returns their names.
sub bring_up
{
	my ($name, $value, $n) = @_;

	server_setting($name, $value);
	for (1 .. 100)
	{
		my @devices = split /\n/, device();
		return @devices if psql("SELECT count(*) FROM gpuagg_devices WHERE state = 'up'") == ($n || 1);
		select undef, undef, undef, 0.2;
	}
	die "$name = " . ($value // 'its default') . ": gpuaggd does not come up\n";
}

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
sub check_query
{
	my ($n, $query, $engine) = @_;
	my $by_device = psql(($engine || $gpu) . "\n$query;\n" . assert_device($n));
	my $by_cpu = psql("$cpu\n$query;\n");

	die "the device and the CPU differ: $query\n" if $by_device ne $by_cpu || $by_cpu eq '';
}

# How many arrays the device did so far in all sessions, by { gpu => n }, and how
# many the CPU did, by { reason => n }.
sub arrays_done
{
	my %done = map { /^(.*)\|(\d+)$/ } split /\n/,
		psql("SELECT CASE engine WHEN 'gpu' THEN 'gpu' ELSE reason END, sum(arrays) FROM gpuagg_server_stat WHERE arrays > 0 GROUP BY 1");

	return { gpu => 0, %done };
}

# The same of what runs meanwhile, and what that returns.
sub done_by
{
	my ($run) = @_;
	my $before = arrays_done();
	my @result = $run->();
	my $after = arrays_done();
	my %done = map { ($_ => $after->{$_} - ($before->{$_} || 0)) } keys %$after;

	delete @done{ grep { $_ ne 'gpu' && $done{$_} == 0 } keys %done };
	return (\%done, @result);
}

# How often a value had to be loaded, as far as this version tells.
sub misses
{
	my $has_stat = psql("SELECT count(*) FROM pg_attribute WHERE attrelid = to_regclass('gpuagg_stat') AND attname IN ('hits', 'misses')") == 2;

	return $has_stat ? psql('SELECT coalesce(sum(misses), 0) FROM gpuagg_stat') : 0;
}

# take_turns, of which the device has to do n arrays a round.
sub turns
{
	my ($how, $n, @queries) = @_;
	my %how = ref $how ? %$how : (rounds => $how);
	my $rounds = $how{rounds} + ($how{cold} ? 0 : 1);

	return take_turns({ %how, finally => assert_device($n * $rounds) }, @queries);
}

# The same, and no value may have to be loaded meanwhile.
sub resident_turns
{
	my $before = misses();
	my @lists = turns(@_);

	die "a resident array was loaded again\n" if misses() > $before;
	return @lists;
}

# --- the page

# Does the server's shared memory lie in huge pages?  Also true of another server's.
sub has_huge_pages
{
	open my $in, '<', '/proc/meminfo' or return 0;
	my %n = map { /^HugePages_(\w+):\s*(\d+)/ } <$in>;

	return $n{Total} && ($n{Free} < $n{Total} || $n{Rsvd} > 0);
}

# Writes what was measured, in Markdown, and what was kept, as .tsv; sentences
# that belong above the table come before its figures.
sub write_page
{
	my ($part, $title, $remarks, $more) = @_;
	my @kinds = split /\n/, device();
	my $kind = (@kinds > 1 ? @kinds . ' of ' : '') . $kinds[0];
	my $card = (split /,/, $kinds[0])[0];
	my $m = machine();
	my $machine = "$m->{name} ($m->{cores} cores, $m->{memory_gb} GB)";
	my $version = psql('SHOW server_version');
	my $command = command($part);
	my $text = "# `make bench`, $title, " . date() . "\n\n"
	  . "$kind; $machine; PostgreSQL $version.\n"
	  . "`$command`: " . (time - $start) . " s, $made_s s of them for the tables, which lie in shared_buffers" . (has_huge_pages() ? ', in huge pages' : '') . ".\n"
	  . $remarks
	  . ($size == 1 ? '' : "**Not the size that the goals are for: SIZE=$size.**\n")
	  . "\n" . figures() . "\n" . details() . $more;

	print $text;
	write_results($card, "-$part.md", $text);
	write_results($card, "-$part.tsv", join('', map { join("\t", @$_) . "\n" }
		['card', $card], ['machine', $machine], ['postgresql', $version], ['command', $command], ['date', date()]) . kept());
}

1;
