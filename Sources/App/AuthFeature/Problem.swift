extension AuthFeature {
  /// What kind of thing went wrong, where a view says more than the words of `State.error`. Code decides by this.
  public enum Problem: Hashable, Sendable {
    /// The session could not be ended: the person is still signed in.
    case signOut
  }
}
