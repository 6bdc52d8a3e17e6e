import DeviceCore
import LocalStore
import Synchronization

extension AuthClient {
  /// Signing in and out on the device that `client` stands for.
  ///
  /// What was sent to a phone is remembered by its id for as long as the code may work, in memory alone; the code itself,
  /// once entered, is passed on and kept nowhere. Signing out gives up what `pendingItemCount` counted last, and is refused where
  /// more waits by then or an alert was raised since. Where a store cannot be read, nobody counts as signed in.
  public static func live(_ client: LifeSignalClient) -> AuthClient {
    let question = SignOutQuestion()
    return AuthClient(
      isAuthenticated: { (try? await client.status().sync.isSignedIn) ?? false },
      sendVerificationCode: { phoneNumber, region in
        try await client.requestCode(phone: phoneNumber, region: region.code).id
      },
      verifyCode: { code, verificationID in try await client.confirmCode(code, verificationID: verificationID) },
      signOut: { isDiscardingPending in
        let losses = try await question.takeAnswer(client)
        try await client.signOut(accepting: isDiscardingPending ? losses : losses.keepingQueue)
      },
      authenticationStates: {
        client.observe { () throws(LocalStoreError) in Reading(try client.store().status().sync.signedIn) }
      },
      pendingItemCount: { try await question.ask(client).pendingCount },
      secondsUntilResend: {
        client.sentCodes.secondsUntilResend(id: $0, at: DeviceClock.monotonicMilliseconds())
      }
    )
  }
}

/// What a person was last told that signing out would cost, until they have answered.
private final class SignOutQuestion: Sendable {
  private let losses = Mutex<SignOutLosses?>(nil)

  func ask(_ client: LifeSignalClient) async throws -> SignOutLosses {
    let losses = try await client.signOutLosses()
    self.losses.withLock { $0 = losses }
    return losses
  }

  /// What was asked about, once; where nothing was, what signing out costs now.
  func takeAnswer(_ client: LifeSignalClient) async throws -> SignOutLosses {
    if let asked = losses.withLock({ $0.take() }) { return asked }
    return try await client.signOutLosses()
  }
}
