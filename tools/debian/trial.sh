#!/bin/bash
# What systemd runs in the Debian of `tools/check-package --root`, as root: the server's unit and the worker's unit at work. A line for
# each step; ends at the first that fails.
set -euo pipefail

settings=/etc/lifesignal-server/server.conf
fail() { echo "FAILED: $*"; exit 1; }
step() { echo "step: $*"; }
explain() { as_ana lifesignal status --verbose; as_ana lifesignal queue list; journalctl --no-pager --lines 40 -o short; }
trap '[ $? -eq 0 ] || explain' EXIT
as_ana() { runuser -u ana -- env -C /home/ana HOME=/home/ana XDG_RUNTIME_DIR=/run/user/1001 LIFESIGNAL_BACKGROUND=off LC_ALL=C.UTF-8 "$@"; }
admin() { runuser -u lifesignal-server -- lifesignal-server admin "$@"; }

# Repeats a command until it succeeds, for half a minute.
await() {
  local end=$((SECONDS + 30))
  until "$@" >/dev/null 2>&1; do
    [ "$SECONDS" -lt "$end" ] || fail "never so: $*"
    sleep 0.2
  done
}

# Whether the server that runs now has said that.
says() { journalctl -o cat "_SYSTEMD_INVOCATION_ID=$(systemctl show -P InvocationID lifesignal-server)" | grep "$1" >/dev/null; }
server_is_ready() { systemctl --quiet is-active lifesignal-server && says "listening on"; }
alert_is_accepted() { as_ana lifesignal alert status --json | grep -q '"stage":"\(accepted\|queued\|sent\|seen\|acknowledged\)"'; }

configure() {
  printf 'sms = console\nallow-private-channels = yes\noperator = unix:/run/lifesignal-server/operator.sock\n' >>"$settings"
  systemctl restart lifesignal-server
  await server_is_ready
  step "the server's unit runs, and is ready"
}

# A number in national format: only the plug-in with libphonenumber can read it.
sign_in() {
  as_ana lifesignal config set endpoint http://127.0.0.1:8080
  mkfifo /run/code
  as_ana lifesignal sign-in "(202) 555-0123" --region US </run/code &
  exec 3>/run/code
  await says 'code for +12025550123'
  journalctl -o cat -u lifesignal-server | sed -n 's/.*code for +12025550123: \([0-9]*\).*/\1/p' | tail -1 >&3
  exec 3>&-
  wait $!
  as_ana lifesignal contacts add "+1 202 555 0143" --name Ana --responder >/dev/null
  step "a device signs in"
}

# systemd-nspawn lays a file over /proc/kmsg that is gone: no unit can hide what is there. No other machine has it.
umount /proc/kmsg 2>/dev/null || true

worker() {
  as_ana systemctl --user enable --now lifesignal
  await as_ana systemctl --user --quiet is-active lifesignal
  # The command itself sends nothing.
  as_ana lifesignal alert activate --yes --no-sync -m "a trial" >/dev/null
  await alert_is_accepted
  step "the worker's unit sends an alert, which the server accepts"
}

# Answers each request with 200, and prints it.
listener='$server = IO::Socket::INET->new(LocalAddr => "127.0.0.1:9009", Listen => 5, ReuseAddr => 1) or die;
  while ($client = $server->accept) {
    while (<$client>) { print; $length = $1 if /^content-length: (\d+)/i; last if /^\r?\n$/ }
    read $client, $body, $length;
    print "$body\n";
    STDOUT->flush;
    print $client "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    close $client;
  }'

delivery() {
  perl -MIO::Socket::INET -e "$listener" >/run/heard &
  as_ana lifesignal contacts add "+1 202 555 0177" --name Ben --responder --channel http://127.0.0.1:9009/hook >/dev/null
  await grep -q '"type":"alert.activated"' /run/heard
  kill $!
  step "the server's unit tells a responder"
}

# Both keep out what the units say: one thing each that the program alone could do.
sandbox() {
  local pid user
  echo "dear diary" >/home/ana/letter
  pid=$(systemctl show -P MainPID lifesignal-server)
  user=$(as_ana systemctl --user show -P MainPID lifesignal)
  for process in "$pid" "$user"; do
    grep -q '^NoNewPrivs:.1$' "/proc/$process/status" || fail "$process may get new rights"
    grep -q '^Seccomp:.2$' "/proc/$process/status" || fail "$process may make any system call"
    grep -q '^CapBnd:.0*$' "/proc/$process/status" || fail "$process has capabilities"
    ! nsenter -t "$process" -m touch /usr/trial 2>/dev/null || fail "$process may write /usr"
    ! nsenter -t "$process" -m cat /home/ana/letter 2>/dev/null || fail "$process may read a person's files"
  done
  # And what it does let through, so that the lines above are no accident.
  nsenter -t "$pid" -m cp /etc/hostname /var/lib/lifesignal-server/trial
  nsenter -t "$user" -m cp /etc/hostname /run/user/1001/lifesignal/trial
  nsenter -t "$user" -m cp /etc/hostname /home/ana/.local/share/lifesignal/trial
  rm /var/lib/lifesignal-server/trial /home/ana/.local/share/lifesignal/trial /run/user/1001/lifesignal/trial
  step "neither can write outside its folder, read a person's other files, get rights or make other system calls"
}

