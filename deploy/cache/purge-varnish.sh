#!/bin/sh
# Drops from Varnish what changed since the last run. Run it every five seconds, for instance by a timer of systemd:
#   purge-varnish.sh STATE http://127.0.0.1:6081...
#   STATE: a file with the version that the last run told to go on from
set -eu
state=$1
shift
list=$(${CITYMODEL:-citymodel} purge-list --since "$(cat "$state" 2>/dev/null || echo 0)" --as keys)
for cache in "$@"; do
  for key in $(printf '%s\n' "$list" | grep -v '^#'); do
    curl --fail --silent --show-error --max-time 10 -X BAN -H "Surrogate-Key: $key" "$cache/"
  done
done
# Only now: what failed above is listed again by the next run.
printf '%s\n' "$list" | sed -n 's/^# version //p' > "$state.new"
mv "$state.new" "$state"
