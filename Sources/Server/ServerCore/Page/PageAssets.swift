import Schema
import Secrets

/// The style sheet and the script of the page. Both stand in the page itself, so that it is whole with one answer.
enum PageAssets {
  static let style = text(lifesignal_schema_page_style())
  static let script = text(lifesignal_schema_page_script())

  /// Nothing from elsewhere, and nothing in the page but these two.
  static let contentSecurityPolicy = [
    "default-src 'none'", "style-src \(source(style))", "script-src \(source(script))", "connect-src 'self'",
    "form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'",
  ].joined(separator: "; ")

  private static func source(_ text: String) -> String {
    "'sha256-\(Base64.encode(SHA256.of(Array(text.utf8))))'"
  }

  /// The file without indentation and lines of comment: the page is to fit into the first packets of a connection.
  private static func text(_ file: lifesignal_schema_file) -> String {
    String(decoding: UnsafeRawBufferPointer(start: file.bytes, count: file.length), as: UTF8.self)
      .split(separator: "\n").map { $0.drop { $0 == " " } }.filter { !$0.hasPrefix("//") }.joined(separator: "\n")
  }
}
