import CSodium

/// Initializes libsodium once; every function of this module calls it first.
enum Sodium {
  /// Runs `sodium_init` on first use, from any thread; later uses cost one load.
  ///
  /// Traps if the kernel has no random numbers: a guessable code or token is worse than no server.
  static let ready: Void = {
    guard sodium_init() >= 0 else { fatalError("libsodium cannot be initialised: the kernel gives no random numbers") }
  }()
}
