import Glibc
import SystemKit

/// Reads a small text file.
enum TextFile {
  static let maximumBytes = 1 << 20

  static func read(_ path: String, for option: String) throws(ServerFailure) -> String {
    guard let file = FileDescriptor(opening: path, O_RDONLY) else {
      throw ServerFailure(.data, "\(option): cannot read the file: \(String(cString: strerror(errno)))")
    }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 16 << 10)
    while bytes.count <= maximumBytes {
      let count = Glibc.read(file.number, &buffer, buffer.count)
      if count == 0 { return String(decoding: bytes, as: UTF8.self) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      bytes += buffer[..<count]
    }
    throw ServerFailure(.data, "\(option): this is not a PEM file")
  }
}
