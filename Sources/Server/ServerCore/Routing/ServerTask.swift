package import Model
import Secrets
import Wire

/// A request on its way to its answer. Most take one transaction; a long exchange takes several, so that others come in between.
package struct ServerTask: Sendable {
  package let request: ServerRequest
  /// In which transaction it goes on.
  package private(set) var storage: RouteEntry.Storage
  /// It carries an alert, so that it goes before what does not.
  package let isUrgent: Bool
  /// Who asked; nil until that is known, and for anybody who showed nothing.
  package private(set) var account: AccountID?

  private let core: ServerCore
  private let moment: ServerMoment
  private let entry: RouteEntry
  private let parameters: [String]
  private var progress = ExchangeProgress()
  private var transactions = 0
  /// What to answer where the use of a token cannot be noted: a store that cannot do that cannot refresh the token either.
  private var answerWithoutNote: ServerOutcome?

  init(_ request: ServerRequest, _ entry: RouteEntry, _ parameters: [String], core: ServerCore, at moment: ServerMoment)
  {
    self.request = request
    self.core = core
    self.moment = moment
    self.entry = entry
    self.parameters = parameters
    storage = entry.storage
    isUrgent = entry.pattern == Route.sync && request.body.carriesAlert
  }

  /// Goes on in `transaction`. Gives the outcome, or nil where another transaction is needed: a committed one before goes on to count.
  ///
  /// Throws what undoes the transaction; `failed` makes an outcome of it.
  package mutating func run(in transaction: any ServerTransaction) throws -> ServerOutcome? {
    var context = RequestContext(
      configuration: core.configuration, keys: core.keys, request: request, transaction: transaction, now: moment.now,
      parameters: parameters, entropy: entropy, progress: progress)
    try core.admit(&context, entry.access)
    account = context.principal.accountID
    let response = try entry.handler(&context)
    let outcome = ServerOutcome(context, response)
    if context.hasUnnotedUse {
      answerWithoutNote = outcome
      storage = .write
      return nil
    }
    progress = context.progress
    guard progress.isUnfinished else { return outcome }
    transactions += 1
    return nil
  }

  /// What devices and the queue are to hear of a part that was committed before the answer.
  package var progressOutcome: ServerOutcome {
    var outcome = ServerOutcome(response: .noContent)
    if let account, progress.hasChanges { outcome.changedAccounts = [account] }
    outcome.hasNewDeliveries = progress.hasQueuedDeliveries
    return outcome
  }

  /// The outcome where `run`, or the commit after it, failed.
  package func failed(_ error: any Error) -> ServerOutcome {
    if let problem = error as? Problem { return ServerOutcome(problem) }
    guard var outcome = answerWithoutNote, let fault = error as? StorageError else {
      return ServerOutcome(failure: error)
    }
    outcome.fault = fault
    return outcome
  }

  /// Each transaction draws from randomness of its own.
  private var entropy: Entropy {
    transactions == 0 ? moment.entropy : moment.entropy.stream(for: "part \(transactions)")
  }
}

extension [UInt8] {
  /// Whether an item about an alert is in the body, by its kind's first letters: a body that only pretends goes first too, in its
  /// account's turn.
  fileprivate var carriesAlert: Bool {
    let mark = Array("\"alert.".utf8)
    guard count >= mark.count else { return false }
    return withUnsafeBufferPointer { bytes in
      (0...(bytes.count - mark.count)).contains { start in
        bytes[start] == mark[0] && bytes[start..<(start + mark.count)].elementsEqual(mark)
      }
    }
  }
}
