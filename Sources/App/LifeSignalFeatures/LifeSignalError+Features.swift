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

extension LifeSignalError: AlertSavingError {
  /// What became of an alert that this device could not save; nil where the error is about something else.
  public var savingFailure: AlertSavingFailure? {
    switch code {
    case .notSaved: .notSaved
    case .sentNotSaved: .sentNotSaved
    default: nil
    }
  }
}
