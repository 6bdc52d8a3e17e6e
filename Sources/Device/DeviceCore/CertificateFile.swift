import Glibc
package import Model

/// The certificate authority file for the server, if the system's authorities do not apply.
package enum CertificateFile {
  /// The absolute form of `path`, so that it also works for a worker in another folder. Throws if the file is not readable.
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
