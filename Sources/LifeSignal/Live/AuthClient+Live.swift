import LocalStore

extension AuthClient {
  /// Signing in and out on the device that `client` stands for.
  ///
  /// What was sent to a phone is remembered by its id for as long as the code may work, in memory alone; the code itself,
  /// once entered, is passed on and kept nowhere. Where a store cannot be read, nobody counts as signed in.
  public static func live(_ client: LifeSignalClient) -> AuthClient {
    AuthClient(
      isAuthenticated: { (try? await client.status().sync.isSignedIn) ?? false },
      sendVerificationCode: { phoneNumber, region in
        try await client.requestCode(phone: phoneNumber, region: region.code).id
      },
      verifyCode: { code, verificationID in try await client.confirmCode(code, verificationID: verificationID) },
      signOut: { try await client.signOut(discardPending: $0) },
      authenticationStates: {
        client.observe { store throws(LocalStoreError) in try store.status().sync.signedIn }
      },
      pendingItemCount: { try await client.pendingItemCount() }
    )
  }
}
