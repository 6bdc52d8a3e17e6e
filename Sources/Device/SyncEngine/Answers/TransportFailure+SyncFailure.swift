package import LocalStore
import Wire

extension TransportFailure {
  /// The failure as the queue records it and the person reads it.
  package var syncFailure: SyncFailure {
    switch self {
    case .cannotResolve: SyncFailure(.offline, "the server's name cannot be resolved")
    case .cannotConnect: SyncFailure(.offline, "the server cannot be reached")
    case .timedOut: SyncFailure(.timeout, "the server did not answer in time")
    case .tls(let reason): SyncFailure(.tls, "no secure connection: \(reason)".foreignLine)
    case .bodyTooLarge: SyncFailure(.notOurServer, "this network sent far too much instead of your server's answer")
    case .protocolError(let reason): SyncFailure(.connectionBroken, "the connection broke: \(reason)".foreignLine)
    case .cancelled: SyncFailure(.cancelled, "the request was cancelled")
    }
  }
}
