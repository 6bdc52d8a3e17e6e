/// The folder that holds everything of one device: mode 0700, its files 0600.
package struct HomeDirectory: Hashable, Sendable {
  /// Without a slash at the end.
  package let path: String
  /// Of the spool and the configuration; nil is the machine's.
  let disk: (any PlainDisk)?

  package init(path: String, disk: (any PlainDisk)? = nil) {
    self.disk = disk
    self.path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
  }

  /// The folder that `--home` names, else `$LIFESIGNAL_HOME`, else `$XDG_DATA_HOME/lifesignal`, else
  /// `~/.local/share/lifesignal`. Throws `cannotOpen` where none of them is set. An empty variable counts as unset, and so
  /// does an `XDG_DATA_HOME` that is not absolute (XDG Base Directory Specification).
  package static func resolve(
    option: String?, environment: [String: String]
  ) throws(LocalStoreError) -> HomeDirectory {
    try resolve(option: option) { environment[$0] }
  }

  /// The same, with the environment asked variable by variable.
  package static func resolve(
    option: String?, variable: (String) -> String?
  ) throws(LocalStoreError) -> HomeDirectory {
    func value(_ name: String) -> String? { variable(name).flatMap { $0.isEmpty ? nil : $0 } }
    if let option, !option.isEmpty { return HomeDirectory(path: option) }
    if let home = value("LIFESIGNAL_HOME") { return HomeDirectory(path: home) }
    if let data = value("XDG_DATA_HOME"), data.hasPrefix("/") { return HomeDirectory(path: data + "/lifesignal") }
    guard let home = value("HOME") else {
      throw LocalStoreError(.cannotOpen, "no folder for the store: set LIFESIGNAL_HOME or pass --home")
    }
    return HomeDirectory(path: home + "/.local/share/lifesignal")
  }

  package static func == (one: HomeDirectory, other: HomeDirectory) -> Bool { one.path == other.path }
  package func hash(into hasher: inout Hasher) { hasher.combine(path) }

  package var databasePath: String { path + "/store.sqlite" }
  /// Locked around every write transaction and every checkpoint.
  package var storeLockPath: String { path + "/store.lock" }
  /// Locked by whoever speaks to the server.
  package var senderLockPath: String { path + "/sender.lock" }
  /// Touched after each commit that queued something.
  package var wakePath: String { path + "/" + Self.wakeName }
  package static let wakeName = "wake"
  /// Alerts that could not go into the store, one file each.
  package var spoolPath: String { path + "/spool" }
  /// Room that is given back when the disk is full.
  package var reservePath: String { path + "/reserve" }
  package var configurationPath: String { path + "/config" }
}
