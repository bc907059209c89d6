# shellcheck shell=bash
# tree.sh: sourced by on-bare, upgrade-on-bare, deb-on-bare and image-on-bare: bare
# trees of a distribution, and commands that run in them as if on a machine of their own.
#
#	tree_trouble			says why there can be no trees here
#	tree_begin NAME			makes $work, for the tree $tree and what else is needed
#	tree_make SUITE			what debootstrap has, git and make; or a copy of TREE
#	tree_add_suite SUITE	has apt know another suite, for what the first one lacks
#	tree_add_candidate VERSION	has apt know a release candidate
#	tree_copy DIR			instead of tree_make: a copy of another tree as it is
#	tree_run [VARIABLE=VALUE...] COMMAND...	runs that in the tree, as root
#	tree_start [VARIABLE=VALUE...] COMMAND...	the same, and does not wait for its end
#	tree_exec [VARIABLE=VALUE...] COMMAND...	runs that beside what tree_start started
#
# With tree_alone=yes what is started has no network but a loopback of its own.
#
# Those that make a tree return 1 where there is no such tree to be had.  Processes and
# mounts are in namespaces of their own, which end with the calling script, as $work
# does.  KEEP=DIR keeps the tree there at the end.
#
# Needs root, debootstrap and the right to mount; archive.sh.

work="" tree="" tree_child="" tree_alone=""

# Says why, where trees cannot be made.
tree_trouble()
{
	if [ "$(id -u)" != 0 ]; then
		echo "needs root"
	elif ! unshare --mount --pid --fork true 2>/dev/null; then
		echo "mounts are not permitted here"
	elif [ -z "${TREE-}" ] && ! command -v debootstrap >/dev/null; then
		echo "needs debootstrap: apt-get install debootstrap"
	fi
}

tree_begin()
{
	work=$(mktemp -d "${TMPDIR:-/tmp}/$1.XXXXXX")
	tree=$work/tree
	trap tree_finish EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM HUP
	chmod 755 "$work"
}

# Ends what runs, removes the tree.
tree_finish()
{
	local status=$?

	trap '' INT TERM HUP
	[ -z "$tree_child" ] || kill -KILL "$tree_child" 2>/dev/null || true
	wait
	if [ -n "${KEEP-}" ] && [ -d "$tree/etc" ]; then
		mkdir -p "$(dirname "$KEEP")" && mv -T "$tree" "$KEEP"
	fi
	rm -rf --one-file-system "$work"
	exit $status
}

# The copy reaches the network as the system does.
tree_copy()
{
	rm -rf --one-file-system "$tree"
	mkdir "$tree"
	chmod 755 "$tree"
	cp -a --reflink=auto "$1/." "$tree/"
	[ ! -e /etc/resolv.conf ] || cp -L /etc/resolv.conf "$tree/etc/"
	# The tree does not outlive the machine.
	echo force-unsafe-io >"$tree/etc/dpkg/dpkg.cfg.d/no-sync"
}

# experimental is on top of sid.
tree_base()
{
	[ "$1" = experimental ] && echo sid || echo "$1"
}

