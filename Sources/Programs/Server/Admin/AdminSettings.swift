import Arguments
import Glibc

/// The settings of a command that names neither its file nor the database: those of the Debian package, or the usual database.
enum AdminSettings {
  /// Where the package puts the server's settings.
  static let packaged = "/etc/lifesignal-server/server.conf"

  /// The same where it is there and nothing else says what the settings are; nil where it is not.
  static var packagedFile: String? { access(packaged, F_OK) == 0 || errno == EACCES ? packaged : nil }

  /// - Parameter names: the settings that are asked for.
  static func read(_ invocation: Invocation, only names: Set<String>) throws(ServerFailure) -> Settings {
    var file: String?
    if invocation.value("config") == nil, invocation.value("database") == nil {
      // Without a home there is no usual place.
      file = try self.file(usualDatabase: try? DatabaseFolder.defaultFile(makesFolders: false), packaged: packaged)
    }
    var faults = SettingFaults()
    let settings = try Settings(invocation, only: names, otherwise: file, &faults)
    try faults.throwFirst()
    return settings
  }

  /// The package's file where it is there; nil where the usual database is meant. Throws where it could be either.
  static func file(usualDatabase: String?, packaged: String) throws(ServerFailure) -> String? {
    let usual = usualDatabase.flatMap { access($0, F_OK) == 0 ? $0 : nil }
    // Others than the server's user cannot look into its folder: what keeps them out is told when the file is read.
    guard access(packaged, F_OK) == 0 || errno == EACCES && usual == nil else { return nil }
    guard let usual else { return packaged }
    throw ServerFailure(
      .usage, "there are two databases here: say which, with --config \(packaged) or --database \(usual)")
  }
}
