import Foundation

/// What went wrong, in words for a person.
///
/// An error that brings its own words is taken at them. Of others Foundation says "The operation could not be completed"
/// with the name of a type, which helps nobody.
package func errorMessage(_ error: any Error) -> String {
  if let description = (error as? any LocalizedError)?.errorDescription { return description }
  if type(of: error) is NSError.Type || error is any CustomNSError { return error.localizedDescription }
  if error is CancellationError { return "This was interrupted. Please try again." }
  return "That did not work. Please try again."
}
