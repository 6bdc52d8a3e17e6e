/// Why the device's store could not do what was asked.
package struct LocalStoreError: Error, Hashable, Sendable {
  package enum Code: Hashable, Sendable {
    /// The folder or a file in it cannot be made or opened.
    case cannotOpen
    case diskFull
    case readOnly
    case inputOutput
    /// The file was damaged while it was open. The next opening sets it aside.
    case damaged
    /// A newer program wrote the file.
    case newerSchema
    /// The folder lies on a network filesystem, where locks and syncs do not hold.
    case networkFilesystem
    /// Another process kept the store's lock for too long.
    case busy
    case notFound
    /// Refused while something is queued.
    case queueNotEmpty
    /// Refused because an alert became active, or because one lies outside the store and could become somebody else's.
    case alertActive
    /// Refused because the store holds another account's queue, or because another account has signed in since.
    case anotherAccount
    case notSignedIn
    case internalError
  }

  package let code: Code
  /// One line for a person. Never holds what they entered.
  package let message: String

  package init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }
}
