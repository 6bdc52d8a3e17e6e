package import LocalStore
import Wire

extension TransportFailure {
  /// As the queue and the person are told.
  package var syncFailure: SyncFailure {
    switch self {
    case .cannotResolve: SyncFailure(.offline, "the server's name cannot be resolved")
    case .cannotConnect: SyncFailure(.offline, "the server cannot be reached")
    case .timedOut: SyncFailure(.timeout, "the server did not answer in time")
    case .tls(let reason): SyncFailure(.tls, "no secure connection: \(reason)".foreignLine)
    case .bodyTooLarge: SyncFailure(.notOurServer, "this network answered instead of your server, and without an end")
    case .protocolError(let reason): SyncFailure(.offline, "the connection broke: \(reason)".foreignLine)
    case .cancelled: SyncFailure(.cancelled, "the request was given up")
    }
  }
}
