# Jobs.pm: run test files side by side, read their TAP, and count what they took.
#
# A job is a command.  Each belongs to a pool, which says how many of its jobs
# run at once, and to a group, which is a line of the summary.  Jobs of a pool
# start in the order in which they were added.  Used by test/bin/check.
package Jobs;

use strict;
use warnings;
use File::Path qw(make_path);
use POSIX qw(WNOHANG setpgid);
use TAP::Parser;
use Time::HiRes qw(time sleep);

# Seconds without news after which a line tells what runs.
use constant QUIET => 20;

# new(log_dir, time_limit, pools => {name => {width, nice, time_limit}}): of a pool only the
# width is needed.  Times are in seconds.
sub new
{
	my ($class, %self) = @_;

	make_path($self{log_dir});
	return bless { %self, waiting => [], running => {}, done => {}, groups => {}, order => [] }, $class;
}

# add(pool, group, name, command): a job.  Optional: env, dir, tap (0: only the
# exit status counts), key (by which others need it), needs (the key of a job
# that has to pass first), after (that of a job that has to end first), shown (0: no line if all is well).
sub add
{
	my ($self, %job) = @_;

	$job{tap} //= 1;
	$job{shown} //= 1;
	$self->add_figures($job{group}, 0, 0);
	push @{ $self->{waiting} }, \%job;
}

# Count time that a group took elsewhere.
sub add_figures
{
	my ($self, $name, $cpu, $elapsed) = @_;

	push @{ $self->{order} }, $name if !$self->{groups}{$name};
	my $group = $self->{groups}{$name} //= { files => 0, tests => 0, failed => 0, cpu => 0, elapsed => 0 };
	$group->{cpu} += $cpu;
	$group->{elapsed} += $elapsed;
}

# Run all; returns whether all is well.  A signal ends what runs, and us.
sub run
{
	my ($self) = @_;

	for my $signal (qw(INT TERM HUP))
	{
		$SIG{$signal} = sub { $self->stop; exit 130; };
	}
	$self->{news} = time;
	while (@{ $self->{waiting} } || %{ $self->{running} })
	{
		$self->start_jobs;
		$self->reap or sleep 0.05;
		$self->tell_what_runs if time - $self->{news} > QUIET;
	}
	return !grep { $_->{failed} } values %{ $self->{groups} };
}

