import CurlTransport
import DeviceCore
public import FoundationEssentials
import LocalStore
import SyncEngine
import Wire

/// Why a client could not do what was asked.
///
/// Its `localizedDescription` is the message.
public struct LifeSignalError: LocalizedError, Hashable, Sendable {
  /// What a caller may want to decide by.
  public enum Code: Hashable, Sendable {
    /// Nothing was stored: the disk, the folder or the store's file is at fault. Of an alert: it is NOT saved.
    case notSaved
    /// The server has it, and this device could not save it: help was called, or the responders are told that the alert is over.
    case sentNotSaved
    /// What was given cannot be accepted; nothing was stored.
    case invalid
    /// The thing that was named is not there.
    case notFound
    /// Sign in first.
    case notSignedIn
    /// Something is still queued that would be lost.
    case queueNotEmpty
    /// The server cannot be reached, or what answers is not our server. What is saved stays saved.
    case unreachable
    /// No server is configured.
    case notConfigured
    /// The server says no: a wrong code, or too many requests.
    case refused
    /// No code of this request can work any more: it came too late, was used, or there were too many tries. Ask for another.
    case codeSpent
    /// There is no active alert to end, or the alert that was to be answered has ended.
    case noActiveAlert
  }

  /// What a caller may want to decide by.
  public let code: Code
  /// One line for a person: the fault, and where there is something to do about it, that.
  public let message: String

  /// The message.
  public var errorDescription: String? { message }

  /// An error of this kind, in these words for a person: for previews and tests.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// There is no alert to end or to add to.
  package static let noAlertIsActive = LifeSignalError(.noActiveAlert, ClientTexts.noActiveAlert)

  init(_ error: LocalStoreError) {
    let code: Code =
      switch error.code {
      case .notFound: .notFound
      case .notSignedIn: .notSignedIn
      case .alertEnded: .noActiveAlert
      case .queueNotEmpty, .alertActive, .anotherAccount: .queueNotEmpty
      default: .notSaved
      }
    self.init(code, error.message)
  }

  init(_ error: EmergencyActivation.NotSaved) {
    self.init(.notSaved, ClientTexts.alertNotSaved(error.storeError.message))
  }

  init(_ error: AccountError) {
    switch error {
    case .noEndpoint: self.init(.notConfigured, error.message)
    case .invalid: self.init(.invalid, error.message)
    case .refused where error.isCodeSpent: self.init(.codeSpent, error.message)
    case .refused(let problem): self.init(problem.status == 401 ? .notSignedIn : .refused, error.message)
    case .unreachable, .untrusted, .notOurServer: self.init(.unreachable, error.message)
    case .store(let error): self.init(error)
    }
  }

  init(_ error: SyncWorkerError) {
    self.init(error.code == .store ? .notSaved : .unreachable, error.message)
  }

  init(_ failure: SyncFailure) {
    let code: Code =
      switch failure.kind {
      case .notSignedIn, .unauthorized: .notSignedIn
      case .notConfigured: .notConfigured
      case .store: .notSaved
      case .rejectedRequest, .tooLarge, .rateLimited: .refused
      case .offline, .timeout, .connectionBroken, .tls, .notOurServer, .serverError, .cancelled: .unreachable
      }
    self.init(code, failure.message)
  }
}
