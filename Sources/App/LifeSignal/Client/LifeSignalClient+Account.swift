public import AppModel
import DeviceCore
import LocalStore
import Model

extension LifeSignalClient {
  /// Requests a code for `phone`, as a person in `region` (ISO 3166-1 alpha-2) would dial it. If this client requested one less than a
  /// minute ago and the server does not send another yet, returns that one, with the seconds that are left.
  ///
  /// While too many codes are asked for, the server sends one sooner to a device that does some work. This function does it, in the
  /// background, for a second to a minute, and stops when its task is cancelled. `onWork` is called before, with the seconds that it
  /// takes; nobody needs to be told of less than one.
  ///
  /// Throws `invalid` if it is not a phone number, `notConfigured`, `queueNotEmpty` if another number is signed in and has unsent items
  /// here, `unreachable`, and `refused` if the server has sent enough codes for now.
  public func requestCode(
    phone: String, region: String? = nil, onWork: @escaping @Sendable (_ seconds: Int) -> Void = { _ in }
  ) async throws(LifeSignalError) -> SentCode {
    var request = CodeRequest(phone: phone, region: region)
    while true {
      switch try await answer(to: request) {
      case .sent(let code): return code
      case .work(let search, let rounds, let refusal):
        guard let proof = await proof(by: search, onWork: onWork) else { throw LifeSignalError(refusal) }
        request.rounds = rounds
        request.proof = proof
      }
    }
  }

  /// Signs in with the code that arrived. What was saved before then belongs to the account.
  ///
  /// Throws `refused` for a wrong code, after which another can be tried, and `codeSpent` if no code of this request can work any more:
  /// it expired, was used, or there were too many attempts.
  public func confirmCode(_ code: String, for sent: SentCode) async throws(LifeSignalError) {
    try await withAccount { [sentCodes] account throws(AccountError) in
      do throws(AccountError) {
        _ = try account.confirm(sent.id, of: sent.phone, code: code, at: DeviceClock.now())
        sentCodes.remove(id: sent.id)
      } catch {
        if error.isCodeSpent { sentCodes.remove(id: sent.id) }
        throw error
      }
    }
  }

  /// The same by the id of the verification, for the features. Throws `codeSpent` if the id is unknown here or expired.
  package func confirmCode(_ code: String, verificationID: String) async throws(LifeSignalError) {
    guard let sent = sentCodes.code(id: verificationID, at: DeviceClock.monotonicMilliseconds()) else {
      throw LifeSignalError(.codeSpent, ClientTexts.unknownCode)
    }
    try await confirmCode(code, for: sent)
  }

  /// The seconds until the server sends another code than that of this verification; nil if unknown here.
  package func secondsUntilResend(verificationID: String) -> Int? {
    sentCodes.secondsUntilResend(id: verificationID, at: DeviceClock.monotonicMilliseconds())
  }

  /// What signing out would lose now: show it to the person, and pass it to `signOut(accepting:)`.
  ///
  /// Throws `queueNotEmpty` if a file outside the store is an alert, or may be one, and cannot be recovered: signing out would be
  /// refused.
  public func signOutLosses() async throws(LifeSignalError) -> SignOutLosses {
    try await withStore { store throws(LocalStoreError) in
      SignOutLosses(try store.signOutAgreement(at: DeviceClock.now()))
    }
  }

  /// Ends the session on the server, then removes the account's data from this device, with the losses that the person has accepted
  /// and no others. Nil accepts that active alerts stay active, and no loss of unsent items.
  ///
  /// Throws `queueNotEmpty` if more waits to be sent by now, or if any process has raised an alert since; and `unreachable` if the
  /// server cannot be told. Nothing is removed then and the session stays, unless the message says that the server has ended it. An
  /// alert that is raised while the server is being told stays on this device, saved and not sent, until the person signs in again.
  public func signOut(accepting losses: SignOutLosses? = nil) async throws(LifeSignalError) {
    let agreement =
      if let accepted = losses.flatMap(SignOutAgreement.init) { accepted } else { try await agreementKeepingQueue() }
    try await withAccount { account throws(AccountError) in
      try account.signOut(agreement, at: DeviceClock.now())
    }
  }

  private func agreementKeepingQueue() async throws(LifeSignalError) -> SignOutAgreement {
    try await withStore { store throws(LocalStoreError) in
      try store.signOutAgreement(at: DeviceClock.now()).keepingQueue
    }
  }

  /// Runs `work` with the store and the configuration, on the network's queue.
  func withAccount<Value: Sendable>(
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
