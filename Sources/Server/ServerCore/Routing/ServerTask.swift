import Glibc
package import Model
import Secrets
import Wire

/// A request on its way to its answer. Most take one transaction; a long exchange takes several, so that other requests get a turn.
package struct ServerTask: Sendable {
  package let request: ServerRequest
  /// The pool for its next transaction.
  package private(set) var pool: RouteEntry.Pool
  /// It carries an alert, so it goes before requests that do not.
  package let isUrgent: Bool
  /// The caller's account; nil until it is known, and without a credential.
  package private(set) var account: AccountID?

  /// A problem with the request is shown only to those who may use the route.
  private enum Prepared: Sendable {
    case anyone(Rule<Void>)
    case caller(Result<Rule<Caller>, Problem>)
    case visitor(PageToken?, Result<Rule<PageVisitor>, Problem>)
  }

  private let core: ServerCore
  private let moment: ServerMoment
  private let entry: RouteEntry
  private let rule: Prepared
  private let credential: Credential
  private var progress = ExchangeProgress()
  private var committedParts = 0
  /// The answer if the use of a token cannot be noted: a store that cannot write cannot refresh the token either.
  private var answerWithoutNote: ServerOutcome?

  /// Throws the problem of a request to a route for anyone.
  /// - Parameter isHead: the body is not here yet, and may carry an alert.
  init(
    _ request: ServerRequest, _ entry: RouteEntry, _ parameters: [String], core: ServerCore, at moment: ServerMoment,
    isHead: Bool = false
  ) throws(Problem) {
    self.request = request
    self.core = core
    self.moment = moment
    self.entry = entry
    pool = entry.pool
    isUrgent = entry.mayCarryAlert && (isHead || request.body.carriesAlert)
    credential = Credential(header: request.authorization)
    let input = RouteInput(
      configuration: core.configuration, keys: core.keys, request: request, parameters: parameters, now: moment.now,
      showsAlertKey: credential.isAlertKey)
    switch entry.handler {
    case .anyone(let make): rule = .anyone(try make(input))
    case .gateway(let make):
      try core.configuration.smsAnswers().check(request.authorization)
      rule = .anyone(try make(input))
    case .caller(let make): rule = .caller(Self.result { () throws(Problem) in try make(input) })
    case .visitor(let make):
      rule = .visitor(PageToken(parameters[0]), Self.result { () throws(Problem) in try make(input) })
    }
  }

  private static func result<Rule>(_ make: () throws(Problem) -> Rule) -> Result<Rule, Problem> {
    do throws(Problem) { return .success(try make()) } catch { return .failure(error) }
  }

  /// The outcome of a route that needs no store.
  mutating func runWithoutStore() throws(Problem) -> ServerOutcome {
    var work = RequestWork(core, RequestFacts(), progress, now: moment.now, entropy: entropy)
    let response = try decide(&work)
    return ServerOutcome(work, response)
  }

  /// Runs the next part in `transaction`: fetches the facts, decides, and writes. Returns the outcome, or nil if another transaction is
  /// needed; earlier ones stay committed.
  ///
  /// If it throws, the transaction must be undone; `failed` turns the error into an outcome.
  package mutating func run(in transaction: any RequestTransaction) throws -> ServerOutcome? {
    let (work, response) = try decide(in: transaction)
    let outcome = ServerOutcome(work, response)
    if !work.writes.isEmpty {
      guard transaction.isWritable else {
        answerWithoutNote = outcome
        pool = .write
        return nil
      }
      try transaction.apply(work.writes)
    }
    progress = work.progress
    committedParts += 1
    return committedParts < partCount ? nil : outcome
  }

  private mutating func decide(
    in transaction: any RequestTransaction
  ) throws -> (work: RequestWork, response: ServerResponse) {
    var facts = RequestFacts()
    var missing = needs
    for _ in 0..<DecisionLimits.rounds {
      if !missing.isEmpty { try transaction.addFacts(missing, to: &facts) }
      var work = RequestWork(core, facts, progress, now: moment.now, entropy: entropy)
      do throws(Problem) {
        let response = try decide(&work)
        if work.missing.isEmpty { return (work, response) }
      } catch {
        if work.missing.isEmpty { throw error }
      }
      missing = work.missing
    }
    throw StorageError(.internalError, "a decision asks for ever more facts")
  }

  private mutating func decide(_ work: inout RequestWork) throws(Problem) -> ServerResponse {
    switch rule {
    case .anyone(let rule): return try rule.parts[committedParts].decide((), &work)
    case .caller(let rule):
      let caller = try credential.caller(entry.access, &work)
      account = caller.account.id
      return try rule.get().parts[committedParts].decide(caller, &work)
    case .visitor(let token, let rule):
      if token != nil, work.facts.page == nil { return answerToMiss(&work) }
      let visitor = try PageVisitor(&work)
      return try rule.get().parts[committedParts].decide(visitor, &work)
    }
  }

  /// The answer to a token that was never given. It is no thrown problem, so that its count is written.
  private func answerToMiss(_ work: inout RequestWork) -> ServerResponse {
    guard let wait = PageMisses(from: request.remoteAddress, core.keys).count(in: &work) else {
      return ServerOutcome(PageVisitor.unknown, entry.errors, of: request).response
    }
    var outcome = ServerOutcome(PageVisitor.tooManyUnknown, entry.errors, of: request)
    outcome.retryAfter(seconds: Int(clamping: (wait + 999) / 1000))
    return outcome.response
  }

  private var needs: RequestNeeds {
    switch rule {
    case .anyone(let rule): return rule.parts[committedParts].needs
    case .caller(let rule):
      guard let hash = credential.hash(core.keys) else { return RequestNeeds() }
      var needs = (try? rule.get())?.parts[committedParts].needs ?? RequestNeeds()
      needs.credential = hash
      needs.namedAccount = credential.namedAccount(core.keys)
      return needs
    case .visitor(let token, let rule):
      guard let token else { return RequestNeeds() }
      var needs = (try? rule.get())?.parts[committedParts].needs ?? RequestNeeds()
      needs.page = core.keys.pageKey(of: token)
      return needs
    }
  }

  private var partCount: Int {
    switch rule {
    case .anyone(let rule): rule.parts.count
    case .caller(let rule): (try? rule.get())?.parts.count ?? 1
    case .visitor(_, let rule): (try? rule.get())?.parts.count ?? 1
    }
  }

  /// The changes of parts that were committed before the answer.
  package var progressOutcome: ServerOutcome {
    var outcome = ServerOutcome(response: .noContent)
    if let account, progress.hasChanges { outcome.changedAccounts = [account] }
    outcome.hasNewDeliveries = progress.hasQueuedDeliveries
    outcome.observations = progress.observations
    return outcome
  }

  /// The outcome if the server has too much to do, in the form of its route.
  package func refusal() -> ServerOutcome {
    var outcome = ServerOutcome(
      Problem(.unavailable, "the server has too much to do now"), entry.errors, of: request)
    outcome.retryAfter(seconds: 1)
    return outcome
  }

  /// The outcome if `run`, or the commit after it, failed.
  package func failed(_ error: any Error) -> ServerOutcome {
    if let problem = error as? Problem { return ServerOutcome(problem, entry.errors, of: request) }
    let answer = answerWithoutNote ?? entry.withoutStore.map { ServerOutcome(response: $0(moment.now)) }
    guard var outcome = answer, let fault = error as? StorageError else {
      return ServerOutcome(failure: error, entry.errors, of: request)
    }
    outcome.fault = fault
    return outcome
  }

  /// Each transaction has its own randomness.
  private var entropy: Entropy {
    committedParts == 0 ? moment.entropy : moment.entropy.stream(for: "part \(committedParts)")
  }
}

extension [UInt8] {
  /// Whether the body has an item about an alert, by the prefix of its kind. A body that only pretends gains nothing on other accounts:
  /// accounts take turns.
  fileprivate var carriesAlert: Bool {
    withUnsafeBytes { bytes in
      var rest = bytes[...]
      // By the byte of it that bodies have least of, for which the C library looks many bytes at a time.
      while let dot = rest.offset(of: UInt8(ascii: ".")) {
        if bytes[..<dot].suffix(Self.beforeDot.count).elementsEqual(Self.beforeDot) { return true }
        rest = bytes[(dot + 1)...]
      }
      return false
    }
  }

  private static let beforeDot = Array("\"alert".utf8)
}

extension Slice<UnsafeRawBufferPointer> {
  fileprivate func offset(of byte: UInt8) -> Int? {
    guard !isEmpty, let start = base.baseAddress, let found = memchr(start + startIndex, Int32(byte), count) else {
      return nil
    }
    return UnsafeRawPointer(found) - start
  }
}