sub start_jobs
{
	my ($self) = @_;
	my (%busy, @waiting);

	$busy{ $_->{pool} }++ for values %{ $self->{running} };
	for my $job (@{ $self->{waiting} })
	{
		my $first = $job->{needs};
		if (defined $first && ($self->{done}{$first} // '') eq 'failed')
		{
			$self->tell($job, 0, "not run, since '$first' failed");
		}
		elsif (($busy{ $job->{pool} } // 0) < $self->{pools}{ $job->{pool} }{width}
			&& (!defined $first || $self->{done}{$first})
			&& (!defined $job->{after} || $self->{done}{ $job->{after} }))
		{
			$busy{ $job->{pool} }++;
			$self->start($job);
		}
		else
		{
			push @waiting, $job;
		}
	}
	$self->{waiting} = \@waiting;
}

sub start
{
	my ($self, $job) = @_;
	my $name = "$job->{group}-$job->{name}" =~ s/[^\w.-]+/-/gr;

	$job->{out} = "$self->{log_dir}/$name.out";
	$job->{err} = "$self->{log_dir}/$name.err";
	$job->{start} = time;
	my $pid = fork // die "fork: $!";
	if ($pid == 0)
	{
		$SIG{$_} = 'DEFAULT' for qw(INT TERM HUP);
		setpgid(0, 0);
		POSIX::nice($self->{pools}{ $job->{pool} }{nice} // 0);
		%ENV = (%ENV, %{ $job->{env} // {} });
		open STDIN, '<', '/dev/null';
		open STDOUT, '>', $job->{out} or die "$job->{out}: $!";
		open STDERR, '>', $job->{err} or die "$job->{err}: $!";
		chdir $job->{dir} or die "$job->{dir}: $!" if $job->{dir};
		exec @{ $job->{command} } or print STDERR "$job->{command}[0]: $!\n";
		POSIX::_exit(127);
	}
	$self->{running}{$pid} = $job;
	$self->{groups}{ $job->{group} }{start} //= $job->{start};
}

sub time_limit
{
	my ($self, $job) = @_;

	return $self->{pools}{ $job->{pool} }{time_limit} // $self->{time_limit};
}

# Take in a job that has ended, or that is out of time; false if there is none.
sub reap
{
	my ($self) = @_;

	for my $pid (keys %{ $self->{running} })
	{
		my $job = $self->{running}{$pid};
		next if time - $job->{start} < $self->time_limit($job);
		$job->{late} = 1;
		kill 'KILL', -$pid;
	}
	my @before = times;
	my $pid = waitpid(-1, WNOHANG);
	my $status = $?;
	my @after = times;
	my $job = $pid > 0 ? delete $self->{running}{$pid} : undef;
	return 0 if !$job;
	$job->{cpu} = $after[2] + $after[3] - $before[2] - $before[3];
	$self->finish($job, $status);
	return 1;
}

sub finish
{
	my ($self, $job, $status) = @_;
	my $problem;

	$problem = "exit status $status" if $status != 0;
	$problem = 'not finished after ' . $self->time_limit($job) . ' s' if $job->{late};
	$problem = $self->read_tap($job) // $problem if $job->{tap};
	$self->tell($job, !defined $problem, $problem);
}

# What is wrong with the tests of a job; undef if nothing is.
sub read_tap
{
	my ($self, $job) = @_;
	my $parser = TAP::Parser->new({ tap => slurp($job->{out}) || "# nothing\n" });
	my %reasons;

	while (my $result = $parser->next)
	{
		$reasons{ $result->explanation || 'no reason given' }++ if $result->is_test && $result->has_skip;
	}
	$self->skip("$job->{name}: " . $parser->skip_all) if $parser->skip_all;
	$self->skip("$job->{name}: $_ ($reasons{$_} tests)") for sort keys %reasons;
	$job->{tests} = $parser->tests_run;
	return 'tests failed: ' . join(' ', $parser->failed) if $parser->failed;
	return join('; ', $parser->parse_errors) if $parser->parse_errors;
	return;
}

# Count a job's result, and tell it.
sub tell
{
	my ($self, $job, $well, $problem) = @_;
	my $group = $self->{groups}{ $job->{group} };

	$self->{done}{ $job->{key} // $job->{name} } = $well ? 'done' : 'failed';
	$group->{end} = time;
	$group->{files}++ if $job->{tap};
	$group->{tests} += $job->{tests} // 0;
	$group->{cpu} += $job->{cpu} // 0;
	$group->{failed}++ if !$well;
	return if $well && !$job->{shown};
	$self->{news} = time;
	my $seconds = $job->{start} ? time - $job->{start} : 0;
	printf "%-6s  %-31s %-22s %5s %6.1f s\n", $well ? 'ok' : 'FAILED', $job->{group}, $job->{name},
	  $job->{tests} // '', $seconds;
	return if $well;
	print "        $problem\n";
	for my $file (grep { defined && -s } $job->{err}, $job->{out})
	{
		my @lines = grep { !/^ok / } split /^/, slurp($file);
		splice @lines, 0, @lines - 40 if @lines > 40;
		print "        $_" for @lines;
	}
}

# Note that something is not tested, and why.
sub skip
{
	my ($self, $what) = @_;

	push @{ $self->{skipped} }, $what;
}

sub tell_what_runs
{
	my ($self) = @_;

	$self->{news} = time;
	print '...     ', join(', ', map { "$_->{group} $_->{name}" } values %{ $self->{running} }), "\n";
}

# End what runs.
sub stop
{
	my ($self) = @_;

	kill 'TERM', map { -$_ } keys %{ $self->{running} };
	sleep 0.5;
	kill 'KILL', map { -$_ } keys %{ $self->{running} };
}

# The groups, a line each.
sub print_groups
{
	my ($self) = @_;

	printf "%-32s %5s %6s %6s %7s %8s\n", 'group', 'files', 'tests', 'failed', 'CPU s', 'elapsed';
	for my $name (@{ $self->{order} })
	{
		my $group = $self->{groups}{$name};
		printf "%-32s %5s %6s %6s %7.1f %6.0f s\n", $name, $group->{files} || '', $group->{tests} || '',
		  $group->{failed} || '', $group->{cpu}, $group->{elapsed} + ($group->{end} // 0) - ($group->{start} // $group->{end} // 0);
	}
}

sub slurp
{
	my ($file) = @_;

	open my $in, '<', $file or return '';
	local $/;
	return scalar(<$in>) // '';
}

1;
