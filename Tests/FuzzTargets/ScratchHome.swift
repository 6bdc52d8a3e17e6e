import Glibc
import LocalStore
import Synchronization

/// A folder of this process alone, in memory where the system has such a place, for targets that read files.
final class ScratchHome: Sendable {
  static let shared = ScratchHome()

  let path: String
  var home: HomeDirectory { HomeDirectory(path: path) }

  init() {
    let named = getenv("TMPDIR").map { String(cString: $0) } ?? ""
    let place = !named.isEmpty ? named : access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
    var template = Array("\(place)/lifesignal-fuzz-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else { fatalError("no folder for files: errno \(errno)") }
    path = String(cString: made)
    let isFirst = Self.made.withLock { paths in
      paths.append(path)
      return paths.count == 1
    }
    // Values that live as long as the process see no `deinit`.
    if isFirst { atexit { for path in ScratchHome.made.withLock({ $0 }) { ScratchHome.remove(path) } } }
  }

  deinit { Self.remove(path) }

  fileprivate static let made = Mutex<[String]>([])

  /// Removes what is in the folder.
  func empty() {
    for name in Self.names(path) { Self.remove(path + "/" + name) }
  }

  static func write(_ bytes: some Collection<UInt8>, to path: String) {
    let bytes = Array(bytes)
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0, Glibc.write(descriptor, bytes, bytes.count) == bytes.count else {
      fatalError("cannot write \(path): errno \(errno)")
    }
    close(descriptor)
  }

  static func read(_ path: String) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while case let count = Glibc.read(descriptor, &buffer, buffer.count), count > 0 { bytes += buffer[..<count] }
    return bytes
  }

  private static func names(_ path: String) -> [String] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names
  }

  fileprivate static func remove(_ path: String) {
    guard unlink(path) != 0 else { return }
    for name in names(path) { remove(path + "/" + name) }
    rmdir(path)
  }
}
