import Glibc

/// The user that runs this program, as the system's list of users has it.
package enum UserAccount {
  /// The home folder; nil if the list does not have the user, or no absolute path for it: getpwuid_r(3).
  package static var homePath: String? {
    var entry = passwd()
    var found: UnsafeMutablePointer<passwd>?
    var buffer = [CChar](repeating: 0, count: 16_384)
    return buffer.withUnsafeMutableBufferPointer { buffer in
      guard let start = buffer.baseAddress, getpwuid_r(geteuid(), &entry, start, buffer.count, &found) == 0,
        let path = found?.pointee.pw_dir.map({ String(cString: $0) }), path.hasPrefix("/")
      else { return nil }
      return path
    }
  }
}
