import Clients
public import Dependencies
public import LifeSignal

extension DependencyValues {
  /// Makes the features use this device: sets their six clients to live ones.
  ///
  /// ```swift
  /// let client = try LifeSignalClient.open()
  /// let store = Store(initialState: AlertFeature.State()) {
  ///   AlertFeature()
  /// } withDependencies: {
  ///   $0.use(client)
  /// }
  /// ```
  ///
  /// The date, the ids and the clock are live by default.
  public mutating func use(_ client: LifeSignalClient) {
    alertClient = .live(client)
    authClient = .live(client)
    userClient = .live(client)
    notificationClient = .live(client)
    contactClient = .live(client)
    responderClient = .live(client)
  }
}
