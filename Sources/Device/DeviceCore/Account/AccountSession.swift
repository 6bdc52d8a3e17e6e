import CurlKit
package import CurlTransport
import Glibc
package import LocalStore
package import Model
package import Wire

/// Signs in and out. Every function blocks on the network, at most thirty seconds a call.
package struct AccountSession: Sendable {
  package let store: LocalStore
  package let configuration: Configuration
  private let caller: AccountCalls.Caller

  /// - Parameter caller: libcurl; the simulator passes its own network.
  package init(
    store: LocalStore, configuration: Configuration, caller: @escaping AccountCalls.Caller = CurlCaller.perform
  ) {
    self.store = store
    self.configuration = configuration
    self.caller = caller
  }

  /// Throws if signing in as `phone` would be refused later: another account's queue is here, or an alert that could
  /// belong to that account.
  package func checkMaySignIn(as phone: String, at moment: Moment) throws(AccountError) {
    try Self.onStore { () throws(LocalStoreError) in
      guard let session = try store.session(), session.phone != phone else { return }
      try store.emptySpool(at: moment)
      let count = try store.pendingCount()
      guard count == 0 else {
        throw LocalStoreError(
          .anotherAccount, DeviceTexts.otherAccount(session.phone, count))
      }
    }
  }

  /// The unexpired verification for `phone`, from this run or an earlier one.
  package func pendingVerification(phone: String, at moment: Moment) throws(AccountError) -> PendingVerification? {
    PendingVerification.load(store.home, phone: phone, endpoint: try endpoint(), now: moment)
  }

  /// Requests a code once.
  /// - Parameters:
  ///   - phone: E.164.
  ///   - proof: of the work that the server asked for, if it did.
  package func requestCode(
    phone: String, region: String?, proof: WorkProof?, at moment: Moment
  ) throws(AccountError) -> PendingVerification {
    let endpoint = try endpoint()
    let calls = try calls()
    let answer = try Self.onNetwork { () throws(AccountCallError) in
      try calls.requestCode(phone: phone, region: region, proof: proof)
    }
    let pending = PendingVerification(
      verificationID: answer.verificationID, phone: phone, endpoint: endpoint, expiresAt: answer.expiresAt,
      resendAt: answer.resendAt, sentAt: moment)
    pending.save(store.home)
    return pending
  }

  /// Signs in with the code for this verification. Forgets a verification that can never work again.
  /// - Parameter phone: E.164, where the code was sent. An answer for another number does not sign in.
  package func confirm(
    _ verificationID: String, of phone: String, code: String, at moment: Moment
  ) throws(AccountError) -> Session {
    guard OneTimeCode.isWellFormed(code) else {
      throw .invalid(InvalidInput(.body, DeviceTexts.malformedCode))
    }
    let calls = try calls()
    let answer: SessionResponse
    do throws(AccountCallError) {
      answer = try calls.createSession(
        verificationID: verificationID, code: code, deviceName: Self.deviceName())
    } catch {
      if case .problem(let problem) = error, Self.isSpent(problem.kind) { PendingVerification.forget(store.home) }
      throw AccountError(error)
    }
    // Items that wait here must not go to another account.
    guard answer.user.phone == phone else {
      throw .notOurServer(DeviceTexts.otherNumber)
    }
    let session = Session(
      accountID: answer.user.id, phone: answer.user.phone, accessToken: answer.tokens.accessToken,
      refreshToken: answer.tokens.refreshToken, accessExpiresAt: answer.tokens.expiresAt, alertKey: answer.alertKey)
    try Self.onStore { () throws(LocalStoreError) in try store.signIn(session, at: moment) }
    PendingVerification.forget(store.home)
    store.home.poke()
    return session
  }

  /// What a person must agree to before signing out now.
  package func signOutAgreement(at moment: Moment) throws(AccountError) -> SignOutAgreement {
    try Self.onStore { () throws(LocalStoreError) in try store.signOutAgreement(at: moment) }
  }

  /// Ends the session and the alert key on the server, then removes the account's data from this device. If the server
  /// cannot be reached, nothing is removed. If more would be lost than the agreement covers, nothing is removed and the
  /// session stays, so that this device can still send it.
  ///
  /// Items that are added during the call to the server, by any process, stay on this device.
  package func signOut(_ agreement: SignOutAgreement, at moment: Moment) throws(AccountError) {
    let session = try Self.onStore { () throws(LocalStoreError) in try store.beginSignOut(agreement, at: moment) }
    do throws(AccountError) {
      try endOnServer(session, agreement)
    } catch {
      // Best effort: a leftover mark only allows an alert beside an active one, and the next sign-in removes it.
      try? store.abandonSignOut()
      throw error
    }
    try finish(session, agreement, at: moment)
    PendingVerification.forget(store.home)
  }

  private func finish(_ session: Session, _ agreement: SignOutAgreement, at moment: Moment) throws(AccountError) {
    do throws(LocalStoreError) {
      // Alerts that were raised meanwhile on a failing disk belong to this account too.
      try store.emptySpool(at: moment)
      try store.finishSignOut(of: session, agreement)
    } catch {
      // Best effort: otherwise the next exchange learns it from the server.
      try? store.keepSignedOut(session)
      throw .store(LocalStoreError(error.code, DeviceTexts.dataStays(error.message)))
    }
  }

  /// Ends the session with the access token, or a refreshed one if it has expired, or the alert key if the session has
  /// ended, because the key would otherwise stay valid forever. A server that knows none of them has nothing to end.
  private func endOnServer(_ session: Session, _ agreement: SignOutAgreement) throws(AccountError) {
    let calls = try calls()
    if !session.isExpired, try isEnded(by: session, agreement, calls) { return }
    _ = try end(by: session.alertKey, agreement, calls)
  }

  /// False if the server rejects the token. Until it accepts one, new items stop the sign-out.
  private func end(
    by token: String, _ agreement: SignOutAgreement, _ calls: AccountCalls
  ) throws(AccountError) -> Bool {
    try Self.onStore { () throws(LocalStoreError) in try store.checkSignOut(agreement) }
    let ended: Void? = try unlessUnauthorized { () throws(AccountCallError) in
      try calls.deleteSession(token: token)
    }
    return ended != nil
  }

  /// Ends the session with its own tokens; false if the server rejects both.
  private func isEnded(
    by session: Session, _ agreement: SignOutAgreement, _ calls: AccountCalls
  ) throws(AccountError) -> Bool {
    if try end(by: session.accessToken, agreement, calls) { return true }
    guard let token = try refreshedAccessToken(session, calls) else { return false }
    return try end(by: token, agreement, calls)
  }

  /// A new access token; nil if the server rejects the refresh token.
  func refreshedAccessToken(_ session: Session, _ calls: AccountCalls) throws(AccountError) -> String? {
    let tokens = try unlessUnauthorized { () throws(AccountCallError) in
      try calls.refresh(refreshToken: session.refreshToken)
    }
    guard let tokens else { return nil }
    // Stored at once: the old token is invalid now, even if the next call fails.
    _ = try Self.onStore { () throws(LocalStoreError) in
      try store.replaceTokens(
        session.refreshToken, accessToken: tokens.accessToken, refreshToken: tokens.refreshToken,
        expiresAt: tokens.expiresAt)
    }
    return tokens.accessToken
  }

  /// Nil if the server answers 401.
  func unlessUnauthorized<Result>(
    _ call: () throws(AccountCallError) -> Result
  ) throws(AccountError) -> Result? {
    do throws(AccountCallError) {
      return try call()
    } catch {
      if case .problem(let problem) = error, problem.status == 401 { return nil }
      throw AccountError(error)
    }
  }

  private func endpoint() throws(AccountError) -> String {
    guard let endpoint = configuration.endpoint else { throw .noEndpoint }
    return endpoint
  }

  func calls() throws(AccountError) -> AccountCalls {
    AccountCalls(
      endpoint: try endpoint(), certificateAuthorityFile: configuration.certificateAuthorityFile, caller: caller)
  }

  static func isSpent(_ kind: Problem.Kind) -> Bool {
    switch kind {
    case .codeExpired, .codeUsed, .codeTriesExhausted, .notFound: true
    default: false
    }
  }

  /// This machine's host name.
  private static func deviceName() -> String {
    var name = [CChar](repeating: 0, count: 256)
    guard gethostname(&name, name.count - 1) == 0 else { return "device" }
    let text = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    return text.isEmpty ? "device" : text
  }

  static func onStore<Result>(
    _ work: () throws(LocalStoreError) -> Result
  ) throws(AccountError) -> Result {
    do throws(LocalStoreError) { return try work() } catch { throw .store(error) }
  }

  private static func onNetwork<Result>(
    _ work: () throws(AccountCallError) -> Result
  ) throws(AccountError) -> Result {
    do throws(AccountCallError) { return try work() } catch { throw AccountError(error) }
  }
}
