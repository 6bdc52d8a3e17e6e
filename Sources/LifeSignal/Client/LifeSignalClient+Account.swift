import DeviceCore
import LocalStore

extension LifeSignalClient {
  /// Says where the server is: `https://host[:port][/path]`, or `http://` of this machine. Throws `invalid`.
  public func setEndpoint(_ url: String) async throws(LifeSignalError) {
    let endpoint: String
    do throws(InvalidInput) {
      endpoint = try Configuration.validatedEndpoint(url)
    } catch {
      throw LifeSignalError(.invalid, error.message)
    }
    try await withStore { store throws(LocalStoreError) in
      var configuration = try Configuration.load(store.home)
      configuration.endpoint = endpoint
      try configuration.save(store.home)
    }
  }

  /// Has a code sent to `phone`, as a person in `region` would dial it.
  public func requestCode(phone: String, region: String? = nil) async throws(LifeSignalError) -> SentCode {
    try await withAccount { account throws(AccountError) in
      let number: String
      do throws(InvalidInput) {
        number = try PhoneEntry.normalized(phone, region: region)
      } catch {
        throw AccountError.invalid(error)
      }
      try account.checkMaySignIn(as: number)
      return SentCode(pending: try account.requestCode(phone: number, region: region))
    }
  }

  /// Signs in with the code that arrived. What was saved before belongs to the account from then on.
  ///
  /// Throws `refused` for a wrong, late or used code, or after too many tries.
  public func confirmCode(_ code: String, for sent: SentCode) async throws(LifeSignalError) {
    try await withAccount { account throws(AccountError) in
      _ = try account.confirm(sent.pending, code: code, at: DeviceClock.now())
    }
  }

  /// Ends the session on the server, then removes the account's data from this device.
  ///
  /// Throws `queueNotEmpty` while anything waits to be sent, unless `discardPending`; and `unreachable` where the server
  /// cannot be told: then nothing is removed.
  public func signOut(discardPending: Bool = false) async throws(LifeSignalError) {
    try await withAccount { account throws(AccountError) in try account.signOut(discardPending: discardPending) }
  }

  /// Runs `work` with the store and the configuration, on the network's queue.
  private func withAccount<Value: Sendable>(
    _ work: @escaping @Sendable (AccountSession) throws(AccountError) -> Value
  ) async throws(LifeSignalError) -> Value {
    try await run(on: networkQueue) { [self] in
      do throws(AccountError) {
        return .success(try work(try account()))
      } catch {
        return .failure(LifeSignalError(error))
      }
    }
  }

  private func account() throws(AccountError) -> AccountSession {
    do throws(LocalStoreError) {
      return AccountSession(store: try store(), configuration: try Configuration.load(home))
    } catch {
      throw .store(error)
    }
  }
}
