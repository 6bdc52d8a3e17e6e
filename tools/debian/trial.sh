#!/bin/bash
# What systemd runs in the Debian of `tools/check-package --root`, as root: an operator's day by docs/install-on-debian.md, from the
# installation to the removal. A line for each step; ends at the first that fails.
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive

settings=/etc/lifesignal-server/server.conf
data=/var/lib/lifesignal-server
host=lifesignal.example.org
authority=/etc/ssl/example-authority.pem
drill_limit_seconds=60
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

# systemd-nspawn lays a file over /proc/kmsg that is gone: no unit can hide what is there. No other machine has it.
umount /proc/kmsg 2>/dev/null || true

# An operator has a certificate before the server: here an authority of their own issues it.
make_authority() {
  echo "127.0.0.1 $host" >>/etc/hosts
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 90 -subj "/CN=An authority" \
    -keyout /root/authority.key -out "$authority" 2>/dev/null
  issue_certificate 1
}
issue_certificate() {
  openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=$host" \
    -keyout /root/privkey.pem -out /root/request.pem 2>/dev/null
  openssl x509 -req -in /root/request.pem -CA "$authority" -CAkey /root/authority.key -set_serial "$1" -days 90 \
    -extfile <(echo "subjectAltName=DNS:$host") -out /root/fullchain.pem 2>/dev/null
}

# The seconds to the first drill that somebody answers count from here.
install_packages() {
  begin=${EPOCHREALTIME/./}
  apt-get install --yes --no-install-recommends /packages/first/*.deb >/dev/null 2>&1 || fail "apt-get cannot install"
  await server_is_ready
  step "the server's unit runs as soon as it is installed, and is ready"
}

configure() {
  cat >>"$settings" <<END
sms = console
allow-private-channels = yes
operator = unix:/run/lifesignal-server/operator.sock
tls-certificate = /etc/lifesignal-server/chain.pem
tls-key = /etc/lifesignal-server/key.pem
listen = 0.0.0.0:443
public-url = https://$host
END
  install_certificate
  allow_port_443
  runuser -u lifesignal-server -- lifesignal-server --config "$settings" --check-config >/dev/null 2>&1 || fail "settings cannot be used"
  systemctl restart lifesignal-server
  await says "listening on https://0.0.0.0:443"
  await serves_certificate 1
  step "it speaks HTTPS on port 443, with the rights that the page for operators names"
}
install_certificate() {
  install -m 0644 /root/fullchain.pem /etc/lifesignal-server/chain.pem
  install -m 0640 -g lifesignal-server /root/privkey.pem /etc/lifesignal-server/key.pem
}
serves_certificate() { [ "$(openssl x509 -noout -serial <<<"$(handshake </dev/null)")" = "serial=0$1" ]; }
handshake() { openssl s_client -connect "$host:443" -servername "$host" -CAfile "$authority" -verify_return_error "$@" 2>/dev/null; }

# As `systemctl edit` writes it.
allow_port_443() {
  mkdir -p /etc/systemd/system/lifesignal-server.service.d
  printf '[Service]\nPrivateUsers=no\nCapabilityBoundingSet=CAP_NET_BIND_SERVICE\nAmbientCapabilities=CAP_NET_BIND_SERVICE\n' \
    >/etc/systemd/system/lifesignal-server.service.d/override.conf
  systemctl daemon-reload
}

# A number in national format: only the plug-in with libphonenumber can read it.
sign_in() {
  as_ana lifesignal config set endpoint "https://$host"
  ! as_ana lifesignal sign-in "(202) 555-0123" --region US </dev/null >/run/refused 2>&1 || fail "a device trusts any certificate"
  grep -q "config set ca_file" /run/refused || fail "a device does not say how to trust an authority: $(cat /run/refused)"
  as_ana lifesignal config set ca_file "$authority"
  mkfifo /run/code
  as_ana lifesignal sign-in "(202) 555-0123" --region US </run/code &
  exec 3>/run/code
  await says 'code for +12025550123'
  journalctl -o cat -u lifesignal-server | sed -n 's/.*code for +12025550123: \([0-9]*\).*/\1/p' | tail -1 >&3
  exec 3>&-
  wait $!
  step "a device signs in over HTTPS, once it trusts the authority"
}

