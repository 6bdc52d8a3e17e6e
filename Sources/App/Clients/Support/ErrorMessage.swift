import FoundationEssentials

/// The message of an error, for a person: its own where it has one, else a plain sentence.
///
/// The message of an `NSError` is known only where `LifeSignalFoundation` is linked.
package func errorMessage(_ error: any Error) -> String {
  if let description = (error as? any LocalizedError)?.errorDescription { return description }
  if let message = ErrorWords.ofFoundation?.message(of: error) { return message }
  if error is CancellationError { return "This was interrupted. Please try again." }
  return "That did not work. Please try again."
}

/// What Foundation knows of errors. `ErrorWords` conforms to it in programs that link `LifeSignalFoundation`: no other module of the
/// features loads Foundation.
package protocol FoundationErrorWords {
  /// The message of `error`; nil if Foundation knows no better than that it failed.
  static func message(of error: any Error) -> String?
}

/// The words of Foundation, where the program has it.
package enum ErrorWords {
  /// Looked up when the program runs: the compiler sees no conformance here.
  fileprivate static var ofFoundation: (any FoundationErrorWords.Type)? { conformance(of: ErrorWords.self) }

  private static func conformance(of type: any Any.Type) -> (any FoundationErrorWords.Type)? {
    type as? any FoundationErrorWords.Type
  }
}
