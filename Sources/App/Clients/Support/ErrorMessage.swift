import Foundation

/// The message of an error, for a person.
///
/// Uses the message of errors that have one. For others Foundation says "The operation could not be completed" with the name of a
/// type, which does not help.
package func errorMessage(_ error: any Error) -> String {
  if let description = (error as? any LocalizedError)?.errorDescription { return description }
  if type(of: error) is NSError.Type || error is any CustomNSError { return error.localizedDescription }
  if error is CancellationError { return "This was interrupted. Please try again." }
  return "That did not work. Please try again."
}
