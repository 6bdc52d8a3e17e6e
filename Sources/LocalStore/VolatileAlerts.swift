import Glibc
package import Model

/// Alerts that were raised while the home could not be written, in a folder in memory that lasts for as long as the machine runs, or
/// the user is logged in.
///
/// They say under which ids an alert was sent: a second press is an update of the same alert to the server, and `alert deactivate`
/// can end it. They are not durable. Once the store can be written again it takes them in, as it does with the spool.
package struct VolatileAlerts: Sendable {
  /// One in each folder in memory that is this user's alone; what is raised goes to the first.
  private let spools: [HomeDirectory]

  /// Where a machine may have such folders, those first that every process of the user looks into, whatever it was told.
  package static func folders(runtimeFolder: String?) -> [String] {
    let user = geteuid()
    let folders = ["/run/user/\(user)/lifesignal", "/dev/shm/lifesignal-\(user)"]
    guard let told = runtimeFolder.map({ $0 + "/lifesignal" }), told.hasPrefix("/") else { return folders }
    return folders.contains(told) ? folders : folders + [told]
  }

  /// Has one of the folders be there, so that an alert can be kept in it.
  package static func makeFolder(of folders: [String]) {
    _ = folders.first { (mkdir($0, 0o700) == 0 || errno == EEXIST) && isOwn($0) }
  }

  /// False, after a look at each folder, where this user has raised none in memory since the machine was switched on.
  static func mayBe(in folders: [String]) -> Bool { folders.contains(where: isOwn) }

  /// nil where there is no folder. The home is known by its inode, whatever name it is called by; a copy of it is another one.
  package init?(_ home: HomeDirectory, device: DeviceID, account: AccountID, folders: [String]) {
    var status = stat()
    guard stat(home.path, &status) == 0 else { return nil }
    let name = "\(device) \(account) \(status.st_dev) \(status.st_ino)"
    spools = folders.filter(Self.isOwn).map { HomeDirectory(path: "\($0)/\(name)") }
    if spools.isEmpty { return nil }
  }

  /// Keeps what a new alert is sent under, and says whether that can be: without it a further press is a second alert, and it cannot
  /// be ended from here.
  package func note(_ message: EmergencyMessage) -> Bool {
    guard let raised = message.raised else { return false }
    return spools.contains { (try? Spool.write(raised, home: $0)) != nil }
  }

  /// The alerts, each with the path of its file.
  var files: [(raised: RaisedAlert, path: String)] {
    spools.flatMap { (try? Spool.read($0))?.alerts ?? [] }
  }

  /// Forgets an alert: the server has its end.
  package func forget(_ id: AlertID) {
    for spool in spools {
      Spool.forget(id, home: spool)
      Self.removeIfEmpty(spool)
    }
  }

  private static func removeIfEmpty(_ spool: HomeDirectory) {
    unlink(spool.wakePath)
    for path in [spool.spoolPath, spool.path] { rmdir(path) }
  }

  private static func isOwn(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR && status.st_uid == geteuid()
      && status.st_mode & 0o077 == 0
  }

  /// Nothing of the account stays in memory.
  func removeAll() {
    for spool in spools {
      for name in (try? FileSystem.names(in: spool.spoolPath)) ?? [] { unlink("\(spool.spoolPath)/\(name)") }
      Self.removeIfEmpty(spool)
    }
  }
}
