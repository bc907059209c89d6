# 030_faults_device.pl: the device fails, hangs, crashes gpuaggd, or has no memory.
#
# Faults of the emulated device (CONTRIBUTING.md has their list), at each kind of
# request.

use strict;
use warnings;

use FindBin;
use lib $FindBin::RealBin;
use FaultMatrix;

my @requests = (
	[ 'sum elements', 'sum' ],
	[ 'sum stored arrays', 'stored' ],
	[ 'compute totals', 'scan' ],
	[ 'compute totals of stored arrays', 'stored_scan' ],
	[ 'return totals as rows', 'rows' ],
);

my @rows;
foreach my $request (@requests)
{
	my ($what, $query) = @$request;

	push @rows, {
		name => "gpuaggd crashes when it is to $what",
		faults => 'crash_launch=1',
		query => $query,
		within => 3,
		proof => { reason => 'gpuaggd went away', log => qr/gpuaggd was terminated by signal 6/, dies => 1 },
	  },
	  {
		name => "the device fails when it is to $what",
		faults => 'fail_launch=1',
		query => $query,
		within => 3,
		proof => { reason => 'the device failed', log => qr/injected failure/, dies => 1 },
	  },
	  {
		name => "the device is out of memory when it is to $what",
		faults => 'refuse_launch=1',
		query => $query,
		within => 2,
		proof => { reason => 'out of device memory' },
		survives => 1,
	  },
	  {
		name => "the device hangs when it is to $what",
		faults => 'hang_launch=1',
		query => $query,
		within => 4,
		proof => { log => qr/no answer from the device for 1000 ms/, lasts => 0.9, dies => 1 },
	  };
}

push @rows, {
	name => 'the device fails at a later request',
	faults => 'fail_launch=2',
	within => 3,
	proof => { reason => 'the device failed', log => qr/injected failure/, dies => 1 },
  },
  {
	name => 'gpuaggd crashes at a later request',
	faults => 'crash_launch=2',
	within => 3,
	proof => { reason => 'gpuaggd went away', log => qr/gpuaggd was terminated by signal 6/, dies => 1 },
  },
  {
	name => 'no device memory for the first request',
	faults => 'fail_allocation=1',
	within => 2,
	proof => { reason => 'out of device memory' },
	survives => 1,
  },
  {
	name => 'no device memory at all',
	faults => 'no_memory_after=1',
	witness => 'CPU',
	within => 2,
	proof => { reason => 'out of device memory' },
	survives => 1,
  },
  {
	name => 'no device memory for arrays',
	faults => 'no_memory_after=1',
	query => 'stored',
	witness => 'CPU',
	within => 2,
	proof => { log => qr/for resident arrays, and no more: .*injected lack of memory/ },
	survives => 1,
  },
  {
	name => 'a query is cancelled while the device hangs',
	faults => 'hang_launch=1',
	act => sub { $_[0]->look("SELECT pg_cancel_backend($_[1]{pid})") },
	expect => 'canceling statement due to user request',
	within => 0.6,
	proof => { error => qr/57014/, log => qr/no answer from the device/ },
  },
  {
	name => 'a session is terminated while the device hangs',
	faults => 'hang_launch=1',
	act => sub { $_[0]->look("SELECT pg_terminate_backend($_[1]{pid})") },
	expect => 'terminating connection due to administrator command',
	within => 0.6,
	proof => { error => qr/57P01/, log => qr/no answer from the device/ },
  },
  {
	name => 'statement_timeout while the device hangs',
	faults => 'hang_launch=1',
	settings => "SET statement_timeout = '200ms'",
	expect => 'canceling statement due to statement timeout',
	within => 0.6,
	proof => { error => qr/57014/, lasts => 0.2, log => qr/no answer from the device/ },
  },
  {
	name => 'gpuagg.request_timeout of the session is over while the device hangs',
	faults => 'hang_launch=1',
	settings => "SET gpuagg.request_timeout = '200ms'",
	within => 1,
	proof => { reason => 'a request took too long', lasts => 0.2, log => qr/no answer from the device/ },
  },
  {
	name => 'gpuaggd of another version, engine = auto',
	faults => 'wrong_version=1',
	settings => 'SET gpuagg.engine = auto; SET gpuagg.min_gpu_size = 0',
	query => 'stored',
	witness => 'CPU',
	within => 1,
	proof => { reason => 'gpuaggd of another version' },
	survives => 1,
  },
  {
	name => 'gpuaggd of another version, engine = gpu',
	faults => 'wrong_version=1',
	expect => 'gpuaggd of another version',
	witness => 'CPU',
	within => 1,
	proof => { error => qr/58000/ },
	survives => 1,
  };

fault_matrix(\@rows, settings => ["gpuagg.request_timeout = '1s'"]);
