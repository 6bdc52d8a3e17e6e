public import Clients
public import LifeSignal

extension NotificationClient {
  /// Has the responders told by the device of `client`.
  ///
  /// The message was queued with the alert, in one transaction, and is retried until it arrives. So both endpoints do the same: they
  /// wake the background worker of any process. If none runs they send once themselves, and throw if that fails; the message stays
  /// queued.
  public static func live(_ client: LifeSignalClient) -> NotificationClient {
    NotificationClient(
      notifyRespondersOfAlert: { try await client.hurry() },
      notifyRespondersOfAlertDeactivation: { try await client.hurry() }
    )
  }
}

extension LifeSignalClient {
  fileprivate func hurry() async throws(LifeSignalError) {
    if let failure = try await sync()?.failure { throw failure }
  }
}
