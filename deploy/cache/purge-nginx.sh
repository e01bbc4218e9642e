#!/bin/sh
# Makes nginx's cache forget packages that were removed since the last run. Run it every five seconds, for instance by a
# timer of systemd:
#   purge-nginx.sh STATE MAP 'nginx -s reload'     STATE: a file with the version that the last run told to go on from
#                                                  MAP: the file that nginx-cache.conf includes
set -eu
state=$1
map=$2
reload=$3
list=$(${CITYMODEL:-citymodel} purge-list --since "$(cat "$state" 2>/dev/null || echo 0)" --as nginx)
case $list in
*'All files of the cache'*)
  version=$(printf '%s\n' "$list" | sed -n 's/^# version //p')
  echo "purge-nginx.sh: delete the directory of proxy_cache_path, then write $version into $state" >&2
  exit 1
  ;;
esac
touch "$map"
# The newest line of a package counts: nginx accepts one only.
{
  printf '%s\n' "$list" | grep -v '^#' || true
  cat "$map"
} | awk '!seen[$1]++' > "$map.new"
if cmp -s "$map" "$map.new"; then
  rm "$map.new"
else
  touch "$map.unread"
  mv "$map.new" "$map"
fi
# Also where an earlier run could not.
if [ -e "$map.unread" ]; then
  $reload
  rm "$map.unread"
fi
printf '%s\n' "$list" | sed -n 's/^# version //p' > "$state.new"
mv "$state.new" "$state"
