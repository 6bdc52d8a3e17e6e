import Schema
import ServerCore
import Wire

/// The routes that the shell answers without the core: what needs no store, and what this process cannot do.
enum ShellRoutes {
  /// Nil for a request that is the core's.
  static func response(
    to request: ServerRequest, codes: CodeDelivery, at moment: @Sendable () -> ServerMoment
  ) -> ServerResponse? {
    switch request.path {
    case Route.health:
      read(request) { .json(HealthResponse(serverTime: moment().now).json()) }
    case Route.description:
      read(request) { .full(FullResponse(status: 200, mediaType: "application/yaml", body: description)) }
    case Route.verifications where request.method == "POST":
      if case .none = codes { .problem(CodeDelivery.unavailable) } else { nil }
    default: nil
    }
  }

  private static func read(_ request: ServerRequest, _ answer: () -> ServerResponse) -> ServerResponse {
    guard request.method == "GET" else {
      return .problem(
        Problem(.methodNotAllowed, "this can only be read, with GET"), headers: [HeaderField("Allow", "GET")])
    }
    return answer()
  }

  private static var description: [UInt8] {
    let file = lifesignal_schema_openapi()
    return Array(UnsafeRawBufferPointer(start: file.bytes, count: file.length))
  }
}
