package import Model

/// The server without its sockets: a synchronous function of (store, request, moment).
///
/// The shell calls it from any number of threads; a store lets one writer in at a time.
package struct ServerCore: Sendable {
  package let configuration: ServerConfiguration
  package let keys: ServerKeys

  package init(configuration: ServerConfiguration, keys: ServerKeys) {
    self.configuration = configuration
    self.keys = keys
  }

  /// Answers `request`. Never throws: an error becomes a problem.
  package func respond(to request: ServerRequest, at moment: ServerMoment, in store: any ServerStore) -> ServerOutcome {
    fatalError("not yet")
  }

  /// Takes up to `limit` deliveries that are due, for the caller to attempt. Each is the caller's until
  /// `DeliveryPolicy.leaseMilliseconds` from now; every one is to be answered with `completeDelivery`.
  package func claimDeliveries(
    limit: Int, at moment: ServerMoment, in store: any ServerStore
  ) throws(StorageError) -> [DeliveryAttempt] {
    fatalError("not yet")
  }

  /// Writes down how an attempt went. The outcome's response has no meaning here.
  package func completeDelivery(
    _ id: DeliveryID, _ answer: DeliveryAnswer, at moment: ServerMoment, in store: any ServerStore
  ) throws(StorageError) -> ServerOutcome {
    fatalError("not yet")
  }

  /// When `claimDeliveries` will next have something to give; nil while nothing waits. May be in the past.
  package func nextDeliveryDue(at moment: ServerMoment, in store: any ServerStore) throws(StorageError) -> Timestamp? {
    fatalError("not yet")
  }
}
