# FaultMatrix.pm: one fault after the other, each with the same questions.
#
# A test calls fault_matrix() with rows.  A row is data: a fault, when it comes,
# what the query has to return and how soon, and a proof that the fault came at
# all; a row without a proof is refused.  For each row there is a fresh gpuaggd,
# a session whose query meets the fault, and a witness: another session, which has
# to get its answer meanwhile, from the engine that the row says.  At the end
# neither gpuaggd, its supervisor, the postmaster nor the session may hold more
# than before (Holdings.pm).
#
#	name		the fault; test/bin/fault-table makes the table of these
#	faults		gpuagg.emulated_faults
#	query		one of %queries; the default is 'sum'
#	warm => 1	the arrays are resident before
#	settings	SET commands of the session
#	at		seconds from the session's lease to the fault (0.12)
#	act		sub (node, session, gpuaggd's pid): makes the fault
#	expect		what the query returns: the 'same' bits as by the CPU, or the error, or
#			'lost' if the session ends without one
#	within		seconds that the query may take, from `act` on where there is one
#	proof		{reason => of gpuagg_session_stat, log => pattern, error => pattern,
#			lasts => seconds at least, dies => 1, also => what `own` looked at}: one or
#			more, and all must hold
#	survives => 1	it is the same gpuaggd afterwards
#	witness		what computed the witness's answer: 'device' (the default), 'CPU' (that
#			of faults which its own request would meet), or 'either' where the moment
#			decides; words may follow
#	crowd => n	so many sessions more ask all the time, and all their answers are right
#	first		sub (node, session), before the query
#	looks		sub (node, session), after the query: the proof `also`
#	loses => 1	the server restarts
#	undo		sub (node), at the end
#	cuda => 1	also on a GPU
#	unsanitized	why not where gpuaggd is under sanitizers
#	unsanitized_server	why not where the server is under the address sanitizer
#	repeats => 1	`own` may be called again
#	own		sub (row) for a fault with a cluster of its own, instead of all this;
#			returns {out, right, err, seconds, delay => seconds from `act` on, more =>
#			seconds that it may take beyond `within`, reasons, log, died, also,
#			leaks => [...], witness => what computed another session's answer}, as
#			observe() does
#
# A test with such rows has `node`, a function that returns that cluster, and
# says it to fault_matrix().
package FaultMatrix;

use strict;
use warnings;

use FaultRow;
use FindBin;
use Test::More ();
use Time::HiRes qw(time sleep);

# Set by fault-table, which has no server: rows are only collected.
our @collected;
our $collects;

sub import
{
	no strict 'refs';
	*{ caller() . '::fault_matrix' } = \&fault_matrix;
	return if $collects;
	require lib;
	lib->import($FindBin::RealBin);
	require GpuaggCluster;
	require Holdings;
	require PostgreSQL::Test::Utils;
}

# Without md5(), which fails by an error of its own where OpenSSL gets no memory.
my %queries = (
	sum => q{SELECT gpu_sum(x || '{}')::text || ' ' || count(*) FROM series},
	stored => q{SELECT gpu_sum(x)::text || ' ' || count(*) FROM series WHERE id <= 40},
	scan => q{SELECT hashtextextended(string_agg(gpu_array_cumsum(x || '{}')::text, ',' ORDER BY id), 0) FROM series WHERE id < 5},
	stored_scan => q{SELECT hashtextextended(string_agg(gpu_array_cumsum(x)::text, ',' ORDER BY id), 0) FROM series WHERE id < 5},
	rows => q{SELECT sum(hashfloat8(t)) FROM series, gpu_cumsum(x) t WHERE id < 5},
	window => q{SELECT sum(hashfloat8(t)) FROM (SELECT gpu_cumsum(id) OVER (ORDER BY id) AS t FROM series) q},
	groups => q{SELECT hashtextextended(string_agg(s::text, ',' ORDER BY g), 0)
		FROM (SELECT id % 7 AS g, gpu_sum(x) AS s FROM series WHERE id <= 40 GROUP BY 1) q},
);
my $reasons = q{SELECT coalesce(string_agg(reason, ', '), '') FROM gpuagg_session_stat WHERE engine = 'cpu' AND arrays + elements > 0};

# What the CPU returns, for each query.
my %right;
my ($node, $witness);

