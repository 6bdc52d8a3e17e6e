import Glibc

/// The names in the folder, sorted; empty if there is no such folder.
package func listFolder(_ path: String) -> [String] {
  guard let folder = opendir(path) else { return [] }
  defer { closedir(folder) }
  var names: [String] = []
  while let entry = readdir(folder) {
    let name = withUnsafePointer(to: &entry.pointee.d_name) {
      $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
    }
    if name != "." && name != ".." { names.append(name) }
  }
  return names.sorted()
}

/// Removes the file, or the folder with its contents, if it exists.
package func removeTree(_ path: String) {
  if unlink(path) == 0 { return }
  for name in listFolder(path) { removeTree("\(path)/\(name)") }
  rmdir(path)
}

/// Nil if the file cannot be read.
package func readFile(_ path: String) -> [UInt8]? {
  let descriptor = open(path, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { return nil }
  defer { close(descriptor) }
  var status = stat()
  guard fstat(descriptor, &status) == 0 else { return nil }
  return [UInt8](unsafeUninitializedCapacity: Int(status.st_size)) { buffer, count in
    count = max(0, read(descriptor, buffer.baseAddress, buffer.count))
  }
}

/// Replaces the contents of the file, which is created if it does not exist.
package func writeFile(_ bytes: [UInt8], _ path: String) {
  let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
  guard descriptor >= 0 else { fatalError("cannot make \(path): errno \(errno)") }
  defer { close(descriptor) }
  guard write(descriptor, bytes, bytes.count) == bytes.count else { fatalError("cannot write \(path): errno \(errno)") }
}
