import Glibc

/// Where the database is when no option says it.
enum DatabaseFolder {
  /// `$XDG_DATA_HOME/lifesignal-server/server.sqlite`, else under `~/.local/share`.
  /// - Parameter makesFolders: where they are missing, for this user alone.
  static func defaultFile(makesFolders: Bool) throws(ServerFailure) -> String {
    let folder: String
    if let data = variable("XDG_DATA_HOME"), data.hasPrefix("/") {
      folder = data + "/lifesignal-server"
    } else if let home = variable("HOME"), home.hasPrefix("/") {
      folder = home + "/.local/share/lifesignal-server"
    } else {
      throw ServerFailure(.cannotCreate, "there is no home folder for the database: give --database FILE")
    }
    if makesFolders { try make(folder) }
    return folder + "/server.sqlite"
  }

  private static func make(_ folder: String) throws(ServerFailure) {
    var path = ""
    for part in folder.split(separator: "/") {
      path += "/" + part
      guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
        throw ServerFailure(.cannotCreate, "cannot make the folder \(path): \(String(cString: strerror(errno)))")
      }
    }
  }

  private static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }
}
