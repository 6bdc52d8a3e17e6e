import SystemKit

/// The folder with all data of one device. It has mode 0700, and its files have 0600.
package struct HomeDirectory: Hashable, Sendable {
  /// The path without a trailing slash.
  package let path: String
  /// The disk for the spool and the configuration; nil for the machine's own.
  let disk: (any PlainDisk)?

  package init(path: String, disk: (any PlainDisk)? = nil) {
    self.disk = disk
    self.path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
  }

  /// Returns the folder that `--home` names, otherwise `$LIFESIGNAL_HOME`, `$XDG_DATA_HOME/lifesignal` or
  /// `~/.local/share/lifesignal`. Throws `cannotOpen` if none of them is set. An empty variable counts as unset, and so
  /// does an `XDG_DATA_HOME` that is not absolute (XDG Base Directory Specification).
  ///
  /// Where `HOME` is unset, or relative and so a different folder wherever a program is started, `~` is what the system's list of users says.
  package static func resolve(
    option: String?, environment: [String: String], userHome: String? = nil
  ) throws(LocalStoreError) -> HomeDirectory {
    try resolve(option: option, variable: { environment[$0] }, userHome: { userHome })
  }

  /// Resolves the folder in the same way, with a function that looks up one variable.
  package static func resolve(
    option: String?, variable: (String) -> String?, userHome: () -> String? = { UserAccount.homePath }
  ) throws(LocalStoreError) -> HomeDirectory {
    func value(_ name: String) -> String? { variable(name).flatMap { $0.isEmpty ? nil : $0 } }
    if let option, !option.isEmpty { return HomeDirectory(path: option) }
    if let home = value("LIFESIGNAL_HOME") { return HomeDirectory(path: home) }
    if let data = value("XDG_DATA_HOME"), data.hasPrefix("/") { return HomeDirectory(path: data + "/lifesignal") }
    guard let home = value("HOME").flatMap({ $0.hasPrefix("/") ? $0 : nil }) ?? userHome() else {
      throw LocalStoreError(.cannotOpen, "no folder for the store: set LIFESIGNAL_HOME or pass --home")
    }
    return HomeDirectory(path: home + "/.local/share/lifesignal")
  }

  package static func == (one: HomeDirectory, other: HomeDirectory) -> Bool { one.path == other.path }
  package func hash(into hasher: inout Hasher) { hasher.combine(path) }

  package var databasePath: String { path + "/" + Self.databaseName }
  package static let databaseName = "store.sqlite"
  /// Locked during every write transaction and every checkpoint.
  package var storeLockPath: String { path + "/store.lock" }
  /// Locked by the process that talks to the server.
  package var senderLockPath: String { path + "/" + Self.senderLockName }
  package static let senderLockName = "sender.lock"
  /// Locked by the sender in the background.
  package var backgroundLockPath: String { path + "/background.lock" }
  package var secondBackgroundLockPath: String { path + "/background-2.lock" }
  /// Touched after each commit that adds to the queue.
  package var wakePath: String { path + "/" + Self.wakeName }
  package static let wakeName = "wake"
  /// Alerts that could not be written to the store, one file each.
  package var spoolPath: String { path + "/" + Self.spoolName }
  package static let spoolName = "spool"
  /// Reserved disk space, which is released when the disk is full.
  package var reservePath: String { path + "/reserve" }
  package var configurationPath: String { path + "/" + Self.configurationName }
  package static let configurationName = "config"
  /// A code that was sent and not yet entered.
  package var verificationPath: String { path + "/verification" }
  /// Nobody else may read these.
  package var privatePaths: [String] { [databasePath, logPath, configurationPath, verificationPath] }
}
