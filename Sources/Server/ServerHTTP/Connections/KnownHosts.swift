/// The names under which a listener is asked. A page in a browser on this machine can have its own name lead to the operator's listener,
/// and would read what is there; it cannot change the name that the browser sends.
struct KnownHosts: Sendable {
  private let listener: ListenAddress

  /// Those of this machine.
  init(of listener: ListenAddress) { self.listener = listener }

  func allow(_ host: String?) -> Bool {
    // No browser reaches a Unix socket.
    guard listener.family != .unix, let host else { return true }
    let name = host.hasPrefix("[") ? String(host.dropFirst().prefix { $0 != "]" }) : String(host.prefix { $0 != ":" })
    return name.lowercased() == "localhost" || name == "127.0.0.1" || name == "::1" || name == listener.host
  }
}
