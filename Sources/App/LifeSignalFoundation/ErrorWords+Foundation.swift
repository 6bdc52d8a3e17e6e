package import Clients
import Foundation

extension ErrorWords: FoundationErrorWords {
  /// What Foundation says of an `NSError`, and of an error that can become one; nil of others, since it would say "The operation could
  /// not be completed" with the name of a type.
  package static func message(of error: any Error) -> String? {
    type(of: error) is NSError.Type || error is any CustomNSError ? error.localizedDescription : nil
  }
}