tree_make()
{
	local base script url keys

	base=$(tree_base "$1")
	script=$base
	# Suites of Ubuntu that this debootstrap is too old to know.
	[ -e "/usr/share/debootstrap/scripts/$script" ] || script=gutsy
	if [ -z "${TREE-}" ]; then
		url=$(archive_url "$base") && keys=$(archive_keys "$base" "$work") || return 1
		tree_proxy_for_wget
		mkdir "$work/new"
		debootstrap --variant=minbase --include=ca-certificates,git,make \
			--keyring="$keys" "$base" "$work/new" "$url" "$script" \
			>"$work/debootstrap.log" 2>&1 || {
			tail -n 20 "$work/debootstrap.log" >&2
			return 1
		}
	fi
	tree_copy "${TREE:-$work/new}"
	rm -rf "$work/new" "$tree"/etc/apt/sources.list "$tree"/etc/apt/sources.list.d/*
	mkdir -p "$tree/etc/apt/keyrings"
	archive_apt_settings >"$tree/etc/apt/apt.conf.d/99on-bare"
	[ ! -f /etc/apt/auth.conf ] || cp /etc/apt/auth.conf "$tree/etc/apt/"
	tree_source "$base"
}

# debootstrap downloads with wget, which does not read apt's settings.
tree_proxy_for_wget()
{
	local proxy

	eval "$(apt-config shell proxy Acquire::http::Proxy)"
	[ -z "${proxy-}" ] || [ "$proxy" = DIRECT ] || export http_proxy=$proxy
	proxy=
	eval "$(apt-config shell proxy Acquire::https::Proxy)"
	[ -z "$proxy" ] || [ "$proxy" = DIRECT ] || export https_proxy=$proxy
}

# Has apt in the tree know a suite.
tree_source()
{
	local url keys kind suites=$1 suite

	kind=$(archive_kind "$1")
	url=$(archive_url "$1") && keys=$(archive_keys "$1" "$work") || return 1
	cp "$keys" "$tree/etc/apt/keyrings/$kind.gpg"
	[ "$kind" != ubuntu ] || ! archive_has "$url" "$1-updates" || suites="$1 $1-updates"
	for suite in $suites; do
		echo "deb [signed-by=/etc/apt/keyrings/$kind.gpg] $url $suite" \
			"$(archive_components "$1")" >>"$tree/etc/apt/sources.list"
	done
}

tree_add_suite()
{
	tree_source "$1" || return 1
	cat >"$tree/etc/apt/preferences.d/$1" <<-PIN
		Package: *
		Pin: release n=$1*
		Pin-Priority: 100
	PIN
}

# A release candidate is in experimental, where pgTAP of that version and the
# package `postgresql` are not yet: adds the one of the version before, which is
# SQL alone, and one that names the candidate, in an archive of the tree's own.
tree_add_candidate()
{
	local version=$1 debs=$tree/srv/candidate pgtap=$work/postgresql-$(($1 - 1))-pgtap

	tree_source experimental || return 1
	cat >"$tree/etc/apt/preferences.d/candidate" <<-PIN
		Package: src:postgresql-$version
		Pin: release a=experimental
		Pin-Priority: 990
	PIN
	archive_get sid "${pgtap##*/}" "$work" || return 1
	mv "$pgtap/usr/share/postgresql/$((version - 1))" \
		"$pgtap/usr/share/postgresql/$version" || return 1
	mkdir -p "$debs" "$work/postgresql"
	tree_package "$pgtap" "postgresql-$version-pgtap" 1 &&
		tree_package "$work/postgresql" postgresql "$version+0" || return 1
	echo "deb [trusted=yes] file:/srv/candidate ./" >>"$tree/etc/apt/sources.list"
}

# tree_package DIR NAME PACKAGE_VERSION: of what is in DIR; needs the server.
# Called by tree_add_candidate.
tree_package()
{
	local file=$debs/$2.deb

	mkdir -p "$1/DEBIAN"
	cat >"$1/DEBIAN/control" <<-CONTROL
		Package: $2
		Version: $3
		Architecture: all
		Maintainer: on-bare <nobody@localhost>
		Depends: postgresql-$version
		Description: what the archive does not have yet
	CONTROL
	dpkg-deb -b --root-owner-group "$1" "$file" >/dev/null || return 1
	{
		dpkg-deb -f "$file"
		echo "Filename: ./$2.deb"
		echo "Size: $(stat -c %s "$file")"
		echo "SHA256: $(sha256sum "$file" | cut -d ' ' -f 1)"
		echo
	} >>"$debs/Packages"
}

# The first process in the tree is the command.  Its parent outside is $tree_child.
tree_start()
{
	# shellcheck disable=SC2016
	unshare --mount --pid ${tree_alone:+--net} --fork --kill-child --propagation private \
		bash -c 'set -e; cd "$0"
			[ -z "$1" ] || ip link set lo up
			shift
			mount -t proc proc proc
			mount -t sysfs -o ro sysfs sys
			mount -t tmpfs tmpfs dev/shm
			exec chroot . "$@"' "$tree" "$tree_alone" \
		/usr/bin/env -i HOME=/root LANG=C.UTF-8 \
		PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
		${http_proxy+"http_proxy=$http_proxy"} ${https_proxy+"https_proxy=$https_proxy"} \
		${no_proxy+"no_proxy=$no_proxy"} "$@" </dev/null &
	tree_child=$!
}

tree_run()
{
	tree_start "$@"
	wait $tree_child
	tree_child=
}

# The first process in the tree, as it is seen outside.
tree_first()
{
	pgrep -P "$tree_child"
}

tree_exec()
{
	nsenter --target "$(tree_first)" --mount --pid --net --root --wd \
		/usr/bin/env -i HOME=/root LANG=C.UTF-8 \
		PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@"
}
