import CSodium

/// libsodium, made ready once; every function of this module goes through here first.
enum Sodium {
  /// Runs `sodium_init` on first use, from whichever thread; later uses cost a load.
  ///
  /// It fails only where the kernel gives no random numbers. Nothing here can go on then: a guessable code or token is
  /// worse than no server.
  static let ready: Void = {
    guard sodium_init() >= 0 else { fatalError("libsodium cannot be initialised: the kernel gives no random numbers") }
  }()
}
