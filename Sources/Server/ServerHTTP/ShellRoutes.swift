import Schema
import ServerCore
import Wire

/// The routes of the public listener: the core's, and those that need no store.
enum ShellRoutes {
  static let table = RouteTable(
    RouteTable.main.entries + [
      health,
      RouteEntry("GET", Route.description, .immediate) { _ in
        Rule { _, _ in .full(FullResponse(status: 200, mediaType: "application/yaml", body: description)) }
      },
    ])

  static let health = RouteEntry("GET", Route.health, .immediate) { _ in
    Rule { _, work in .json(HealthResponse(serverTime: work.now).json()) }
  }

  private static var description: [UInt8] {
    let file = lifesignal_schema_openapi()
    return Array(UnsafeRawBufferPointer(start: file.bytes, count: file.length))
  }
}
