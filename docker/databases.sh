#!/bin/sh
# The health check of a Postgres: queries each named database over TCP, where a server does not listen during its setup. Names the
# database that does not answer.
for database in "$@"; do
  psql --host=127.0.0.1 --username=plaza --no-password --dbname="$database" --quiet --command='SELECT 1' >/dev/null || exit 1
done
