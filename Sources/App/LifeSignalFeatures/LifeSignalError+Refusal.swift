public import Clients
public import LifeSignal

extension LifeSignalError: ServerRequestError {
  /// The server has said no, or no server would say anything else. False where it could not be reached, and where the device
  /// itself is at fault.
  public var isRefusal: Bool {
    switch code {
    case .refused, .codeSpent, .invalid: true
    default: false
    }
  }
}
