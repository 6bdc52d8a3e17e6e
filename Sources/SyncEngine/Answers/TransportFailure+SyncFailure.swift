package import LocalStore

extension TransportFailure {
  /// As the queue and the person are told.
  package var syncFailure: SyncFailure {
    switch self {
    case .cannotResolve: SyncFailure(.offline, "the server's name cannot be resolved")
    case .cannotConnect: SyncFailure(.offline, "the server cannot be reached")
    case .timedOut: SyncFailure(.timeout, "the server did not answer in time")
    case .tls(let reason): SyncFailure(.tls, AnswerClassifier.line("no secure connection: \(reason)"))
    case .bodyTooLarge: SyncFailure(.notOurServer, "something that is not our server answered without an end")
    case .protocolError(let reason): SyncFailure(.offline, AnswerClassifier.line("the connection broke: \(reason)"))
    case .cancelled: SyncFailure(.cancelled, "the request was given up")
    }
  }
}
