import Glibc
package import Model

/// Alerts that were raised while the home could not be written, in a folder in memory that lasts until the machine is switched off.
///
/// They say under which ids an alert was sent: a second press is an update of the same alert to the server, and `alert deactivate`
/// can end it. They are not durable. Once the store can be written again it takes them in, as it does with the spool.
package struct VolatileAlerts: Sendable {
  /// One in each folder in memory that is this user's alone; what is raised goes to the first.
  private let spools: [HomeDirectory]

  /// Where a machine may have such folders, the better one first.
  package static func folders(runtimeFolder: String?) -> [String] {
    let candidates = [runtimeFolder.map { $0 + "/lifesignal" }, "/dev/shm/lifesignal-\(geteuid())"]
    return candidates.compactMap { $0 }.filter { $0.hasPrefix("/") }
  }

  /// Has one of the folders be there, so that an alert can be kept in it.
  package static func makeFolder(of folders: [String]) {
    _ = folders.first { (mkdir($0, 0o700) == 0 || errno == EEXIST) && isOwn($0) }
  }

  /// False, after a look at each folder, where this user has raised none in memory since the machine was switched on.
  static func mayBe(in folders: [String]) -> Bool { folders.contains(where: isOwn) }

  /// nil where there is no folder.
  package init?(_ home: HomeDirectory, account: AccountID, folders: [String]) {
    spools = folders.filter(Self.isOwn).map { HomeDirectory(path: "\($0)/\(Self.name(home, account))") }
    if spools.isEmpty { return nil }
  }

  /// The alert that is active, with what it was sent under and what is pressed now as its update; else a new one, noted if that
  /// can be. A drill adds nothing to a real alert.
  package func raise(
    _ draft: AlertDraft, at moment: Moment, random: @escaping @Sendable () -> (UInt64, UInt64)
  ) -> (message: EmergencyMessage, wasRaisedBefore: Bool) {
    let raised = RaisedAlert(draft, at: moment, random: random)
    let standing = files.map(\.raised).filter { draft.isDrill || !$0.activation.isDrill }
    if let same = standing.first(where: { !$0.activation.isDrill }) ?? standing.first {
      let message = EmergencyMessage(same)
      return (draft.isDrill && !same.activation.isDrill ? message : message.calledAgain(raised), true)
    }
    // Best effort: without the note the alert is sent all the same, and a second press is a second alert.
    if let spool = spools.first { try? Spool.write(raised, home: spool) }
    return (EmergencyMessage(raised), false)
  }

  /// The alerts, each with the path of its file.
  var files: [(raised: RaisedAlert, path: String)] {
    spools.flatMap { (try? Spool.read($0))?.alerts ?? [] }
  }

  /// Forgets an alert: the server has its end.
  package func forget(_ id: AlertID) {
    for spool in spools { Spool.forget(id, home: spool) }
  }

  private static func isOwn(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR && status.st_uid == geteuid()
      && status.st_mode & 0o077 == 0
  }

  /// FNV-1a of the home's path and the account, so that neither meets another's alerts.
  private static func name(_ home: HomeDirectory, _ account: AccountID) -> String {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in "\(home.path) \(account)".utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return String(hash, radix: 16)
  }
}
