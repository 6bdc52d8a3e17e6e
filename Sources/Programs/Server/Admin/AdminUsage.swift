import Arguments

/// The commands for the one who runs the server.
enum AdminUsage {
  static let group = CommandSpecification(
    name: "admin", summary: "accounts, alerts, sessions, codes, messages, channels and backups",
    details: """
      These commands work on the database, whether servers run on it or not. They
      show and change what concerns people: whoever may run them sees all of it.
      Those of a newer version bring the tables up to date first, but not on a file
      that a server of an earlier version uses: restart it with the new one before.
      Status 65: there is no such account, session, alert or message.
      """,
    subcommands: [accounts, alerts, sessions, codes, deliveries, channels, backup, restore, move])

  static let options: [OptionSpecification] = [
    .value(
      "config", "FILE",
      "the server's file of settings, which names the database (default: \(AdminSettings.packaged), if it is there)",
      completion: .files),
    .value(
      "database", "FILE|URL", "the database, if not as the settings say or in its usual place", completion: .files),
  ]

  private static let account = ArgumentSpecification(
    name: "ACCOUNT", help: "the number in full, such as +12025550123, or the account's ID, as /admin shows it")

  private static func command(
    _ name: String, _ summary: String, details: String = "", arguments: [ArgumentSpecification] = [account],
    options: [OptionSpecification] = [], example: String
  ) -> CommandSpecification {
    CommandSpecification(
      name: name, summary: summary, details: details, arguments: arguments, options: options + Self.options,
      examples: ["lifesignal-server admin \(example)"])
  }

  // Accounts

  private static let accounts = CommandSpecification(
    name: "accounts", summary: "find, block, export and remove accounts",
    subcommands: [
      command(
        "find", "show what is stored of a number",
        details: "Status 65: it has no account. That it is blocked is shown all the same.",
        example: "accounts find +12025550123"),
      command(
        "block", "end all sessions of a number, and let nobody sign in with it",
        details: """
          Its devices say that they have to sign in again, and cannot end their alerts:
          see “admin alerts end”. The number gets no codes, and whoever asks for one is
          answered as always.
          """, example: "accounts block +12025550123"),
      command("unblock", "let a number sign in again", example: "accounts unblock +12025550123"),
      command(
        "export", "write all that is stored of a number's account",
        details: """
          Writes a line of JSON for each row, {"table": …, "row": …}, to standard output.
          Keys, hashes and links are left out. Times are milliseconds since 1970. Alerts
          of others in its inbox, and the contacts, are data of other people too.
          """, example: "accounts export +12025550123 > account.jsonl"),
      command(
        "remove", "remove a number's account with all its data",
        details: """
          Only restoring a backup undoes it. While an alert is active, or a message waits,
          nothing is removed: responders would never hear how it ended. What others have
          stored stays, such as the number in their contacts. The number can sign in
          again, unless it is blocked. If it is interrupted, run it again.
          """,
        options: [.flag("yes", "remove it without asking")], example: "accounts remove +12025550123 --yes"),
    ])

  // Alerts

  private static let alerts = CommandSpecification(
    name: "alerts", summary: "end alerts that no device can end",
    subcommands: [
      command(
        "end", "end all active alerts of a number",
        details: """
          For a person whose device is lost or blocked. Responders are told that the
          person is safe: make sure of that first.
          """,
        options: [.flag("yes", "end them without asking")], example: "alerts end +12025550123 --yes")
    ])

  // Sessions

  private static let sessions = CommandSpecification(
    name: "sessions", summary: "list and end the sessions of an account",
    subcommands: [
      command(
        "list", "list the devices that are signed in",
        details: """
          “last seen” is when the device first used its newest token, which it gets once
          an hour: a device in use may have been seen an hour ago.
          """, example: "sessions list +12025550123"),
      command(
        "end", "sign a device out, or all of them",
        details: "Its alert key ends too: the device cannot raise alerts before it signs in again.",
        options: [
          .value("session", "ID", "this one, as “sessions list” names it"),
          .flag("all", "all of the account"),
        ], example: "sessions end +12025550123 --all"),
    ])

