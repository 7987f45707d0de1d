#!/bin/sh
# EventStoreDB's own backup by copying files, in the order of its manual (docs.kurrent.io, operations/backup, "Simple full backup"):
# index checkpoints, index, checkpoints, chunks. `backup` copies from the first directory of DIRECTORIES, whose server runs and does
# not scavenge. `restore` replaces the files in all of them: their servers must be stopped. It keeps the replaced files.
set -eu
directories=${DIRECTORIES:-/eventstore}
act=${1-} place=${2-}

fail() {
  echo "$1" >&2
  exit 1
}

# Copies the files that `find` lists below a directory, with their paths. Fails if one of them could not be read or written.
copy() {
  from=$1 to=$2
  shift 2
  (cd "$from" && find . "$@" -type f -exec cp --parents --preserve=timestamps --target-directory="$to" {} +)
}

# Moves the entries of a directory that `find` lists.
move() {
  from=$1 to=$2
  shift 2
  find "$from" -mindepth 1 -maxdepth 1 "$@" -exec mv --target-directory="$to" {} +
}

backup() {
  data=${directories%% *}
  unfinished=$place.unfinished
  [ ! -e "$place" ] || fail "$place exists already: name a new directory."
  [ -e "$data/chaser.chk" ] || fail "$data has no event store."
  umask 077
  rm -rf "$unfinished"
  mkdir "$unfinished"
  copy "$data" "$unfinished" -path './index/*' -name '*.chk'
  # If the server merges index files meanwhile, some of the listed ones vanish. A second list has the result.
  copy "$data" "$unfinished" -path './index/*' ! -name '*.chk' || copy "$data" "$unfinished" -path './index/*' ! -name '*.chk'
  copy "$data" "$unfinished" -maxdepth 1 -name '*.chk'
  copy "$data" "$unfinished" -maxdepth 1 -name 'chunk-*'
  sync
  mv "$unfinished" "$place"
  echo "The event store's files are in $place."
}

restore() {
  [ -e "$place/chaser.chk" ] || fail "$place has no backup of an event store."
  # All copies are complete before the first file is replaced.
  for data in $directories; do
    rm -rf "$data/restoring"
    mkdir "$data/restoring"
    copy "$place" "$data/restoring"
    # With this file the server cuts off all bytes behind this point.
    cp "$data/restoring/chaser.chk" "$data/restoring/truncate.chk"
  done
  sync
  kept=kept-$(date -u +%Y%m%dT%H%M%SZ)
  for data in $directories; do
    mkdir "$data/$kept"
    move "$data" "$data/$kept" ! -name 'kept-*' ! -name restoring ! -name lost+found
    move "$data/restoring" "$data"
    rmdir "$data/restoring"
    echo "$data has the files of $place; the former ones are in $data/$kept."
  done
  sync
}

case $act in
backup | restore) [ -n "${place%/}" ] || fail "usage: $act DIRECTORY" ;;
*) fail "usage: backup DIRECTORY, or restore DIRECTORY" ;;
esac
# Absolute, because files are copied from within other directories.
case $place in
/*) place=${place%/} ;;
*) fail "Name the whole path: $place begins without a /." ;;
esac
"$act"
