import DeviceCore
import LocalStore
import Model
import Wire

// The errors of other modules, as the command line shows them.

extension Failure {
  init(_ error: InvalidInput) {
    self.init(.badData, error.code.rawValue, error.message)
  }

  /// - Parameter notSaved: whether something was to be saved; the message then says first that it was not.
  init(_ error: LocalStoreError, notSaved: Bool = false) {
    let (status, code) = Self.statusAndCode(error.code)
    let message = error.code == .networkFilesystem ? error.message + " with --home" : error.message
    self.init(status, code, notSaved && status == .notSaved ? AlertTexts.notSavedPrefix + message : message)
  }

  private static func statusAndCode(_ code: LocalStoreError.Code) -> (ExitStatus, String) {
    switch code {
    case .cannotOpen: (.notSaved, "cannot_open")
    case .diskFull: (.notSaved, "disk_full")
    case .readOnly: (.notSaved, "read_only")
    case .inputOutput: (.notSaved, "input_output")
    case .damaged: (.notSaved, "damaged")
    case .newerSchema: (.notSaved, "newer_schema")
    case .networkFilesystem: (.notSaved, "network_filesystem")
    case .busy: (.notSaved, "busy")
    case .internalError: (.notSaved, "internal_error")
    case .notFound: (.badData, "not_found")
    case .alertEnded: (.badData, "alert_ended")
    case .queueNotEmpty: (.unreachable, "queue_not_empty")
    case .alertActive: (.unreachable, "alert_active")
    case .anotherAccount: (.unreachable, "another_account")
    case .notSignedIn: (.notSignedIn, "not_signed_in")
    }
  }
}

extension Console {
  /// Writes why a command failed to standard error.
  func report(_ failure: Failure) {
    if isJSON {
      jsonError(code: failure.code, message: failure.message)
    } else {
      note("\(Program.name): \(failure.message)")
      if isVerbose { note(AccountTexts.errorCode(failure.code, failure.status.rawValue)) }
    }
  }
}

extension Failure {
  /// - Parameters:
  ///   - phone: the number to sign in with, for the advice.
  ///   - store: what waits in it may prevent signing in or out; the advice says what to do about it.
  init(_ error: AccountError, phone: String? = nil, _ store: LocalStore? = nil) {
    switch error {
    case .invalid(let invalid): self.init(invalid)
    case .store(let error): self.init(error, advice: Self.advice(error.code, store))
    case .noEndpoint:
      self.init(.unreachable, "not_configured", AccountTexts.serverNotSet)
    case .unreachable:
      self.init(.unreachable, "unreachable", AccountTexts.tryLater(Sentences.closed(error.message)))
    case .untrusted:
      self.init(.unreachable, "untrusted_server", AccountTexts.untrusted(Sentences.closed(error.message)))
    case .notOurServer: self.init(.unreachable, "not_our_server", error.message)
    case .refused(let problem): self.init(problem, phone: phone ?? "PHONE")
    }
  }

  private init(_ error: LocalStoreError, advice: String) {
    let (status, code) = Self.statusAndCode(error.code)
    self.init(status, code, error.message + advice)
  }

  /// What to do if queued items prevent it.
  private static func advice(_ code: LocalStoreError.Code, _ store: LocalStore?) -> String {
    guard code == .anotherAccount || code == .queueNotEmpty else { return "" }
    // Best effort: of a store that cannot be read, the usual is said.
    if let session = try? store?.session(), session.isExpired {
      return AccountTexts.queueOfEndedSession(session.phone.printable)
    }
    if let sync = try? store?.status().sync, sync.parked > 0, sync.pending == 0 { return AccountTexts.refusedQueue }
    return code == .anotherAccount ? AccountTexts.anotherAccount : AccountTexts.queueNotEmpty
  }

  private init(_ problem: Problem, phone: String) {
    let again = "\(CommandName.text) sign-in \(phone)"
    let detail = Sentences.closed(problem.detail)
    switch problem.kind {
    case .invalidPhoneNumber: self.init(.badData, problem.kind.rawValue, problem.detail)
    case .unauthorized, .sessionRevoked: self.init(.notSignedIn, problem.kind.rawValue, problem.detail)
    case .codeWrong:
      self.init(.refused, problem.kind.rawValue, AccountTexts.wrongCode(detail, again))
    case .codeExpired, .codeUsed, .codeTriesExhausted, .notFound:
      self.init(.refused, problem.kind.rawValue, AccountTexts.spentCode(detail, again))
    default: self.init(.refused, problem.kind.rawValue, problem.detail)
    }
  }
}
