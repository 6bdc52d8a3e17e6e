package import ServerCore

/// One call of the server's core in a run, with what it gave, so that it can be made again on another store.
package struct ServerCall {
  package let what: String
  /// What it gave, as text.
  package let told: String
  private let body: (ServerCore, any ServerStore) throws -> Any

  init(_ what: String, _ result: Any, _ body: @escaping (ServerCore, any ServerStore) throws -> Any) {
    self.what = what
    told = String(describing: result)
    self.body = body
  }

  /// Makes the call with the same values at the same time; returns what it gives.
  package func made(with core: ServerCore, in store: any ServerStore) throws -> String {
    String(describing: try body(core, store))
  }
}

/// The calls of a server from its start on, as long as it lives.
package struct ServerCalls {
  package let configuration: ServerConfiguration
  /// When it started, with the randomness of its secret.
  package let start: ServerMoment
  package internal(set) var calls: [ServerCall] = []
}
