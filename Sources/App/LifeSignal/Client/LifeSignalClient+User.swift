import LocalStore

extension LifeSignalClient {
  /// Who is signed in; nil where nobody is.
  public func user() async throws(LifeSignalError) -> User? {
    try await withStore { store throws(LocalStoreError) in try store.session().map(User.init) }
  }

  /// Who is signed in: now, and again whenever that changed. Ends when the task that reads it is cancelled, and as
  /// `statuses()` does where the store cannot be read.
  public func users() -> AsyncStream<User?> {
    observe { [self] () throws(LocalStoreError) in Reading(try store().session().map(User.init)) }
  }
}

extension User {
  fileprivate init(_ session: Session) {
    self.init(id: session.accountID, phoneNumber: session.phone, isSessionExpired: session.isExpired)
  }
}
