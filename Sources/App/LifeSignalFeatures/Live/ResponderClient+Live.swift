public import Clients
public import LifeSignal

extension ResponderClient {
  /// The alerts that the device of `client` received, the newest 100 of them.
  public static func live(_ client: LifeSignalClient) -> ResponderClient {
    ResponderClient(
      list: { try await client.inbox() },
      alerts: { client.inboxes() },
      respond: { try await client.respond(to: $0, with: $1, text: $2) },
      noteSeen: { try await client.noteSeen($0) }
    )
  }
}