# What is held by the server of rows with one of their own, at first.
my $usual;

# What each session of a crowd asks: some time longer than faults take to come.
use constant CROWD_QUERIES => 12;

# Run the rows, or collect them.  %how is for GpuaggCluster->create(), and has
# `node`.
sub fault_matrix
{
	my ($rows, %how) = @_;

	check_row($_) foreach @$rows;
	if ($collects)
	{
		push @collected, @$rows;
		return 1;
	}
	my @mine = grep { !$ENV{FAULT} || $_->{name} =~ /$ENV{FAULT}/ } @$rows;

	if (grep { !$_->{own} } @mine)
	{
		open_node(%how);
	}
	if (grep { $_->{own} } @mine)
	{
		$usual = held_at_rest($how{node}->());
	}
	foreach my $row (@mine)
	{
	  SKIP:
		{
			Test::More::skip('a fault of the emulated device', 1) if GpuaggCluster::is_cuda() && !$row->{cuda};
			Test::More::skip($row->{unsanitized}, 1) if GpuaggCluster::is_sanitized() && $row->{unsanitized};
			Test::More::skip($row->{unsanitized_server}, 1)
			  if GpuaggCluster::is_server_sanitized() && $row->{unsanitized_server};
			run_row($row, $how{node});
		}
	}
	$witness->close if $witness;
	$node->stop('fast') if $node;
	Test::More::done_testing();
}

