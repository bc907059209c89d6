# shellcheck shell=bash
# archive.sh: sourced by on-bare and fetch-headers, which need packages of other
# suites than the system's own.
#
# Archives are found by what the system's apt is configured with: its mirror,
# its proxy, its settings.  Ubuntu's is beside Debian's, or where debootstrap
# knows it to be.  ARCHIVE_DEBIAN and ARCHIVE_UBUNTU name others.

# The suites that have the supported versions of PostgreSQL.  No suite of Debian
# has 16.  experimental is used on top of sid.
archive_suites="bookworm:15 noble:16 trixie:17 sid:18 experimental:19"

# archive_suite_of VERSION: the suite that has it.
archive_suite_of()
{
	local pair

	for pair in $archive_suites; do
		[ "${pair#*:}" != "$1" ] || echo "${pair%:*}"
	done
}

# archive_kind SUITE: whose it is.
archive_kind()
{
	case $1 in
		noble | questing) echo ubuntu ;;
		*) echo debian ;;
	esac
}

archive_components()
{
	case $1 in
		noble | questing) echo main universe ;;
		*) echo main ;;
	esac
}

# The settings of the system's apt that say how archives are reached.
archive_apt_settings()
{
	apt-config dump | grep -E \
		'^Acquire::(https?|ftp|Retries|ForceIPv[46]|Check-Valid-Until|Check-Date|Languages)[: ]' ||
		true
}

# The URL of Debian's archive, as the system's apt has it.
archive_configured_debian()
{
	local url

	url=$(apt-get indextargets --format '$(REPO_URI)' \
		'Label: Debian' 'Created-By: Packages' 2>/dev/null | head -n 1)
	# A list of mirrors: the first one of the file.
	case $url in
		mirror+file:*)
			url=${url#mirror+file:}
			url=$(sed -n 's/^\([a-z]*:[^ \t]*\).*/\1/p' "${url%/}" | head -n 1)
			;;
	esac
	echo "${url%/}"
}

# True if an archive has a suite.
archive_has()
{
	local file status=0

	file=$(mktemp)
	/usr/lib/apt/apt-helper -q download-file "$1/dists/$2/Release" "$file" \
		>/dev/null 2>&1 || status=1
	rm -f "$file"
	return $status
}

# archive_url SUITE: where the archive with that suite is.
archive_url()
{
	local debian=${ARCHIVE_DEBIAN:-$(archive_configured_debian)} url

	if [ "$(archive_kind "$1")" = debian ]; then
		[ -n "$debian" ] || {
			echo "archive: apt knows of no archive of Debian; apt-get update," \
				"or ARCHIVE_DEBIAN=URL" >&2
			return 1
		}
		echo "$debian"
		return
	fi
	for url in "${ARCHIVE_UBUNTU-}" "${debian%/*}/ubuntu" \
		"$(sed -n 's/^[ \t]*default_mirror \(.*\/ubuntu\)$/\1/p' \
			/usr/share/debootstrap/scripts/gutsy 2>/dev/null | sed -n 2p)"; do
		[ -n "$url" ] && archive_has "$url" "$1" && echo "$url" && return
	done
	echo "archive: no archive with $1 was found; ARCHIVE_UBUNTU=URL" >&2
	return 1
}

# archive_keys SUITE DIR: the file with its keys; Ubuntu's come to DIR, with the
# package that Debian has of them.
archive_keys()
{
	local keys=/usr/share/keyrings/$(archive_kind "$1")-archive-keyring.gpg

	if [ ! -f "$keys" ]; then
		[ "$(archive_kind "$1")" = ubuntu ] || {
			echo "archive: there is no $keys" >&2
			return 1
		}
		[ -f "$2/ubuntu-keyring$keys" ] ||
			archive_get sid ubuntu-keyring "$2" >/dev/null || return 1
		keys=$2/ubuntu-keyring$keys
	fi
	echo "$keys"
}

# archive_get SUITE PACKAGE DIR: unpack a package to DIR/PACKAGE.  Installs
# nothing, and keeps apt's state and lists below DIR, so that the system's own
# apt does not notice.
archive_get()
{
	local home=$3/apt/$2 url keys

	url=$(archive_url "$1") && keys=$(archive_keys "$1" "$3") || return 1
	mkdir -p "$home"/{lists/partial,cache/archives/partial,parts,download} "$3/$2"
	: >"$home/status"
	echo "deb [signed-by=$keys] $url $1 $(archive_components "$1")" >"$home/sources.list"
	# Besides this, the system's apt settings hold: it may need a proxy.
	cat >"$home/apt.conf" <<-CONF
		Dir::Etc::sourcelist "$home/sources.list";
		Dir::Etc::sourceparts "$home/parts";
		Dir::Etc::preferences "/dev/null";
		Dir::Etc::preferencesparts "$home/parts";
		Dir::State "$home";
		Dir::State::lists "$home/lists";
		Dir::State::status "$home/status";
		Dir::Cache "$home/cache";
		APT::Sandbox::User "";
		# A mirror that is some days behind is good enough.
		Acquire::Check-Valid-Until "false";
		Acquire::Languages "none";
		Acquire::Retries "2";
		Acquire::http::Timeout "30";
	CONF
	(
		export APT_CONFIG=$home/apt.conf
		apt-get -qq update && cd "$home/download" && apt-get -qq download "$2"
	) >"$home/log" 2>&1 </dev/null &&
		dpkg-deb -x "$home"/download/*.deb "$3/$2" 2>>"$home/log" || {
		echo "archive: no $2 from $1: $(tail -n 1 "$home/log")" >&2
		return 1
	}
}
