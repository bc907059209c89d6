#!/usr/bin/env bash
# docker-entrypoint.sh: in the base image of test/bin/image-on-bare, for the official
# image's script of that name, as far as packaging/Dockerfile relies on it.
#
# For the command `postgres`: as root, gives the data directory to the user postgres
# and goes on as that.  In an empty data directory makes a cluster, with
# POSTGRES_USER, POSTGRES_PASSWORD and POSTGRES_DB, and runs the files of
# /docker-entrypoint-initdb.d on a server that has no TCP.  Then, as for every other
# command, becomes the command.
set -euo pipefail

export POSTGRES_USER=${POSTGRES_USER:-postgres}
export POSTGRES_DB=${POSTGRES_DB:-$POSTGRES_USER}

new_cluster()
{
	local file

	initdb -D "$PGDATA" --username="$POSTGRES_USER" \
		--pwfile=<(printf '%s\n' "${POSTGRES_PASSWORD:?is not set}")
	echo "host all all all scram-sha-256" >>"$PGDATA/pg_hba.conf"
	pg_ctl -D "$PGDATA" -w -o "-c listen_addresses=''" start
	[ "$POSTGRES_DB" = postgres ] || createdb -U "$POSTGRES_USER" "$POSTGRES_DB"
	for file in /docker-entrypoint-initdb.d/*; do
		case $file in
			*.sh) "$file" ;;
			*.sql) psql -X -v ON_ERROR_STOP=1 -U "$POSTGRES_USER" -d "$POSTGRES_DB" -f "$file" ;;
		esac
	done
	pg_ctl -D "$PGDATA" -m fast -w stop
}

if [ "$1" = postgres ]; then
	if [ "$(id -u)" = 0 ]; then
		install -d -o postgres -g postgres -m 700 "$PGDATA"
		install -d -o postgres -g postgres -m 3775 /var/run/postgresql
		exec gosu postgres "$0" "$@"
	fi
	[ -s "$PGDATA/PG_VERSION" ] || new_cluster
fi
exec "$@"
