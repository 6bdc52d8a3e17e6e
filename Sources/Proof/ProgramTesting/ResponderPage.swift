import Foundation
import Glibc
import Testing

/// The page of a responder, as a browser without scripts uses it.
package struct ResponderPage {
  private let port: UInt16
  private let path: String

  /// The page whose link the body of a webhook has.
  package init(webhook body: String) throws {
    let link = try JSONObject(body).object("data").string("page_url")
    let parts = try #require(link.firstMatch(of: #/http://127\.0\.0\.1:(\d+)(/\S+)/#))
    port = try #require(UInt16(parts.1))
    path = String(parts.2)
  }

  /// Presses a button: `responding`, `cannot`, `on_my_way`, `there`, `handing_over`.
  package func answer(_ answer: String) throws {
    let form = "answer=\(answer)"
    let request =
      "POST \(path)/acknowledgements HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
      + "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: \(form.utf8.count)\r\n\r\n\(form)"
    let head = try exchange(request)
    try #require(head.hasPrefix("HTTP/1.1 303") || head.hasPrefix("HTTP/1.1 200"), "\(head)")
  }

  private func exchange(_ request: String) throws -> String {
    let connection = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    defer { close(connection) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let isConnected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(connection, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    try #require(isConnected)
    let bytes = Array(request.utf8)
    try #require(write(connection, bytes, bytes.count) == bytes.count)
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = read(connection, &buffer, buffer.count)
    return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
  }
}
