public import FoundationEssentials
public import Model

extension InvalidInput: LocalizedError {
  /// The message: the fault, and the form that is accepted.
  public var errorDescription: String? { message }
}