  // Codes

  private static let codes = CommandSpecification(
    name: "codes", summary: "let a number get codes again",
    subcommands: [
      command(
        "allow", "let a number get codes again that asked for too many",
        details: """
          For an honest person who is locked out. Lifts the limits on this one number:
          what it asked for until now does not count any more. The limits on an address,
          a network, a country and the whole server stay, and so does the minute between
          two codes.
          """, example: "codes allow +12025550123")
    ])

  // Messages

  private static let deliveries = CommandSpecification(
    name: "deliveries", summary: "list messages that do not get through, and send them again",
    subcommands: [
      command(
        "list", "list messages that did not get through, the oldest first",
        details: """
          Those that are tried again, and those that failed for good about alerts that are
          active. Each line has the message, its state, its host and the reason.
          """,
        arguments: [], options: [.value("limit", "N", "how many (default: 100)")], example: "deliveries list"),
      command(
        "replay", "try messages again now",
        details: "A message that got through already, or is on its way, stays as it is.",
        arguments: [ArgumentSpecification(name: "ID", help: "of a message", takesRest: true)],
        example: "deliveries replay 01a21dfb-71ac-7ebf-ad1b-2398f498d778"),
    ])

  private static let channels = CommandSpecification(
    name: "channels", summary: "try whether messages arrive",
    subcommands: [
      command(
        "test", "send a drill over a channel, with the gateways of the settings",
        details: """
          Sends it at once, and says how the gateway, the mail server or the host answered.
          That it was taken does not say that it arrived: look.
          """,
        arguments: [
          ArgumentSpecification(
            name: "CHANNEL", help: "such as sms:+12025550123, tel:+12025550123, mailto:ana@example.org or https://…")
        ], example: "channels test sms:+12025550123")
    ])

  // Backups

  private static func file(_ help: String) -> ArgumentSpecification {
    ArgumentSpecification(name: "FILE", help: help, completion: .files)
  }

  static let backup = command(
    "backup", "copy the database while the server runs",
    details: """
      Writes a copy of the SQLite database as of one moment, reads all of it to see
      that it is whole, and says what it holds. The server goes on meanwhile. FILE
      must not be there yet. It holds the server's keys and everybody's data: keep it
      as safe as the database.

      A database of PostgreSQL is copied by its own tools, while servers run:

        pg_dump --format=custom --file=COPY 'postgresql://…'
      """,
    arguments: [file("where the copy goes")],
    example: "backup /var/backups/lifesignal-$(date +%F).sqlite")

  static let restore = command(
    "restore", "put a copy in the place of the database",
    details: """
      Reads all of the copy first. The server must not run. What was there before is
      kept beside it, under a name that the command says.

      Devices that have seen more than the copy holds notice it, and send again what
      it lacks. Those whose sign-in is newer have to sign in again; their alerts get
      through meanwhile if the copy knows their alert key. Sessions that were ended
      since are valid again, and accounts that were removed are back. Numbers are
      blocked as they were then: the command names those that it blocks or unblocks,
      where it can read what was there before. Repeat what still holds. Alerts that were
      active are active again, and their responders are asked again.

      The same holds for PostgreSQL. Stop all servers, make an empty database, name it in
      their settings, and start them after

        pg_restore --exit-on-error --single-transaction --no-owner --no-privileges \\
          --dbname='postgresql://…' COPY
      """,
    arguments: [file("a copy made by “admin backup”")],
    example: "restore /var/backups/lifesignal-2026-11-27.sqlite")

  static let move = command(
    "move", "move everything from a file to an empty database of PostgreSQL",
    details: """
      For a server that outgrows its machine. No server may run on either of them. All
      goes in one step: after a failure the file is in use as before, unless the
      command says something else. Then the file is set aside, under a name that the
      command says, and no server starts in its place.

      Devices, sessions, pages and messages notice nothing: start the server with the
      new database, under the same public URL.
      """,
    arguments: [ArgumentSpecification(name: "URL", help: "of the new database")],
    example: "move 'postgresql://lifesignal@db.example.org/lifesignal?passfile=/etc/lifesignal/pgpass'"
  )
}
