#!/usr/bin/perl
# family.pl: the other functions on the CPU, beside what PostgreSQL has for the same
# question: an aggregate or a window function over unnest.
#
# Runs under test/bin/with-cluster (see test/bin/bench), after functions.sql and
# setup.sql.  The two queries of a figure take turns in one session.  Prints a table
# in Markdown and writes it to test/bench/results/<date>-<processor>-family.md.
# ROUNDS sets how often.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Bench;

$Bench::settings .= "SET gpuagg.engine = cpu;\n";

my $rounds = $ENV{ROUNDS} || 3;
my $times = '>= 20 times faster';

# The question, ours, and PostgreSQL's.  Aggregates read 5 arrays of 1M float8.
my @figures = (
	(map { [ "`gpu_$_(a)`", $times, "SELECT gpu_$_(a) FROM five", "SELECT $_(x) FROM five, unnest(a) x" ] }
		qw(count avg min max var_samp stddev_samp)),
	[ '`gpu_sum`, `gpu_avg` and `gpu_count` together', $times,
		'SELECT gpu_sum(a), gpu_avg(a), gpu_count(a) FROM five',
		'SELECT sum(x), avg(x), count(x) FROM five, unnest(a) x' ],
	[ '`gpu_dot(a, b)`', $times,
		'SELECT gpu_dot(a, b) FROM pairs',
		'SELECT sum(x * y) FROM pairs, unnest(a, b) u(x, y)' ],
	[ '`gpu_array_norm(a)`', $times,
		'SELECT max(gpu_array_norm(a)) FROM five',
		'SELECT max((SELECT sqrt(sum(x * x)) FROM unnest(a) x)) FROM five' ],
	[ '`gpu_weighted_avg(a, b)`', $times,
		'SELECT gpu_weighted_avg(a, b) FROM pairs',
		'SELECT sum(x * y) / sum(y) FROM pairs, unnest(a, b) u(x, y)' ],
	[ '`gpu_elem_sum(a)`, 1,000 rows of 1,000', $times,
		'SELECT cardinality(gpu_elem_sum(a)) FROM vectors',
		'SELECT count(s) FROM (SELECT sum(x) AS s FROM vectors, unnest(a) WITH ORDINALITY u(x, i) GROUP BY i) q' ],
	[ '`gpu_elem_sum(a)`, 5 rows of 1M', $times,
		'SELECT cardinality(gpu_elem_sum(a)) FROM five',
		'SELECT count(s) FROM (SELECT sum(x) AS s FROM five, unnest(a) WITH ORDINALITY u(x, i) GROUP BY i) q' ],
	[ '`gpu_elem_sum(a)`, 1,000 rows of 1,000, exponents +-400', $times,
		'SELECT cardinality(gpu_elem_sum(a)) FROM far_apart',
		'SELECT count(s) FROM (SELECT sum(x) AS s FROM far_apart, unnest(a) WITH ORDINALITY u(x, i) GROUP BY i) q' ],
	[ '`gpu_elem_max(a)`, 1,000 rows of 1,000', $times,
		'SELECT cardinality(gpu_elem_max(a)) FROM vectors',
		'SELECT count(s) FROM (SELECT max(x) AS s FROM vectors, unnest(a) WITH ORDINALITY u(x, i) GROUP BY i) q' ],
	[ '`gpu_array_bucket_avg(a, 1000)`', $times,
		'SELECT sum(cardinality(gpu_array_bucket_avg(a, 1000))) FROM five',
		'SELECT count(s) FROM (SELECT avg(x) AS s FROM five, unnest(a) WITH ORDINALITY u(x, i) GROUP BY five.ctid, (i - 1) / 1000) q' ],
	[ '`gpu_array_moving_avg(a, 99)`', $times,
		'SELECT sum(cardinality(gpu_array_moving_avg(a, 99))) FROM five',
		'SELECT count(s) FROM (SELECT avg(x) OVER (PARTITION BY five.ctid ORDER BY i ROWS 99 PRECEDING) AS s FROM five, unnest(a) WITH ORDINALITY u(x, i)) q' ],
	[ '`gpu_array_moving_max(a, 99)`', $times,
		'SELECT sum(cardinality(gpu_array_moving_max(a, 99))) FROM one',
		'SELECT count(s) FROM (SELECT max(x) OVER (ORDER BY i ROWS 99 PRECEDING) AS s FROM one, unnest(a) WITH ORDINALITY u(x, i)) q' ],
	[ '`gpu_array_moving_avg(i, 99)` of 1M integer', $times,
		'SELECT cardinality(gpu_array_moving_avg(i, 99)) FROM integers',
		'SELECT count(s) FROM (SELECT avg(x) OVER (ORDER BY o ROWS 99 PRECEDING) AS s FROM integers, unnest(i) WITH ORDINALITY u(x, o)) q' ],
	[ '`gpu_array_moving_avg(b, 99)` of 1M bigint', $times,
		'SELECT cardinality(gpu_array_moving_avg(b, 99)) FROM integers',
		'SELECT count(s) FROM (SELECT avg(x) OVER (ORDER BY o ROWS 99 PRECEDING) AS s FROM integers, unnest(b) WITH ORDINALITY u(x, o)) q' ],
	[ '`gpu_array_cumsum(b)` of 1M bigint', $times,
		'SELECT cardinality(gpu_array_cumsum(b)) FROM integers',
		'SELECT count(s) FROM (SELECT sum(x) OVER (ORDER BY o) AS s FROM integers, unnest(b) WITH ORDINALITY u(x, o)) q' ],
	[ '`gpu_array_cummax(a)`', $times,
		'SELECT sum(cardinality(gpu_array_cummax(a))) FROM five',
		'SELECT count(s) FROM (SELECT max(x) OVER (PARTITION BY five.ctid ORDER BY i) AS s FROM five, unnest(a) WITH ORDINALITY u(x, i)) q' ],
	[ '`gpu_array_delta(a)`', $times,
		'SELECT sum(cardinality(gpu_array_delta(a))) FROM five',
		'SELECT count(s) FROM (SELECT x - lag(x) OVER (PARTITION BY five.ctid ORDER BY i) AS s FROM five, unnest(a) WITH ORDINALITY u(x, i)) q' ],
	[ '`gpu_array_sum(a[i:i+999])` of one array of 1M', '>= 1 times faster',
		'SELECT sum(gpu_array_sum(a[i:i+999])) FROM one, generate_series(1, 999000, 9990) i',
		'SELECT sum((SELECT sum(x) FROM unnest(a[i:i+999]) x)) FROM one, generate_series(1, 999000, 9990) i' ],
	[ '`gpu_array_moving_sum(a, 99)`, 10M, against `gpu_array_cumsum(a)`', '<= 1.5 times its time',
		'SELECT cardinality(gpu_array_moving_sum(a, 99)) FROM array_10m',
		'SELECT cardinality(gpu_array_cumsum(a)) FROM array_10m' ],
	[ '`gpu_var_samp(x)` of 10M rows against `var_samp(x)`', '<= 1.3 times its time',
		'SELECT gpu_var_samp(x) FROM rows_10m',
		'SELECT var_samp(x) FROM rows_10m' ],
	[ '`gpu_sum`, `gpu_avg` and `gpu_count` together against `gpu_sum` alone', '<= 1.05 times its time',
		'SELECT gpu_sum(a), gpu_avg(a), gpu_count(a) FROM arrays_1m',
		'SELECT gpu_sum(a) FROM arrays_1m' ],
);

