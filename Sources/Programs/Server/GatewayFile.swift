import ServerCore
import SystemKit
import Wire

/// The file that describes an SMS gateway: a `GatewayTemplate`, in which `{file:PATH}` stands for the first line of another file, so that
/// a secret is in a file of its own.
enum GatewayFile {
  private static let start = "{file:"

  /// Throws `data` where a file cannot be read, or is none.
  static func read(_ path: String) throws(ServerFailure) -> GatewayTemplate {
    let text = try withSecrets(contents(of: path), path)
    do throws(GatewayTemplate.TemplateError) {
      return try GatewayTemplate(json: Array(text.utf8))
    } catch {
      throw ServerFailure(.data, "--sms \(path): \(error.message)")
    }
  }

  private static func withSecrets(_ text: String, _ path: String) throws(ServerFailure) -> String {
    var result = ""
    var rest = text[...]
    while let place = rest.firstRange(of: start) {
      result += rest[..<place.lowerBound]
      guard let end = rest[place.upperBound...].firstIndex(of: "}") else {
        throw ServerFailure(.data, "--sms \(path): \(start) has no end")
      }
      let secret = try contents(of: String(rest[place.upperBound..<end])).split(separator: "\n").first ?? ""
      result += JSONEscape.escaped(String(secret))
      rest = rest[rest.index(after: end)...]
    }
    return result + rest
  }

  private static func contents(of path: String) throws(ServerFailure) -> String {
    guard let bytes = try? WholeFile.read(path, maximumBytes: 64 << 10),
      let text = String(validating: bytes, as: UTF8.self)
    else {
      throw ServerFailure(.data, "--sms: \(path) cannot be read")
    }
    return text
  }
}
