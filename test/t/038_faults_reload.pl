# 038_faults_reload.pl: settings, rights and the extension itself change under load.
#
# While a query of a session is on the device, and several sessions more ask all
# the time.  Each setting that a reload changes has a row, which fault-table
# checks.

use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use FaultMatrix;
use FaultServer;

# A row about a reload: a setting, another value, and the usual one.  gpuaggd
# restarts for its own settings.
sub reloads
{
	my ($setting, $value, $usual, $restarts) = @_;
	my $ends_use = $setting =~ /\.(?:engine|allow_device)/;

	return goes_on(
		"$setting is changed and reloaded",
		sub { $_[0]->reload_with("$setting = '$value'") },
		undo => sub { node()->reload_with("$setting = '$usual'") },
		crowd => 3,
		survives => !$restarts,
		witness => $ends_use || $restarts ? 'either' : 'device',
		first => sub { $_[0]{idle} = $_[0]->session('SET gpuagg.min_gpu_size = 0') },
		looks => sub { my $by_cpu = !$ends_use || uses_cpu_soon($_[0]{idle}); $_[0]{idle}->close; return $by_cpu },
		proof => $restarts
		? { dies => 1, reason => 'gpuaggd went away' }
		: { log => qr/parameter "$setting" changed to "$value"/, $ends_use ? (also => 'the next queries are by the CPU') : () });
}

# Are the queries of a session that was idle by the CPU, once the reload has
# reached it?
sub uses_cpu_soon
{
	my ($session) = @_;
	my $query = FaultMatrix::witnessed(FaultMatrix::query('stored'));

	return defined GpuaggCluster::within(5,
		sub { FaultMatrix::witness_used($session->ask($query), FaultServer::right('stored'), 40) eq 'CPU' });
}

# How often each array was found on the device so far, and how often not.
sub misses
{
	return node()->answer('SELECT sum(misses) FROM gpuagg_stat');
}

# Sessions ask again and again while the extension is dropped and made again:
# they get the right answer, or are told that there is no such function.
sub drop_and_create
{
	my ($row) = @_;
	my $query = FaultMatrix::query('stored');
	my $log = node()->log_end;
	my @crowd = map { node()->session('SET gpuagg.min_gpu_size = 0; SET client_min_messages = error') } 1 .. 4;
	my %seen = (right => FaultServer::right('stored'), err => '', leaks => []);

	node()->with_faults('');
	$_->begin(join ";\n", ($query) x 300) foreach @crowd;
	for (1 .. 10)
	{
		node()->answer('DROP EXTENSION gpuagg');
		node()->answer('CREATE EXTENSION gpuagg');
	}
	foreach my $session (@crowd)
	{
		push @{ $seen{leaks} }, 'a session does not come to an end' if !defined $session->end(40);
		push @{ $seen{leaks} }, map { "a session got $_" } grep { $_ ne $seen{right} } split /\n/, $session->{out};
		push @{ $seen{leaks} }, grep { /^ERROR/ && !/^ERROR:  42883: function gpu_sum/ } split /\n/, $session->{err} =~ s/^psql:\S+ //gmr;
		$seen{err} .= $session->{err};
	}
	# the sessions go on with the functions that there are now
	my $answer = $crowd[0]->begin(FaultMatrix::witnessed($query))->end(20);
	@seen{qw(out seconds witness)} = ((split /\n/, $answer // '')[1], $crowd[0]{seconds}, FaultMatrix::witness_used($answer, $seen{right}, 40));
	$seen{also} = grep { ($_->ask($query) // '') eq $seen{right} } @crowd;
	$seen{also} = $seen{also} == @crowd && $seen{err} =~ /42883/;
	$_->close foreach @crowd;
	$seen{err} = '';
	$seen{log} = PostgreSQL::Test::Utils::slurp_file(node()->logfile, $log);
	return \%seen;
}

fault_matrix(
	[
		reloads('gpuagg.cache_size', '128MB', '256MB', 1),
		reloads('gpuagg.cache_packing', 'off', 'on', 1),
		reloads('gpuagg.staging_size', '32MB', '64MB', 1),
		reloads('gpuagg.request_timeout', '4s', '5s', 1),
		reloads('gpuagg.idle_timeout', '1h', '1d', 1),
		reloads('gpuagg.emulated_faults', 'slow_launch=1', '', 1),
		reloads('gpuagg.min_gpu_size', '1MB', '0', 0),
		reloads('gpuagg.engine', 'cpu', 'auto', 0),
		reloads('gpuagg.allow_device', 'off', 'on', 0),
		reloads('gpuagg.cpu_engine', 'baseline', 'auto', 0),
		goes_on(
			'gpuagg.device is changed and reloaded',
			sub { $_[0]->reload_with("gpuagg.device = 'none'") },
			undo => sub { node()->reload_with("gpuagg.device = '" . GpuaggCluster::device() . "'") },
			crowd => 3,
			witness => 'CPU',
			proof => { reason => 'gpuaggd went away', dies => 1 }),
		goes_on(
			'ten reloads at once',
			sub { $_[0]->configure("gpuagg.cache_size = '12$_[0]{n_reloads}MB'"), kill('HUP', $_[0]{_pid}) for map { $_[0]{n_reloads} = $_ } 1 .. 10 },
			undo => sub { node()->reload_with("gpuagg.cache_size = '256MB'") },
			crowd => 3,
			witness => 'either',
			proof => { reason => 'gpuaggd went away', dies => 1 }),
		goes_on(
			'GRANT and REVOKE ON DATABASE again and again: resident arrays stay',
			sub {
				my ($node) = @_;

				FaultMatrix::warm($node, 'stored');
				$node->{misses} = misses();
				$node->answer(join ';', ('GRANT CREATE ON DATABASE postgres TO PUBLIC', 'REVOKE CREATE ON DATABASE postgres FROM PUBLIC') x 20);
				$node->answer("SET gpuagg.engine = gpu; " . FaultMatrix::query('stored'));
			},
			within => 10,
			looks => sub { misses() == node()->{misses} },
			crowd => 3,
			survives => 1,
			proof => { also => 'no miss of the cache afterwards' }),
		{
			name => 'DROP EXTENSION and CREATE EXTENSION ten times, under four sessions',
			query => 'stored',
			within => 3,
			witness => 'either',
			cuda => 1,
			proof => { also => '`function gpu_sum does not exist` meanwhile, and right answers from then on' },
			own => \&drop_and_create,
		},
	],
	node => \&node);
