/// Why the device's store could not do what was asked.
package struct LocalStoreError: Error, Hashable, Sendable {
  package enum Code: Hashable, Sendable {
    /// The folder or a file in it cannot be created or opened.
    case cannotOpen
    case diskFull
    case readOnly
    case inputOutput
    /// The file was damaged while it was open. The next opening sets it aside.
    case damaged
    /// A newer program wrote the file.
    case newerSchema
    /// The folder is on a network file system, where locks and syncs are not reliable.
    case networkFilesystem
    /// Another process held the store's lock past the timeout.
    case busy
    case notFound
    /// Refused while items are queued.
    case queueNotEmpty
    /// Refused because an alert became active or waits to be sent first, or because one waits outside the store and could end up in another
    /// account.
    case alertActive
    /// The alert has ended, so it takes no answer.
    case alertEnded
    /// Refused because the store holds another account's queue, or because another account has signed in since.
    case anotherAccount
    case notSignedIn
    case internalError
  }

  package let code: Code
  /// One line for a person. Never contains what they entered.
  package let message: String

  package init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }
}
