import Glibc

/// The file of a Unix socket: it stays when the process that listened there died, and then nobody could listen there again.
enum UnixSocketFile {
  /// Removes it if it is a socket on which nobody listens.
  static func removeIfAbandoned(_ address: ListenAddress) {
    var status = stat()
    guard lstat(address.host, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK,
      let probe = ListeningSocket.socket(.unix)
    else { return }
    guard address.withSocketAddress({ connect(probe.number, $0, $1) }) != 0, errno == ECONNREFUSED else { return }
    unlink(address.host)
  }

  /// Opens it to the group too, where a proxy may be; the folder says who may come near.
  static func share(_ address: ListenAddress) { chmod(address.host, 0o660) }

  static func remove(_ address: ListenAddress) {
    if address.family == .unix { unlink(address.host) }
  }
}
