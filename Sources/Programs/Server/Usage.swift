import Arguments

/// The program's help and version.
enum Usage {
  static let version = "lifesignal-server \(ProgramVersion.current)"

  static let specification = CommandSpecification(
    name: "lifesignal-server",
    summary: "the server of LifeSignal; by default on 127.0.0.1:8080, with an SQLite file",
    details: """
      When it is ready it prints "lifesignal-server: listening on URL". SIGTERM or
      SIGINT ends it. SIGHUP has it read its files again: see below.
      """,
    options: [
      .value(
        "config", "FILE", "read settings from this file too (see below); the command line counts more",
        completion: .files),
      .flag(
        "check-config",
        "say what is set and all that is wrong with it, and end. Looks at the files, the folder of the database, ports and "
          + "the certificate too, as the user who runs it. Alone it means the Debian package's file."),
      .value(
        "listen", "ADDRESS:PORT",
        "where to listen, such as 0.0.0.0:8080 or [::1]:8080; port 0 takes a free one (default: 127.0.0.1:8080). Or "
          + "unix:/run/lifesignal-server/server.sock, which is open to the server's user and group: put the proxy's user there."
      ),
      .value(
        "operator", "ADDRESS:PORT",
        "where this machine alone reaches the operator's pages: /admin, with what goes on and what is late (for programs "
          + "/admin.json), /metrics for Prometheus, and /ready; or unix:/run/lifesignal-server/operator.sock"),
      .value(
        "trusted-proxy", "LIST",
        "proxies before this server that say in \"Forwarded\" whose a request is, such as 127.0.0.1,10.0.0.0/8,unix (see "
          + "below). Limits by address then count that one."),
      .value(
        "database", "FILE|URL",
        "the SQLite file, made at the first start (default: $XDG_DATA_HOME/lifesignal-server/server.sqlite, or under "
          + "~/.local/share); or postgresql://…, which several servers may share (see below)",
        completion: .files),
      .flag("create", "make an empty database where the one that was there is missing or empty"),
      .flag("migrate", "make or change the tables of a PostgreSQL database, and end (see below)"),
      .value("public-url", "URL", "under which devices and responders reach this server (default: where it listens)"),
      .value(
        "sms", "console|URL|FILE",
        "how text messages leave, with one-time codes and to responders: as POST {\"to\": …, \"text\": …} to an SMS "
          + "gateway, or as FILE says (see below); console prints codes (development only). Without it nobody can sign in.",
        completion: .words(["console"])),
      .value(
        "smtp", "URL|FILE",
        "the mail server that takes mails to responders, as smtp://host:587 (encrypted by STARTTLS; plain to this machine "
          + "alone) or smtps://host:465; or as FILE says (see below), with a login",
        completion: .files),
      .value(
        "voice", "URL|FILE",
        "how responders are called: as POST {\"to\": …, \"text\": …} to a voice gateway that reads the text aloud, or as "
          + "FILE says (see below)",
        completion: .files),
      .flag(
        "allow-private-channels",
        "let responders' channels reach http:// and private addresses (development, tests)"),
      .value(
        "alert-burst", "N",
        "new alerts that one device may send at once, before it has one every ten seconds (default: 100; drills may "
          + "use a quarter of it, alerts that have ended a half)"),
      .value(
        "codes-per-country", "N",
        "one-time codes to one country in any hour; while an attack takes them all, as many again, one at a time (default: 300; 0: none)"
      ),
      .value("codes-in-total", "N", "the same for all countries together (default: 1000)"),
      .value(
        "codes-for-work", "N",
        "one-time codes in any hour beyond these limits, to all countries together, for devices that do work before: about a second "
          + "of an old phone for the first, a minute for the last. So people get codes while an attack lasts; each costs what a text "
          + "message costs (default: 3000; 0: none)"),
      .value(
        "keep-places", "DAYS",
        "forget where a person was so many days after the end of their alert (default and minimum: 30, as long as pages show it)"
      ),
      .value(
        "keep-alerts", "DAYS",
        "forget so many days after its end what an alert said, and whom it told (minimum: 30; default: keep it as long as the "
          + "account). That there was an alert, and when, is kept. An active alert is kept whole."),
      .value(
        "max-connections", "N",
        "connections at once (default: 4096). Three quarters may be open streams, half of these of responders' pages. Where "
          + "there are as many, one that waits makes room for each new one."),
      .value(
        "max-connections-per-address", "N",
        "of them from one address (IPv6: one /64 network; default: 64). Not counted from this machine."),
      .value("max-streams-per-account", "N", "open event streams of the devices of one account (default: 16)"),
      .value(
        "max-pages", "N",
        "open pages of responders at once, in the place of that half. What streams remain are kept for devices."),
      .value(
        "max-bodies", "N",
        "requests with more than 16 KiB at once, which only devices may send (default: 128; four of one credential)"),
      .value(
        "log", "plain|json|journal",
        "how each line of the log is written, on standard error (default: plain; journal where systemd takes it)",
        completion: .words(["plain", "json", "journal"])),
      .value(
        "log-level", "error|warning|notice|info",
        "the least urgent lines that are written (default: info, which tells of each alert and each attempt to deliver)",
        completion: .words(["error", "warning", "notice", "info"])),
      .value("tls-certificate", "FILE", "speak HTTPS with this certificate chain (PEM)", completion: .files),
      .value("tls-key", "FILE", "and its key (PEM)", completion: .files),
    ],
    subcommands: [AdminUsage.group], runsAlone: true,
    examples: [
      "lifesignal-server --sms console --allow-private-channels",
      "lifesignal-server --listen 0.0.0.0:443 \\\n    --public-url https://lifesignal.example.org \\\n"
        + "    --sms https://sms.example.org/send \\\n    --tls-certificate chain.pem --tls-key key.pem",
    ],
    closing: """
      A file for --config has a line for each setting, with the names of the options:
          listen = 0.0.0.0:443
          public-url = https://lifesignal.example.org
          allow-private-channels = no
      Lines that begin with # are comments. $CREDENTIALS_DIRECTORY in a value, or in
      a {file:…} of a gateway's file, is the folder of systemd's credentials.

      A proxy before the server should say for whom it asks: "Forwarded:
      for=203.0.113.7" (RFC 7239), behind what its client sent or in its place. With
      --trusted-proxy the server believes it; else all its people count as one
      address, so that few of them can sign in.

      SIGHUP reads the file, the certificate and the files of gateways again, and
      closes no connection. If anything in them is wrong, all stays as it was: the log
      and “systemctl status” say why. Changes of listen, operator, trusted-proxy, log,
      log-level, database and the limits (max-…), and the first certificate, need a
      restart. In a terminal, where closing it sends SIGHUP, SIGHUP ends the server.

      An SMS or voice gateway with another form is described by a JSON file:
          {"url": "https://sms.example.org/send", "method": "POST",
           "headers": ["Content-Type: application/x-www-form-urlencoded",
                       "Authorization: Bearer {file:/etc/lifesignal/sms-token}"],
           "body": "to={to}&text={text}&ref={id}", "success": "queued"}
      The body is JSON, a form or plain text, and values are escaped for it. A 2xx
      answer without the text of "success" counts as a refusal.

      Responders can answer text messages if the SMS gateway hands over what comes
      back, as a form or JSON, to POST /v1/inbound/sms, with "Authorization: Bearer
      SECRET" or with the secret as the password of a login:
          "answers": {"secret": "{file:/etc/lifesignal/answers-secret}",
                      "from": "from", "text": "text", "reply": "response"}
      "from" and "text" name the fields with the sender's number and the text. The
      answer to that is {"to": …, "text": …}, for the gateway to send. If it sends
      nothing of an answer, "reply": "message" sends it as a text message of its
      own, up to 20 an hour to one number.

      A mail server with a login is described by a JSON file:
          {"url": "smtp://mail.example.org:587", "from": "alerts@example.org",
           "user": "alerts", "password": "{file:/etc/lifesignal/mail-password}"}
      "ca" names a PEM file with the only authorities to trust; "tls": true demands
      encryption to this machine too.

      --database postgresql://user@host/name?passfile=FILE keeps everything in
      PostgreSQL 14 or newer, with the parameters that its own programs take. Several
      servers may use one database, behind one public URL. Their clocks have to agree
      to some seconds. Where the URL names several hosts, the one that takes writes is
      used. The tables are made at the first start; a server whose user may not do
      that wants "lifesignal-server --migrate --database URL" as the tables' owner
      before, and needs no more than to read, add, change and remove rows. It begins
      empty; "lifesignal-server admin move URL" takes everything of a file there.

      From the Debian package the server runs as the user lifesignal-server, and
      starts again by itself:
          /etc/lifesignal-server/server.conf   its settings; files that they name
                                               have to be readable for that user
          /var/lib/lifesignal-server           its database, and room for backups
          /run/lifesignal-server               sockets, if settings name them there
      After a change: "systemctl reload lifesignal-server". Admin commands:
      "runuser -u lifesignal-server -- lifesignal-server admin …". How to set up TLS,
      look after people, back up, restore, upgrade and remove it:
          zless /usr/share/doc/lifesignal-server/install-on-debian.md.gz

      The operator's pages at a socket are read as
          curl --unix-socket /run/lifesignal-server/operator.sock http://localhost/admin

      Exit status: 0 ended by a signal, or done; 64 wrong usage; 65 an option's value cannot be
      used; 69 cannot listen there, or reach PostgreSQL, or a library is missing; 73
      cannot open or make the database file.
      """)

  static let standardOptions = [StandardOption.help, StandardOption.version]

  static func help(_ path: [CommandSpecification]) -> String { HelpText.help(path, globalOptions: standardOptions) }

  /// The lines after an error in the command line.
  static var advice: String { UsageError(message: "", path: [specification]).advice }
}
