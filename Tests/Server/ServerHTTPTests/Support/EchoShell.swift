import Dispatch
import Model
import ServerCore
import Wire

@testable import ServerHTTP

/// The HTTP shell alone, around a responder that says what it was asked, so that a test sees the shell and nothing else.
final class EchoShell {
  let shell: HTTPShell
  let hub: EventHub

  static let session = SessionID(versionSevenAt: Timestamp(milliseconds: 1), random: (3, 4))
  static let account = AccountID(versionSevenAt: Timestamp(milliseconds: 1), random: (1, 2))

  init(_ adjust: (inout HTTPSettings) -> Void = { _ in }) throws {
    var settings = HTTPSettings()
    adjust(&settings)
    hub = try EventHub(settings)
    shell = try HTTPShell.start(
      on: ListeningSocket(ListenAddress("127.0.0.1:0")), settings: settings, tls: nil, hub: hub
    ) { request in
      // From another thread, as the server does: the connection is suspended meanwhile.
      .later { complete in
        DispatchQueue.global().async { complete(Self.respond(to: request)) }
      }
    }
  }

  deinit { shell.stop() }

  func client(patienceSeconds: Int = 10) throws -> RawClient {
    try RawClient(port: shell.address.port, patienceSeconds: patienceSeconds, server: self)
  }

  @Sendable private static func respond(to request: ServerRequest) -> ServerResponse {
    switch request.path {
    case Route.events: return .eventStream(account, session)
    case "/large": return .text(String(repeating: "x", count: 8 << 20))
    case "/nothing": return .noContent
    default: return .json(description(of: request))
    }
  }

  private static func description(of request: ServerRequest) -> [UInt8] {
    var json = JSONWriter()
    json.object {
      $0.member("method", request.method)
      $0.member("path", request.path)
      $0.member(
        "query", request.query.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: ";"))
      $0.member("authorization", request.authorization)
      $0.member("content_type", request.contentType)
      $0.member("bytes", request.body.count)
      $0.member("address", request.remoteAddress)
    }
    return json.bytes
  }
}
