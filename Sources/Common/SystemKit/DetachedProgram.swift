import CLinux
import Glibc

/// Programs that go on after this one has ended.
package enum DetachedProgram {
  /// Starts the program at `path` in a session of its own, so that neither Ctrl-C nor a closed terminal ends it, with `/dev/null` as its
  /// standard streams and without any open file of this process. It inherits the environment and the limits.
  ///
  /// - Returns: its process id.
  package static func start(_ path: String, _ arguments: [String]) throws(SystemError) -> Int32 {
    let words = ([path] + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var id: Int32 = 0
    let error = lifesignal_start_detached(path, words, &id)
    guard error == 0 else { throw SystemError(error, "start \(path)") }
    return id
  }
}

/// The file of the running program.
package enum OwnExecutable {
  /// Its absolute path, without symbolic links; nil if the system does not say. `/proc` may not be mounted: then it is the path that the
  /// kernel was given to start it.
  package static var path: String? {
    for path in ["/proc/self/exe", startedAs].compactMap(\.self) {
      guard let resolved = realpath(path, nil) else { continue }
      defer { free(resolved) }
      return String(cString: resolved)
    }
    return nil
  }

  private static var startedAs: String? { lifesignal_started_path().map { String(cString: $0) } }
}
