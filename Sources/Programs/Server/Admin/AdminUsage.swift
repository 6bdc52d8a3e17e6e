import Arguments

/// The commands for the one who runs the server.
enum AdminUsage {
  static let group = CommandSpecification(
    name: "admin", summary: "back up the database, and restore it", subcommands: [backup, restore])

  private static let options: [OptionSpecification] = [
    .value("config", "FILE", "the server's file of settings, which names the database", completion: .files),
    .value("database", "FILE", "the database, if not as the settings say or in its usual place", completion: .files),
  ]

  static let backup = CommandSpecification(
    name: "backup", summary: "copy the database while the server runs",
    details: """
      Writes a copy of the SQLite database as of one moment, reads all of it to see
      that it is whole, and says what it holds. The server goes on meanwhile. FILE
      must not be there yet. It holds the server's keys and everybody's data: keep it
      as safe as the database.

      A database of PostgreSQL is backed up by its own tools, such as pg_dump.
      """,
    arguments: [ArgumentSpecification(name: "FILE", help: "where the copy goes", completion: .files)],
    options: options,
    examples: ["lifesignal-server admin backup /var/backups/lifesignal-$(date +%F).sqlite"])

  static let restore = CommandSpecification(
    name: "restore", summary: "put a copy in the place of the database",
    details: """
      Reads all of the copy first. The server must not run. What was there before is
      kept beside it, under a name that the command says.

      Devices that have seen more than the copy holds notice it, and send again what
      it lacks. Those whose sign-in is newer have to sign in again; their alerts get
      through meanwhile if the copy knows their alert key. Sessions that were ended
      since are valid again. Alerts that were active are active again, and their
      responders are asked again.
      """,
    arguments: [ArgumentSpecification(name: "FILE", help: "a copy made by “admin backup”", completion: .files)],
    options: options,
    examples: ["lifesignal-server admin restore /var/backups/lifesignal-2026-11-27.sqlite"])
}
