import Model
import ServerCore
import Wire

@testable import ServerHTTP

/// The HTTP shell around a responder that echoes each request, for tests of the shell alone.
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
      on: ListeningSocket(ListenAddress("127.0.0.1:0")), settings: settings, tls: nil, hub: hub,
      // The connection is suspended meanwhile, as in the server. Another thread would answer late where tests take all
      // processors.
      admit: { head, _ in .later { complete in complete(Self.admission(of: head)) } },
      respond: { request in .later { complete in complete(Self.respond(to: request)) } })
  }

  deinit { shell.stop() }

  func client(timeoutSeconds: Int = 10) throws -> RawClient {
    try RawClient(port: shell.address.port, timeoutSeconds: timeoutSeconds, server: self)
  }

  private static func admission(of head: ServerRequest) -> HTTPShell.Admission {
    switch head.path {
    case "/refused": .refused(.problem(Problem(.forbidden, "not with a body")))
    case "/small": .upTo(10)
    default: .upTo(1 << 20)
    }
  }

  @Sendable private static func respond(to request: ServerRequest) -> ServerResponse {
    switch request.path {
    case Route.events:
      let seconds = request.query[StreamEvent.heartbeatParameter].flatMap { Int($0) } ?? StreamEvent.heartbeatSeconds
      return .eventStream(account, .session(session), heartbeatSeconds: seconds)
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
