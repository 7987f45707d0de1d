#!/bin/sh
# EventStoreDB's own backup by copying files, in the order of its manual (docs.kurrent.io, operations/backup, "Simple full backup"):
# index checkpoints, index, checkpoints, chunks. `backup` needs a running server that does not scavenge. `restore` needs a stopped
# server, and keeps the replaced files.
set -eu
data=/eventstore
act=${1-} place=${2-}

fail() {
  echo "$1" >&2
  exit 1
}

# Copies the files that `find` lists below a directory, with their paths.
copy() {
  from=$1 to=$2
  shift 2
  (cd "$from" && find . "$@" -type f -print0 | tar --create --sparse --null --files-from=- --file=-) | tar --extract --file=- --directory="$to"
}

backup() {
  [ ! -e "$place" ] || fail "$place is there already: name a directory that is not."
  [ -e "$data/chaser.chk" ] || fail "There is no event store in the volume."
  umask 077
  mkdir "$place.unfinished"
  copy "$data" "$place.unfinished" -path './index/*' -name '*.chk'
  copy "$data" "$place.unfinished" -path './index/*' ! -name '*.chk'
  copy "$data" "$place.unfinished" -maxdepth 1 -name '*.chk'
  copy "$data" "$place.unfinished" -maxdepth 1 -name 'chunk-*'
  sync
  mv "$place.unfinished" "$place"
  echo "The event store's files are in $place."
}

restore() {
  [ -e "$place/chaser.chk" ] || fail "$place has no backup of an event store."
  kept="$data/kept-$(date -u +%Y%m%dT%H%M%SZ)"
  mkdir "$kept"
  find "$data" -mindepth 1 -maxdepth 1 ! -name 'kept-*' ! -name lost+found -exec mv {} "$kept" \;
  copy "$place" "$data"
  # With this file the server cuts off all bytes behind this point.
  cp "$data/chaser.chk" "$data/truncate.chk"
  sync
  echo "The event store's files are those of $place; the former ones are in ${kept#"$data/"} of the volume."
}

case $act in
backup | restore) [ -n "$place" ] || fail "usage: $act DIRECTORY" ;;
*) fail "usage: backup DIRECTORY, or restore DIRECTORY" ;;
esac
"$act"