reload() {
  echo 'alert-burst = 50' >>"$settings"
  systemctl reload lifesignal-server
  await says "settings were read again"
  cp "$settings" /run/settings
  echo 'max-bodies = 1' >>"$settings"
  ! systemctl reload lifesignal-server || fail "a reload with settings that cannot be used succeeded"
  await says "max-bodies must be a number"
  cp /run/settings "$settings"
  systemctl is-active --quiet lifesignal-server || fail "a refused reload ended the server"
  [ "$(systemctl show -P NRestarts lifesignal-server)" = 0 ] || fail "the server was restarted"
  step "a reload has the server read its settings, and fails where they cannot be used"
}

# As docs/install-on-debian.md says it.
backup() {
  admin backup /var/lib/lifesignal-server/copy.sqlite
  systemctl stop lifesignal-server
  admin restore /var/lib/lifesignal-server/copy.sqlite
  systemctl start lifesignal-server
  await server_is_ready
  step "a backup is made and restored"
}

port_443() {
  mkdir -p /etc/systemd/system/lifesignal-server.service.d
  printf '[Service]\nPrivateUsers=no\nCapabilityBoundingSet=CAP_NET_BIND_SERVICE\nAmbientCapabilities=CAP_NET_BIND_SERVICE\n' \
    >/etc/systemd/system/lifesignal-server.service.d/override.conf
  echo 'listen = 127.0.0.1:443' >>"$settings"
  systemctl daemon-reload
  systemctl restart lifesignal-server
  await says "listening on http://127.0.0.1:443"
  rm -r /etc/systemd/system/lifesignal-server.service.d
  sed -i '/^listen/d' "$settings"
  systemctl daemon-reload
  step "port 443 works with the rights that the page for operators names"
}

# With three seconds in the place of the unit's sixty.
watchdog() {
  local override=/run/systemd/system/lifesignal-server.service.d
  mkdir -p "$override"
  printf '[Service]\nWatchdogSec=3\n' >"$override/trial.conf"
  systemctl daemon-reload
  systemctl restart lifesignal-server
  await server_is_ready
  sleep 5
  [ "$(systemctl show -P NRestarts lifesignal-server)" = 0 ] || fail "a server that works was started again"
  kill -STOP "$(systemctl show -P MainPID lifesignal-server)"
  await was_started_again
  await server_is_ready
  rm -r "$override"
  systemctl daemon-reload
  step "a server that is frozen is started again"
}
was_started_again() { [ "$(systemctl show -P NRestarts lifesignal-server)" != 0 ]; }

# Who may read what, and the settings.
state() { stat -c '%a %U %G %n' /etc/lifesignal-server "$settings" /var/lib/lifesignal-server && cat "$settings"; }

upgrade() {
  local before after run
  before=$(state)
  run=$(systemctl show -P InvocationID lifesignal-server)
  apt-get install --yes --no-install-recommends /packages/newer/*.deb >/dev/null 2>&1 || fail "apt-get cannot upgrade"
  after=$(state)
  [ "$before" = "$after" ] || fail "an upgrade changed $(diff <(echo "$before") <(echo "$after"))"
  [ "$(dpkg-query --show --showformat='${Version} ' lifesignal lifesignal-server)" = "0.1.0~second 0.1.0~second " ] || fail "no newer version"
  [ "$(systemctl show -P InvocationID lifesignal-server)" != "$run" ] || fail "the old server still runs"
  await server_is_ready
  as_ana systemctl --user restart lifesignal
  as_ana lifesignal alert deactivate --yes >/dev/null
  await says "an alert was ended"
  step "an upgrade restarts the server, and keeps settings, rights, accounts and alerts"
}

removal() {
  apt-get remove --yes lifesignal-server >/dev/null 2>&1 || fail "apt-get cannot remove"
  ! systemctl --quiet is-active lifesignal-server || fail "the server still runs"
  [ -s /var/lib/lifesignal-server/server.sqlite ] && [ -s "$settings" ] || fail "a removal took data along"
  step "a removal stops the server, and keeps settings and database"
}

configure
sign_in
worker
delivery
sandbox
reload
backup
port_443
watchdog
upgrade
removal
echo "all steps done"
