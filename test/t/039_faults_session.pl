# 039_faults_session.pl: the session itself has no descriptors or no memory left.
#
# Limits are set for its backend alone, while it runs (prlimit).

use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use FaultMatrix;
use FaultServer;
use Time::HiRes qw(time);

# Limit a resource of a session from now on; the hard limit stays.
sub limit
{
	my ($session, $resource, $value) = @_;

	system('prlimit', "--pid=$session->{pid}", "--$resource=$value:") == 0 or die 'prlimit';
}

# A limit of descriptors that leaves n to a session, which has opened the tables.
sub leave_descriptors
{
	my ($n) = @_;

	return sub {
		my ($node, $session) = @_;
		my %open;

		$session->ask('SET gpuagg.engine = cpu; ' . FaultMatrix::query('stored') . "; $_") foreach 'RESET gpuagg.engine';
		%open = map { s{.*/}{}r => 1 } glob "/proc/$session->{pid}/fd/*";
		my $limit = 0;
		while ($n >= 0)
		{
			$n-- if !$open{$limit};
			$limit++;
		}
		limit($session, 'nofile', $limit - 1);
	};
}

# Leave so many kB of address space to a session.
sub leave_memory
{
	my ($session, $kb) = @_;
	my $status = PostgreSQL::Test::Utils::slurp_file("/proc/$session->{pid}/status");

	$status =~ /^VmSize:\s+(\d+) kB/m or die 'no VmSize';
	limit($session, 'as', ($1 + $kb) * 1024);
}

# A row about a session with a limit: `first` sets it, before the query.  The
# session is asked for the same afterwards, without a limit.
sub meets
{
	my ($name, $first, %row) = @_;

	return goes_on(
		$name,
		$row{act} // sub { },
		query => 'stored',
		settings => '',
		first => $first,
		survives => 1,
		%row);
}

# Let new sessions ask, each with a little more memory than the last.  Returns how
# many had an error, or -1 if one had neither an error nor the right answer, or is
# of no use without a limit.
sub sweep
{
	my ($node, $query, $right) = @_;
	my $n_errors = 0;

	for (my $kb = 0; $kb <= 12_000; $kb += $kb < 600 ? 60 : $kb < 3000 ? 200 : 1000)
	{
		my $session = $node->session('SET gpuagg.min_gpu_size = 0; SET client_min_messages = error');

		leave_memory($session, $kb);
		my $out = $session->ask($query, 20) // '';
		my @errors = grep { /^ERROR:/ } split /\n/, $session->{err} =~ s/^psql:\S+ //gmr;
		my $is_right = @errors ? !grep { !/^ERROR:  53200: out of memory/ } @errors : $out eq $right;
		limit($session, 'as', 'unlimited');
		Test::More::diag("$kb kB: $out $session->{err}") if !$is_right;
		$is_right &&= ($session->ask($query, 20) // '') eq $right;
		$session->close;
		return -1 if !$is_right;
		$n_errors++ if @errors;
	}
	return $n_errors;
}

# A row about sessions that have no memory left at any place of a query.
sub runs_out
{
	my ($what, $query) = @_;
	my $row = meets("a session runs out of memory somewhere in a query: $what", undef, query => $query, within => 15,
		proof => { also => 'some of 31 sessions have the error 53200, the others the right answer, and all go on' });

	$row->{unsanitized_server} = 'the address sanitizer ends a session that has no memory for it';
	$row->{own} = sub {
		my $begin = time;
		my $pid = node()->with_faults('');
		my $right = FaultServer::right($query);
		my $n_errors = sweep(node(), FaultMatrix::query($query), $right);
		my %seen = (right => $right, seconds => time - $begin, also => $n_errors > 0);
		my $answer = node()->session('')->ask(FaultMatrix::witnessed(FaultMatrix::query('groups')));

		Test::More::note("$n_errors errors");
		$seen{out} = node()->answer(FaultMatrix::query($query));
		$seen{witness} = FaultMatrix::witness_used($answer, FaultServer::right('groups'), 40);
		$seen{leaks} = ['gpuaggd has ended'] if node()->daemon_pid != $pid;
		return \%seen;
	};
	return $row;
}

fault_matrix(
	[
		meets('a session has no descriptor for its socket, engine = auto', leave_descriptors(0), proof => { reason => 'no file descriptors' }),
		meets(
			'a session has no descriptor for staging memory, engine = auto',
			leave_descriptors(1),
			proof => { reason => 'no file descriptors' }),
		meets(
			'a session has no descriptor for its socket, engine = gpu',
			sub { leave_descriptors(0)->(@_); $_[1]->ask('SET gpuagg.engine = gpu') },
			expect => 'no file descriptors',
			proof => { error => qr/58000/ }),
		meets(
			'a session has no address space for staging memory',
			sub { $_[1]->ask('SET gpuagg.engine = cpu; ' . FaultMatrix::query('stored') . '; RESET gpuagg.engine'); leave_memory($_[1], 2000) },
			proof => { reason => 'no staging memory' }),
		runs_out('sums of elements', 'sum'),
		runs_out('sums of stored arrays', 'stored'),
		runs_out('totals', 'scan'),
		runs_out('totals of stored arrays', 'stored_scan'),
		runs_out('groups', 'groups'),
	],
	node => \&node);
