# 031_faults_process.pl: gpuaggd or the session ends at each stage of a request.
#
# slow_launch keeps a request on the device for a while, on a GPU, too, so that
# the fault comes in the middle of it.

use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use FaultMatrix;

sub signal
{
	my ($signal) = @_;

	return sub { kill $signal, $_[2] };
}

sub on_backend
{
	my ($function) = @_;

	return sub { $_[0]->look("SELECT $function($_[1]{pid})") };
}

# The stages, each as what gpuaggd does for the session; its query, and whether the
# arrays are resident.
my @stages = (
	[ 'sums elements', 'sum', 0 ],
	[ 'loads arrays', 'stored', 0 ],
	[ 'sums resident arrays', 'stored', 1 ],
	[ 'sums groups', 'groups', 1 ],
	[ 'computes totals', 'scan', 0 ],
	[ 'computes totals of resident arrays', 'stored_scan', 1 ],
	[ 'returns totals as rows', 'rows', 1 ],
);

my @rows;
foreach my $stage (@stages)
{
	my ($what, $query, $warm) = @$stage;
	my %common = (faults => 'slow_launch=200', query => $query, warm => $warm, cuda => 1);

	push @rows, {
		%common,
		name => "gpuaggd is killed while it $what",
		act => signal('KILL'),
		within => 3,
		witness => 'either',
		proof => { reason => 'gpuaggd went away', log => qr/gpuaggd was terminated by signal 9/, dies => 1 },
	  },
	  {
		%common,
		name => "a query is cancelled while gpuaggd $what",
		act => on_backend('pg_cancel_backend'),
		expect => 'canceling statement due to user request',
		within => 1,
		proof => { error => qr/57014/ },
		survives => 1,
	  },
	  {
		%common,
		name => "a session is terminated while gpuaggd $what",
		act => on_backend('pg_terminate_backend'),
		expect => 'terminating connection due to administrator command',
		within => 1,
		proof => { error => qr/57P01/ },
		survives => 1,
	  },
	  {
		%common,
		name => "statement_timeout while gpuaggd $what",
		settings => "SET statement_timeout = '100ms'",
		expect => 'canceling statement due to statement timeout',
		within => 1,
		proof => { error => qr/57014/, lasts => 0.1 },
		survives => 1,
	  },
	  {
		%common,
		name => "gpuagg.request_timeout is over while gpuaggd $what",
		settings => "SET gpuagg.request_timeout = '100ms'",
		within => 3,
		proof => { error => qr/the CPU goes on with a query: a request took too long/ },
		survives => 1,
	  },
	  {
		%common,
		name => "the client goes away while gpuaggd $what",
		settings => "SET client_connection_check_interval = '20ms'",
		act => sub { $_[1]->kill },
		expect => 'lost',
		within => 1,
		proof => { log => qr/connection to client lost/ },
		survives => 1,
	  };
}

fault_matrix(\@rows);
