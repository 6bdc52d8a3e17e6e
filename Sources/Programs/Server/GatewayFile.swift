import ServerCore
import SystemKit

/// The file that describes an SMS gateway: a `GatewayTemplate`, in which `{file:PATH}` stands for the first line of another file, so that
/// a secret is in a file of its own.
enum GatewayFile {
  /// Throws `data` where a file cannot be read or is invalid.
  static func read(_ path: String) throws(ServerFailure) -> GatewayTemplate {
    do throws(GatewayTemplate.TemplateError) {
      return try GatewayTemplate(json: contents(of: path), secret: secret)
    } catch {
      throw ServerFailure(.data, "--sms \(path): \(error.message)")
    }
  }

  private static func secret(_ path: String) throws(GatewayTemplate.TemplateError) -> String {
    let text = String(decoding: try contents(of: path), as: UTF8.self)
    guard let line = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).first, !line.isEmpty
    else {
      throw GatewayTemplate.TemplateError(message: "the first line of \(path) is empty")
    }
    return String(line)
  }

  private static func contents(of path: String) throws(GatewayTemplate.TemplateError) -> [UInt8] {
    let bytes: [UInt8]?
    do throws(SystemError) {
      bytes = try WholeFile.read(path, maximumBytes: 64 << 10)
    } catch {
      throw GatewayTemplate.TemplateError(message: "\(path) cannot be read: \(error.reason)")
    }
    guard let bytes else { throw GatewayTemplate.TemplateError(message: "there is no file \(path)") }
    return bytes
  }
}