psql(<<'SQL');
SET client_min_messages = warning;
CREATE TABLE five AS SELECT a FROM arrays_1m LIMIT 5;
CREATE TABLE one AS SELECT a FROM five LIMIT 1;
CREATE TABLE pairs (a float8[], b float8[]);
ALTER TABLE pairs ALTER a SET STORAGE EXTERNAL, ALTER b SET STORAGE EXTERNAL;
INSERT INTO pairs SELECT f.a, o.a FROM five f, one o;
CREATE TABLE vectors AS SELECT a FROM arrays_1000 LIMIT 1000;
SELECT setseed(0.5);
CREATE TABLE far_apart AS
	SELECT (SELECT array_agg(x * 2 ^ (random() * 800 - 400)) FROM unnest(a) x) AS a FROM vectors;
CREATE TABLE integers AS
	SELECT array_agg((random() * 1e6)::int) AS i, array_agg((random() * 1e15)::bigint) AS b FROM generate_series(1, 1000000);
VACUUM ANALYZE;
SQL

for (@figures)
{
	my ($figure, $goal, $ours, $theirs) = @$_;
	my ($a, $b) = take_turns($rounds, $ours, $theirs);

	report_ratios($figure, $goal,
		spread('ms', @$a) . ' against ' . spread('ms', @$b),
		$goal =~ /^>=/ ? ratios($b, $a) : ratios($a, $b));
}

my $machine = machine();
my $implementation = psql("SELECT DISTINCT implementation FROM gpuagg_session_stat WHERE engine = 'cpu'");
my $text = "# `make bench ONLY=family`, " . date() . "\n\n"
	. "$machine->{name} (model $machine->{model}, $machine->{cores} cores, one used), CPU engine $implementation,\n"
	. "PostgreSQL " . psql('SHOW server_version') . ", tables in shared_buffers, no parallel workers. Medians of ratios; the two sides took turns.\n"
	. "Five stored arrays of 1,000,000 float8 where nothing else is said.\n\n"
	. figures() . "\n## Behind it\n\n" . details();
write_results("$machine->{name}-family", '.md', $text);
print $text;
