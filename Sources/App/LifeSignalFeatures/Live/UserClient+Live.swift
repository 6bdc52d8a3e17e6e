public import Clients
public import LifeSignal

extension UserClient {
  /// Who is signed in on the device of `client`.
  public static func live(_ client: LifeSignalClient) -> UserClient {
    UserClient(
      currentUser: { try await client.user() },
      observeUser: { client.users() },
      setName: { try await client.setName($0) }
    )
  }
}
