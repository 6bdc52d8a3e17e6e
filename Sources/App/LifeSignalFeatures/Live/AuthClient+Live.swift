public import Clients
public import LifeSignal

extension AuthClient {
  /// Signing in and out on the device of `client`.
  ///
  /// A requested code is remembered by its id, in memory only, for as long as it may work; an entered code is stored nowhere. If the
  /// store cannot be read, nobody counts as signed in.
  public static func live(_ client: LifeSignalClient) -> AuthClient {
    let work = CodeWorkRelay()
    return AuthClient(
      isAuthenticated: { (try? await client.status().connection.isSignedIn) ?? false },
      sendVerificationCode: { phoneNumber, region in
        try await client.requestCode(phone: phoneNumber, region: region.code, onWork: work.tell).id
      },
      verifyCode: { code, verificationID in try await client.confirmCode(code, verificationID: verificationID) },
      signOut: { try await client.signOut(accepting: $0) },
      authenticationStates: { client.signedInStates() },
      signOutLosses: { try await client.signOutLosses() },
      secondsUntilResend: { client.secondsUntilResend(verificationID: $0) },
      codeWork: { work.stream() }
    )
  }
}
