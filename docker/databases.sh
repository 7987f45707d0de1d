#!/bin/sh
# The health check of a Postgres: asks each database that is named, over TCP, where a server that is still being set up does not
# listen. Says which one does not answer.
for database in "$@"; do
  psql --host=127.0.0.1 --username=plaza --no-password --dbname="$database" --quiet --command='SELECT 1' >/dev/null || exit 1
done
