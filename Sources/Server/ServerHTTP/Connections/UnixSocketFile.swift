import Glibc
import SystemKit

/// The file of a Unix socket: it stays when the process that listened there died, and then nobody could listen there again.
enum UnixSocketFile {
  /// Removes one on which nobody listens. Throws where something else is there, or there is no folder for it.
  static func prepare(_ address: ListenAddress) throws(ServerError) {
    var status = stat()
    guard lstat(address.host, &status) == 0 else {
      let folder = Folder.parent(of: address.host)
      guard access(folder, F_OK) != 0 else { return }
      throw ServerError(.cannotListen, "cannot listen on \(address): there is no folder \(folder)")
    }
    guard status.st_mode & S_IFMT == S_IFSOCK else {
      throw ServerError(.cannotListen, "cannot listen on \(address): what is there is no socket")
    }
    guard let probe = ListeningSocket.socket(.unix) else { return }
    guard address.withSocketAddress({ connect(probe.number, $0, $1) }) != 0, errno == ECONNREFUSED else { return }
    unlink(address.host)
  }

  /// Opens it to the group too, where a proxy may be, and to nobody else. Called before anybody can connect. True for another address.
  static func share(_ address: ListenAddress) -> Bool { address.family != .unix || chmod(address.host, 0o660) == 0 }

  static func remove(_ address: ListenAddress) {
    if address.family == .unix { unlink(address.host) }
  }
}
