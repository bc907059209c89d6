# 017_settings.pl: values that no setting takes.
#
# gpuaggd gets its settings from the server's configuration, where a mistake
# must be refused at once, with words that help: ALTER SYSTEM refuses it, and a
# server that starts with it in its file warns, and goes on with the default.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('settings');
$node->init;
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'gpuagg'\ngpuagg.device = 'none'");
$node->start;

# Return what ALTER SYSTEM says about a value; empty if it takes it.
sub refusal
{
	my ($setting, $value) = @_;
	my ($rc, $out, $err) =
	  $node->psql('postgres', "\\set VERBOSITY verbose\nALTER SYSTEM SET gpuagg.$setting = '$value'");

	$node->safe_psql('postgres', "ALTER SYSTEM RESET gpuagg.$setting");
	return $rc == 0 ? '' : $err;
}

my %bad = (
	device => [
		'',     'garbage', 'gpu', 'AUTO', 'Emulated', '-1', '1234', '64', '999', '0,',
		',0',   '0,,1',    '0 ',  ' 0',   '0, 1',     '0;1', '0x1', '1.5', '1,1', '0,01,1',
		'none,0', '99999999999999999999'
	],
	emulated_faults => [
		'garbage',         'no_such=1',      'fail_launch', 'fail_launch=', 'fail_launch=x', '=1',
		'fail_launch=-1',  'fail_launch=1x', 'fail=1',      'fail_launchx=1', 'FAIL_LAUNCH=1',
		'fail_launch=1,',  ',fail_launch=1', ',',           'fail_launch=1,,hang_launch=2',
		'fail_launch=4294967296', 'fail_launch=99999999999999999999', 'fail_launch=1, hang_launch=2'
	]);
my %good = (
	device => [ 'auto', 'none', 'emulated', '0', '63', '0,1', '7,3,5', join(',', 0 .. 63) ],
	emulated_faults =>
	  [ '', 'fail_launch=0', 'fail_launch=4294967295', 'ladder_hang=1,slow_launch=7,wrong_version=1' ]);

for my $setting (sort keys %bad)
{
	for my $value (@{ $bad{$setting} })
	{
		my $said = refusal($setting, $value);

		like($said, qr/ERROR:  22023: invalid value for parameter "gpuagg\.$setting": "\Q$value\E"\n/,
			"$setting is not \"$value\"");
		like($said, qr/^DETAIL:  .+\n(?:.*\n)*?HINT:  .+$/m, 'with a detail and a hint');
	}
	is(refusal($setting, $_), '', "$setting may be \"$_\"") foreach @{ $good{$setting} };
}
like(refusal('emulated_faults', 'no_such=1'), qr/DETAIL:  "no_such=1" .*\nHINT:  .*\bfail_launch, /,
	'the hint has the names of the faults');
$node->stop;

# The file of a server that starts.
$node->append_conf('postgresql.conf', "gpuagg.emulated_faults = 'no_such=1'\ngpuagg.device = 'gpu'");
$node->start;
my $log = slurp_file($node->logfile);
like($log, qr/WARNING:  invalid value for parameter "gpuagg\.$_"/, "a file with a wrong $_ is a warning")
  foreach sort keys %bad;
is($node->safe_psql('postgres', 'SHOW gpuagg.device'), 'auto', 'and the default counts');
unlike($log, qr/usage: gpuaggd/, 'gpuaggd does not see it');
$node->stop;
done_testing();