worker() {
  as_ana systemctl --user enable --now lifesignal
  await as_ana systemctl --user --quiet is-active lifesignal
  step "the worker's unit runs"
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

drill() {
  perl -MIO::Socket::INET -e "$listener" >/run/heard &
  as_ana lifesignal contacts add "+1 202 555 0177" --name Ben --responder --channel http://127.0.0.1:9009/hook >/dev/null
  as_ana lifesignal sync >/dev/null
  as_ana lifesignal alert activate --drill --yes >/dev/null
  await grep -q '"drill":true' /run/heard
  press "$(sed -n 's/.*"page_url":"\([^"]*\)".*/\1/p' /run/heard | tail -1)"
  await is_acknowledged
  local tenths=$(((${EPOCHREALTIME/./} - begin) / 100000))
  [ "$tenths" -le $((drill_limit_seconds * 10)) ] || fail "the first drill took $((tenths / 10)) s from the installation"
  as_ana lifesignal alert deactivate --yes >/dev/null
  step "the first drill is acknowledged $((tenths / 10)).$((tenths % 10)) s after the begin of the installation"
}
is_acknowledged() { as_ana lifesignal alert status --json | grep -q '"drill":true.*"state":"acknowledged"'; }

# Ben opens the link in the message, and presses "I got this".
press() {
  local status
  curl --silent --show-error --fail --cacert "$authority" --output /run/page "$1"
  grep -q "I got this" /run/page || fail "the page of a drill has nothing to press"
  status=$(curl --silent --cacert "$authority" --output /run/page --write-out '%{http_code}' --data answer=responding "$1/acknowledgements")
  [ "$status" = 303 ] || fail "the page answers a press with $status"
}

# The command itself sends nothing.
raise_alert() {
  as_ana lifesignal alert activate --yes --no-sync -m "a trial" >/dev/null
  await alert_is_accepted
  step "the worker's unit sends an alert, which the server accepts"
  await grep -q '"drill":false' /run/heard
  step "the server's unit tells a responder"
}

renew_certificate() {
  mkfifo /run/asked
  handshake -quiet </run/asked >/run/answered &
  connection=$!
  exec 4>/run/asked
  ask_over_connection 1
  issue_certificate 2
  install_certificate
  systemctl reload lifesignal-server
  await serves_certificate 2
  ask_over_connection 2
  exec 4>&-
  step "a reload serves a renewed certificate, and closes no connection"
}
ask_over_connection() {
  kill -0 "$connection" 2>/dev/null || fail "a connection that was open is closed"
  printf 'GET /health HTTP/1.1\r\nHost: %s\r\n\r\n' "$host" >&4
  await has_answers "$1"
}
has_answers() { [ "$(grep -o 'HTTP/1.1 200' /run/answered | wc -l)" = "$1" ]; }

# As Prometheus reads it. Outside, promtool checks the file.
metrics() {
  curl --silent --show-error --fail --unix-socket /run/lifesignal-server/operator.sock http://localhost/metrics >/root/metrics
  for figure in lifesignal_late_delivery_seconds lifesignal_certificate_end_seconds \
    'lifesignal_acknowledgement_seconds_count{drill="yes"} 1$' 'lifesignal_delivery_seconds_count{channel="webhook"}'; do
    grep -q "^$figure" /root/metrics || fail "/metrics has no $figure"
  done
  step "/metrics counts the drill, the messages and the days of the certificate"
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

# Whether the server's database has that of Ana's account.
has() { admin accounts export +12025550123 >/run/exported && grep -q "$1" /run/exported; }

# The copy goes to another machine: what breaks this one does not break it.
backup() {
  as_ana lifesignal alert deactivate --yes >/dev/null
  await says "an alert was ended"
  admin backup "$data/backup.sqlite" >/dev/null
  mv "$data/backup.sqlite" /root/backup.sqlite
  step "a backup is made while the server runs"
}

# More than the copy has, which the server and the device know.
know_more() {
  as_ana lifesignal contacts add "+1 202 555 0188" --name Cyrus --responder >/dev/null
  as_ana lifesignal alert activate --yes -m "since the backup" >/dev/null
  await has Cyrus
  await has "since the backup"
}

break_database() {
  as_ana systemctl --user stop lifesignal
  systemctl stop lifesignal-server
  head --bytes 100000 /dev/urandom >"$data/server.sqlite"
  broken_since=$(date +%s)
  ! timeout 30 systemctl start lifesignal-server 2>/dev/null || fail "the server starts with a database that is rubbish"
  await names_restore
  step "with a broken database the server does not start, and names the command that restores a copy"
}
names_restore() {
  journalctl -o cat -u lifesignal-server --since "@$broken_since" \
    | grep "cannot open the database $data/server.sqlite: .*lifesignal-server admin restore" >/dev/null
}

restore() {
  systemctl stop lifesignal-server
  install -m 0600 -o lifesignal-server -g lifesignal-server /root/backup.sqlite "$data/copy.sqlite"
  admin restore "$data/copy.sqlite" >/dev/null
  systemctl start lifesignal-server || fail "the server does not start with the copy"
  await server_is_ready
  has '"Ben"' && has "a trial" || fail "what was there before the backup is gone"
  ! has Cyrus && ! has "since the backup" || fail "the server has more than the copy"
  as_ana lifesignal sessions list >/dev/null || fail "the session of before the backup is gone"
  step "the copy is restored, with the account, its contact, its alert and its session"
}

offer_again() {
  as_ana lifesignal sync >/dev/null
  has Cyrus && has "since the backup" || fail "the device does not send again what the copy lacked"
  as_ana systemctl --user start lifesignal
  step "the device sends again what the copy lacked: a contact and an alert"
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

# With three seconds in the place of the unit's half an hour.
worker_watchdog() {
  local override=/run/user/1001/systemd/user/lifesignal.service.d
  runuser -u ana -- mkdir -p "$override"
  printf '[Service]\nWatchdogSec=3\n' >"$override/trial.conf"
  as_ana systemctl --user daemon-reload
  as_ana systemctl --user restart lifesignal
  sleep 5
  [ "$(worker_restarts)" = 0 ] || fail "a worker that works was started again"
  kill -STOP "$(as_ana systemctl --user show -P MainPID lifesignal)"
  await worker_was_started_again
  await as_ana systemctl --user --quiet is-active lifesignal
  rm -r "$override"
  as_ana systemctl --user daemon-reload
  as_ana systemctl --user restart lifesignal
  step "a worker that is frozen is started again"
}
worker_restarts() { as_ana systemctl --user show -P NRestarts lifesignal; }
worker_was_started_again() { [ "$(worker_restarts)" != 0 ]; }

programs() { sha256sum /usr/lib/lifesignal*/lifesignal*; }
is_the_installed_program() { cmp -s "/proc/$(systemctl show -P MainPID lifesignal-server)/exe" /usr/lib/lifesignal-server/lifesignal-server; }

# Who may read what, and the settings.
state() { stat -c '%a %U %G %n' /etc/lifesignal-server "$settings" "$data" && cat "$settings"; }

upgrade() {
  local before after run older others="the same programs"
  before=$(state)
  older=$(programs)
  run=$(systemctl show -P InvocationID lifesignal-server)
  apt-get install --yes --no-install-recommends /packages/newer/*.deb >/dev/null 2>&1 || fail "apt-get cannot upgrade"
  after=$(state)
  [ "$before" = "$after" ] || fail "an upgrade changed $(diff <(echo "$before") <(echo "$after"))"
  [ "$(dpkg-query --show --showformat='${Version} ' lifesignal lifesignal-server)" = "0.1.0~second 0.1.0~second " ] || fail "no newer version"
  [ "$(systemctl show -P InvocationID lifesignal-server)" != "$run" ] || fail "the old server still runs"
  [ "$older" = "$(programs)" ] || others="other programs"
  await server_is_ready
  is_the_installed_program || fail "the server that runs is not the one that was installed"
  as_ana systemctl --user restart lifesignal
  as_ana lifesignal alert deactivate --yes >/dev/null
  await says "an alert was ended"
  step "an upgrade to $others restarts the server, and keeps settings, rights, accounts and alerts"
}

# The unit as the package has it.
take_back_port_443() {
  rm -r /etc/systemd/system/lifesignal-server.service.d
  sed -i '/^listen/d' "$settings"
  systemctl daemon-reload
  systemctl restart lifesignal-server
  await server_is_ready
}

# Both keep out what the units say: one thing each that the program alone could do.
sandbox() {
  local pid user
  take_back_port_443
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
  nsenter -t "$pid" -m cp /etc/hostname "$data/trial"
  nsenter -t "$user" -m cp /etc/hostname /run/user/1001/lifesignal/trial
  nsenter -t "$user" -m cp /etc/hostname /home/ana/.local/share/lifesignal/trial
  rm "$data/trial" /home/ana/.local/share/lifesignal/trial /run/user/1001/lifesignal/trial
  step "neither can write outside its folder, read a person's other files, get rights or make other system calls"
}

# The unit of the worker shows it nothing of a person's folder but its own.
hidden_authority() {
  install -o ana "$authority" /home/ana/authority.pem
  as_ana lifesignal config set ca_file /home/ana/authority.pem
  ! as_ana lifesignal doctor >/run/doctor || fail "doctor finds nothing where the worker cannot read the authority's file"
  grep -q "the background worker cannot read /home/ana/authority.pem" /run/doctor || fail "doctor says: $(cat /run/doctor)"
  as_ana lifesignal config set ca_file "$authority"
  rm /home/ana/authority.pem
  step "doctor finds that the worker's unit hides a file that it needs"
}

removal() {
  apt-get remove --yes lifesignal-server >/dev/null 2>&1 || fail "apt-get cannot remove"
  ! systemctl --quiet is-active lifesignal-server || fail "the server still runs"
  [ -s "$data/server.sqlite" ] && [ -s "$settings" ] || fail "a removal took data along"
  step "a removal stops the server, and keeps settings and database"
}

make_authority
install_packages
configure
sign_in
worker
drill
raise_alert
renew_certificate
metrics
reload
backup
know_more
break_database
restore
offer_again
watchdog
upgrade
hidden_authority
worker_watchdog
sandbox
removal
echo "all steps done"