# The server of all rows without one of their own.
sub open_node
{
	my (%how) = @_;

	$how{settings} = [ "gpuagg.request_timeout = '5s'", @{ $how{settings} // [] } ];
	$node = GpuaggCluster->create('faults', %how);
	make_series($node);
	$witness = $node->session("SET gpuagg.min_gpu_size = 0; SET client_min_messages = error;");
	$node->look('SELECT 1');
}

# The table of the queries; returns what the CPU returns, for each.
sub make_series
{
	my ($node) = @_;

	$node->answer(q{
		CREATE TABLE series (id int, x float8[]);
		ALTER TABLE series ALTER x SET STORAGE external;
		INSERT INTO series SELECT g, (SELECT array_agg(sin(g * 1000.0 + i) * 10 ^ (i % 40 - 20)::float8)
			FROM generate_series(1, 5000) i) FROM generate_series(1, 100) g;
		ANALYZE series});
	%right = map { $_ => $node->answer("SET gpuagg.engine = cpu; $queries{$_}") } keys %queries;
	return \%right;
}

sub query
{
	return $queries{ $_[0] };
}

# Run a row, and say what is wrong with it.
sub run_row
{
	my ($row, $own_node) = @_;
	my $turns = !$row->{own} || $row->{repeats} ? 3 : 1;
	my ($seen, @wrong);

	# A machine that others use may be slow, but hardly each time: what gpuagg
	# itself delays is.
	for my $turn (1 .. $turns)
	{
		my $begin = time;

		$seen = $row->{own} ? $row->{own}->($row) : meet_in_time($row);
		@wrong = wrong_with($row, $seen, $own_node);
		Test::More::note(sprintf('%.1f s; another session: %s', time - $begin, $seen->{witness} || 'nothing'));
		last if @wrong != 1 || $wrong[0] !~ /^took /;
		Test::More::note("turn $turn $wrong[0]");
	}
	Test::More::is(join("\n", @wrong), '', $row->{name}) or Test::More::diag($seen->{err} // '');
}

# What is wrong with what was seen.
sub wrong_with
{
	my ($row, $seen, $own_node) = @_;
	my @wrong = (@{ $seen->{leaks} // [] }, answer_faults($row, $seen), proof_faults($row, $seen));
	my $by = $seen->{witness} || 'nothing';

	push @wrong, still_held($own_node->(), $usual) if $row->{own};
	push @wrong, "the other session's answer is of $by" if $by !~ /^(?:device|CPU|both)$/;
	push @wrong, "the other session used $by" if $row->{witness} !~ /^(?:either|\Q$by\E)/;
	return @wrong;
}

# Let a session meet the fault.  If others have the processor, its request may be
# over before somebody makes the fault: then again, with requests that take longer.
sub meet_in_time
{
	my ($row) = @_;
	my $faults = $row->{faults};
	my $seen = meet_fault($row, $faults);

	while ($row->{act} && proof_faults($row, $seen) && $faults =~ /slow_launch=(\d+)/ && $1 < 2000 && $seen->{acted} > $1 / 1000)
	{
		$faults = 'slow_launch=' . 3 * $1;
		Test::More::note(sprintf 'the fault came after %.3f s, too late: now with %s', $seen->{acted}, $faults);
		$seen = meet_fault($row, $faults);
	}
	return $seen;
}

# Let a session of its own meet the fault.
sub meet_fault
{
	my ($row, $faults) = @_;
	my $pid = $node->with_faults($faults);
	my $log = $node->log_end;
	my $session = $node->session('SET gpuagg.engine = gpu; ' . ($row->{settings} // ''));
	my %seen = (right => $right{ $row->{query} });

	warm($node, $row->{query}) if $row->{warm};
	my $before = Holdings->of($node);
	my $own_before = Holdings->of_session($node, $session);
	$session->begin("$queries{ $row->{query} };\n$reasons");
	# the first launch is to be the session's: one that is refused is over soon
	await_request($session, $row->{at} // ($faults =~ /^refuse_launch=1$/ ? 2 : undef), $row->{act});
	my $act_begins = time;
	$row->{act}->($node, $session, $pid) if $row->{act};
	$seen{acted} = time - $session->{started};
	$seen{witness} = witness_goes_on($row, $session);
	$seen{leaks} = ['the session does not come to an end'] if !defined $session->end(20);
	@seen{qw(out reasons)} = split /\n/, $session->{out} // '', 2;
	@seen{qw(err seconds lost)} = @$session{qw(err seconds is_lost)};
	$seen{delay} = $session->{ended} - $act_begins if $row->{act} && $session->{ended};
	push @{ $seen{leaks} }, $own_before->session_leaks($node, $session) if !$seen{lost};
	$session->close;
	push @{ $seen{leaks} }, leaks($row, $pid, $before);
	$seen{died} = $node->daemon_pid != $pid;
	$seen{log} = log_of($node, $log, $row);
	$row->{undo}->($node) if $row->{undo};
	return \%seen;
}

# Wait for the moment of the fault: if somebody makes it, until the session has a
# lease, and then for a while.
sub await_request
{
	my ($session, $seconds, $act) = @_;
	my $maps = "/proc/$session->{pid}/maps";

	GpuaggCluster::within(5,
		sub { $session->has_ended || (eval { PostgreSQL::Test::Utils::slurp_file($maps) } // '') =~ /memfd:gpuagg/ })
	  if $act;
	GpuaggCluster::within($seconds // 0.12, sub { $session->has_ended });
}

# Let a new session of another node meet the row's fault, for a row of its own.
# %how has log, where to begin to read that, and act, as a row has it.
sub observe
{
	my ($node, $row, %how) = @_;
	my $log = $how{log} // $node->log_end;
	my $other = $node->session('SET gpuagg.min_gpu_size = 0; SET client_min_messages = error');
	my $session = $node->session('SET gpuagg.min_gpu_size = 0; ' . ($how{settings} // $row->{settings} // ''));
	my @crowd = crowd_begins($node, $row->{crowd});
	my %seen = (right => $right{ $row->{query} }, leaks => []);

	$row->{first}->($node, $session) if $row->{first};
	my $before = Holdings->of_session($node, $session);
	$session->begin("$queries{ $row->{query} };\n$reasons");
	await_request($session, $row->{at}, $how{act});
	my $act_begins = time;
	$how{act}->($node, $session, $node->daemon_pid) if $how{act};
	$other->begin(witnessed($queries{groups}));
	GpuaggCluster::within(40, sub { $session->has_ended; $other->has_ended });
	$seen{witness} = witness_used($other->end(0), $right{groups}, 40);
	push @{ $seen{leaks} }, 'the session does not come to an end' if !defined $session->end(40);
	@seen{qw(out reasons)} = split /\n/, $session->{out} // '', 2;
	@seen{qw(err seconds lost)} = @$session{qw(err seconds is_lost)};
	$seen{delay} = $session->{ended} - $act_begins if $how{act} && $session->{ended};
	push @{ $seen{leaks} }, crowd_faults(@crowd);
	$seen{also} = $row->{looks}->($node, $session) if $row->{looks};
	push @{ $seen{leaks} }, $before->session_leaks($node, $session) if !$seen{lost};
	$_->close foreach $session, $other;
	$seen{log} = log_of($node, $log, $row);
	return \%seen;
}

# The log from a place on, with the row's proof, which may come after the answer:
# a process that uses a GPU ends slowly.
sub log_of
{
	my ($node, $from, $row) = @_;

	$node->log_since($from, $row->{proof}{log}) if $row->{proof}{log};
	return PostgreSQL::Test::Utils::slurp_file($node->logfile, $from);
}

# What a server holds with gpuaggd up, after a query and with no session.
sub held_at_rest
{
	my ($node) = @_;

	warm($node, 'stored');
	return Holdings->of($node);
}

# What is held, in the end, that was not before.  Waits for what ends soon.
sub still_held
{
	my ($node, $before) = @_;
	my @more;

	GpuaggCluster::within(3, sub { !(@more = Holdings->of($node)->more_than($before)) });
	return @more;
}

# --- other sessions

# Have n sessions ask for the same sum again and again while a fault comes.
sub crowd_begins
{
	my ($node, $n) = @_;
	my @crowd = map { $node->session('SET gpuagg.min_gpu_size = 0; SET client_min_messages = error') } 1 .. $n // 0;

	$_->begin(join ";\n", ($queries{stored}) x CROWD_QUERIES) foreach @crowd;
	return @crowd;
}

# What is wrong with what they got.  Those that are lost got right answers before.
sub crowd_faults
{
	my @crowd = @_;
	my @wrong;

	foreach my $session (@crowd)
	{
		my $out = $session->end(30);
		my @answers = split /\n/, $session->{out} // '';

		push @wrong, 'a session of several does not come to an end' if !defined $out;
		push @wrong, map { "one of several sessions got $_" } grep { $_ ne $right{stored} } @answers;
		push @wrong, "one of several sessions got @{[ scalar @answers ]} answers: $session->{err}" if @answers != CROWD_QUERIES && !$session->{is_lost};
		$session->close;
	}
	return @wrong;
}

# A query, with what the session's arrays were computed by before and after.
sub witnessed
{
	my ($query) = @_;
	my $by_device = q{SELECT coalesce(sum(arrays), 0) FROM gpuagg_session_stat WHERE engine = 'gpu'};

	return "$by_device;\n$query;\n$by_device";
}

# What computed the answer to such a query about n arrays; false if it is wrong.
sub witness_used
{
	my ($out, $expected, $n) = @_;
	my ($before, $answer, $after) = split /\n/, $out // '';

	return if !defined $after || $answer ne $expected;
	return $after == $before ? 'CPU' : $after - $before == $n ? 'device' : 'both';
}

# Have a query's arrays resident.
sub warm
{
	my ($node, $query) = @_;

	$node->answer("SET gpuagg.engine = gpu; $queries{$query}");
	GpuaggCluster::within(2, sub { $node->answer('SELECT sum(sessions) FROM gpuagg_devices') eq '0' });
}

# The witness's own query, some arrays of the same table, while the session's
# runs.  By the CPU where a request of its own would meet the same fault.
sub witness_goes_on
{
	my ($row, $session) = @_;
	my $query = 'SELECT gpu_sum(x)::text FROM series WHERE id < 5';
	my $engine = meets_same_fault($row) ? 'cpu' : 'auto';

	$right{witness} //= $node->answer("SET gpuagg.engine = cpu; $query");
	$witness->begin("SET gpuagg.engine = $engine;\n" . witnessed($query));
	GpuaggCluster::within(5, sub { $session->has_ended; $witness->has_ended });
	return witness_used($witness->end(0), $right{witness}, 4);
}

# What is held after a row and was not before.
sub leaks
{
	my ($row, $pid, $before) = @_;
	my $now = eval { $node->await_daemon($row->{survives} ? 0 : $pid) };
	my @leaks;

	return ('gpuaggd does not come back') if !defined $now;
	$witness->ask('SELECT 1');
	push @leaks, still_held($node, $before);
	push @leaks, 'leases are taken'
	  if !GpuaggCluster::within(3, sub { $node->answer('SELECT leases > 1 FROM gpuagg_devices') ne 't' });
	push @leaks, 'another gpuaggd' if $row->{survives} && $now != $pid;
	return @leaks;
}

1;
