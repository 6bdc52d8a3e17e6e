import Glibc

/// The files of a store's folder, kept in memory, to begin trials from. What is shared memory is left out: it is gone when
/// nobody has the store open.
struct FolderImage: Sendable {
  private var files: [(path: String, bytes: [UInt8])] = []
  private var folders: [String] = []

  /// No files: a store that is made anew.
  init() {}

  init(of folder: String) {
    read(folder, "")
  }

  private mutating func read(_ folder: String, _ prefix: String) {
    for name in TrialFolder.names(in: folder + "/" + prefix) where !Self.isLeftOut(name) {
      var status = stat()
      guard lstat("\(folder)/\(prefix)\(name)", &status) == 0 else { continue }
      if status.st_mode & S_IFMT == S_IFDIR {
        folders.append(prefix + name)
        read(folder, "\(prefix)\(name)/")
      } else {
        files.append((prefix + name, Self.bytes(of: "\(folder)/\(prefix)\(name)")))
      }
    }
  }

  /// Room that is kept on the disk says nothing.
  private static func isLeftOut(_ name: String) -> Bool { name.hasSuffix("-shm") || name == "reserve" }

  /// Makes the folder what it was.
  func restore(to folder: String) {
    for name in TrialFolder.names(in: folder) where name != "reserve" { TrialFolder.remove("\(folder)/\(name)") }
    for name in folders { mkdir("\(folder)/\(name)", 0o700) }
    for file in files { Self.write(file.bytes, to: "\(folder)/\(file.path)") }
  }

  private static func bytes(of path: String) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return [] }
    return [UInt8](unsafeUninitializedCapacity: Int(status.st_size)) { buffer, count in
      count = max(0, Glibc.read(descriptor, buffer.baseAddress, buffer.count))
    }
  }

  private static func write(_ bytes: [UInt8], to path: String) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { fatalError("no file can be made for a trial: \(errno)") }
    defer { close(descriptor) }
    guard bytes.withUnsafeBytes({ Glibc.write(descriptor, $0.baseAddress, $0.count) }) == bytes.count else {
      fatalError("no room for a trial's files: \(errno)")
    }
  }
}
