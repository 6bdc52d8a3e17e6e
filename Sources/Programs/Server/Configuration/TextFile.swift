import Glibc
import SystemKit

/// Reads a small text file.
enum TextFile {
  static let maximumBytes = 1 << 20

  /// Throws `data`, with the option, the path and the system's reason.
  static func read(_ path: String, for option: String) throws(ServerFailure) -> String {
    do throws(SystemError) {
      guard let bytes = try WholeFile.read(path, maximumBytes: maximumBytes) else {
        throw SystemError(ENOENT, "read \(path)")
      }
      return String(decoding: bytes, as: UTF8.self)
    } catch {
      throw ServerFailure(
        .data,
        "\(option) \(path): "
          + (error.number == EFBIG ? "this is not a PEM file" : "cannot read the file: \(error.reason)"))
    }
  }
}
