extension AuthFeature {
  /// The kind of problem, if a view says more than `State.error`. Code decides by this.
  public enum Problem: Hashable, Sendable {
    /// The session could not be ended: the person is still signed in.
    case signOut
  }
}
