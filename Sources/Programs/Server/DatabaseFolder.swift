import Glibc
import SystemKit

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

  /// Why the server cannot keep its database in this file; nil where it can. Changes nothing.
  /// - Parameter makesFolders: whether a start makes its folder.
  static func fault(of path: String, makesFolders: Bool) -> String? {
    var status = stat()
    if stat(path, &status) == 0 {
      guard status.st_mode & S_IFMT == S_IFREG else { return "\(path) is not a file" }
      if access(path, R_OK | W_OK) != 0 { return "\(path) cannot be written: \(reason)" }
    }
    var folder = Folder.parent(of: path)
    while makesFolders, stat(folder, &status) != 0, errno == ENOENT, folder.count > 1 {
      folder = Folder.parent(of: folder)
    }
    guard stat(folder, &status) == 0 else { return "its folder \(folder) cannot be used: \(reason)" }
    guard status.st_mode & S_IFMT == S_IFDIR else { return "\(folder) is not a folder" }
    return access(folder, W_OK | X_OK) == 0 ? nil : "its folder \(folder) cannot be written: \(reason)"
  }

  private static var reason: String { String(cString: strerror(errno)) }

  private static func make(_ folder: String) throws(ServerFailure) {
    var path = ""
    for part in folder.split(separator: "/") {
      path += "/" + part
      guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
        throw ServerFailure(.cannotCreate, "cannot make the folder \(path): \(reason)")
      }
    }
  }

  private static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }
}
