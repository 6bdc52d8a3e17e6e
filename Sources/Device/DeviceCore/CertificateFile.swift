import Glibc
package import Model

/// The file of the authorities that vouch for the server, where they are not the system's.
package enum CertificateFile {
  /// `path` as an absolute one, so that it means the same to a worker that runs elsewhere. Throws where it is no readable
  /// file.
  package static func validated(_ path: String) throws(InvalidInput) -> String {
    guard !path.utf8.contains(where: { $0 < 0x20 }), let resolved = realpath(path, nil) else { throw unreadable }
    defer { free(resolved) }
    var information = stat()
    guard stat(resolved, &information) == 0, information.st_mode & S_IFMT == S_IFREG, access(resolved, R_OK) == 0 else {
      throw unreadable
    }
    return String(cString: resolved)
  }

  private static let unreadable = InvalidInput(.body, "ca_file must be a readable file with certificates in PEM")
}
