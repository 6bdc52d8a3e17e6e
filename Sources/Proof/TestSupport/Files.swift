import Glibc
import SystemKit

/// The names in the folder, sorted; empty if there is no such folder.
package func listFolder(_ path: String) -> [String] {
  (try? Folder.names(in: path)) ?? []
}

/// Removes the file, or the folder with its contents, if it exists.
package func removeTree(_ path: String) {
  if unlink(path) == 0 { return }
  for name in listFolder(path) { removeTree("\(path)/\(name)") }
  rmdir(path)
}

/// Nil if the file cannot be read.
package func readFile(_ path: String) -> [UInt8]? {
  (try? WholeFile.read(path, maximumBytes: .max)) ?? nil
}

/// Replaces the contents of the file, which is created if it does not exist.
package func writeFile(_ bytes: [UInt8], _ path: String) {
  let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
  guard descriptor >= 0 else { fatalError("cannot make \(path): errno \(errno)") }
  defer { close(descriptor) }
  guard write(descriptor, bytes, bytes.count) == bytes.count else { fatalError("cannot write \(path): errno \(errno)") }
}
