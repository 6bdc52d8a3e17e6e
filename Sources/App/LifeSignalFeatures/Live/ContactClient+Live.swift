public import Clients
public import LifeSignal

extension ContactClient {
  /// The contacts of the device of `client`.
  public static func live(_ client: LifeSignalClient) -> ContactClient {
    ContactClient(
      list: { try await client.contacts() },
      add: { try await client.addContact($0) },
      update: { try await client.updateContact($0, $1) },
      remove: { try await client.removeContact($0) },
      test: { try await client.testContact($0) }
    )
  }
}
