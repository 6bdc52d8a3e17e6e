public import AppModel
import DeviceCore
import LocalStore
import Model

extension LifeSignalClient {
  /// Has a code sent to `phone`, as a person in `region` (ISO 3166-1 alpha-2) would dial it. Where this client had one sent
  /// there less than a minute ago and the server sends no other yet, that one is given again, with the seconds that are left.
  ///
  /// Throws `invalid` for what is no number, `notConfigured`, `queueNotEmpty` where another number is signed in and something
  /// of it waits or lies outside the store, `unreachable`, and `refused` where the server has sent enough codes for now.
  public func requestCode(phone: String, region: String? = nil) async throws(LifeSignalError) -> SentCode {
    try await withAccount { account throws(AccountError) in
      let number: String
      do throws(InvalidInput) {
        number = try PhoneEntry.normalized(phone, region: region)
      } catch {
        throw AccountError.invalid(error)
      }
      try account.checkMaySignIn(as: number, at: DeviceClock.now())
      return try self.requestCode(account, number, region)
    }
  }

  /// Signs in with the code that arrived. What was saved before belongs to the account from then on.
  ///
  /// Throws `refused` for a wrong code, which may be tried again, and `codeSpent` where no code of this request can work any
  /// more: it came too late, was used, or there were too many tries.
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

  /// The same for a code that this client had sent, by the id of its verification: for the features. Throws `codeSpent` where that is unknown
  /// here, or too long ago.
  package func confirmCode(_ code: String, verificationID: String) async throws(LifeSignalError) {
    guard let sent = sentCodes.code(id: verificationID, at: DeviceClock.monotonicMilliseconds()) else {
      throw LifeSignalError(.codeSpent, "this code cannot be used any more: ask for a new one")
    }
    try await confirmCode(code, for: sent)
  }

  /// The seconds until the server sends another code than the one of this verification; nil where that is not known here.
  package func secondsUntilResend(verificationID: String) -> Int? {
    sentCodes.secondsUntilResend(id: verificationID, at: DeviceClock.monotonicMilliseconds())
  }

  /// What signing out would cost now: to be shown to the person, and handed back to `signOut(accepting:)`.
  ///
  /// Throws `queueNotEmpty` where a file that is an alert, or may be one, lies outside the store and cannot be taken in and
  /// removed: signing out would be refused.
  public func signOutLosses() async throws(LifeSignalError) -> SignOutLosses {
    try await withStore { store throws(LocalStoreError) in
      SignOutLosses(try store.signOutAgreement(at: DeviceClock.now()))
    }
  }

  /// Ends the session on the server, then removes the account's data from this device, at the cost that the person has
  /// accepted and no other. Nil accepts what the alerts that are active now cost, and no loss of anything that waits to be sent.
  ///
  /// Throws `queueNotEmpty` where more waits to be sent by now, or an alert has become active, raised by whatever process; and
  /// `unreachable` where the server cannot be told. Nothing is removed then, and the session goes on, unless the message says
  /// that the server had ended it by then. An alert that is raised while the server is being told stays on this device, saved
  /// and not sent, until the person signs in again.
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

  private func requestCode(
    _ account: AccountSession, _ phone: String, _ region: String?
  ) throws(AccountError) -> SentCode {
    do throws(AccountError) {
      let sent = SentCode(try account.requestCode(phone: phone, region: region, at: DeviceClock.now()))
      sentCodes.add(sent, at: DeviceClock.monotonicMilliseconds())
      return sent
    } catch {
      guard case .refused(let problem) = error, problem.kind == .rateLimited,
        let sent = sentCodes.underWay(to: phone, at: DeviceClock.monotonicMilliseconds())
      else { throw error }
      return sent
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
