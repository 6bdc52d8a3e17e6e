import Wire

// From a request to its answer: the route, the body's form, and the transactions.
extension ServerCore {
  /// Answers `request`. Never throws: an error becomes a problem.
  package func respond(
    to request: ServerRequest, at moment: ServerMoment, in store: any ServerStore, table: RouteTable = .main
  ) -> ServerOutcome {
    switch begin(request, at: moment, in: table) {
    case .answer(let outcome): return outcome
    case .task(var task):
      var outcome = answer(&task, in: store)
      outcome.add(task.progressOutcome)
      return outcome
    }
  }

  private func answer(_ task: inout ServerTask, in store: any ServerStore) -> ServerOutcome {
    do {
      while true {
        let outcome =
          if task.pool == .write { try store.write { try task.run(in: $0) } } else {
            try store.read { try task.run(in: $0) }
          }
        if let outcome { return outcome }
      }
    } catch {
      return task.failed(error)
    }
  }

  /// Finds the route of `request` in `table`, and answers at once if no store is needed.
  package func begin(
    _ request: ServerRequest, at moment: ServerMoment, in table: RouteTable = .main
  ) -> Beginning {
    switch table.match(request) {
    case .entry(let entry, let parameters):
      do {
        try entry.checkBody(of: request)
        var task = try ServerTask(request, entry, parameters, core: self, at: moment)
        return try entry.pool == .immediate ? .answer(task.runWithoutStore()) : .task(task)
      } catch {
        return .answer(ServerOutcome(error, entry.errors, of: request))
      }
    case .otherMethods(let methods):
      let allow = HeaderField("Allow", methods.joined(separator: ", "))
      let problem = Problem(.methodNotAllowed, "this path takes \(allow.value)")
      return .answer(ServerOutcome(response: .problem(problem, headers: [allow])))
    case .nothing: return .answer(ServerOutcome(Problem(.notFound, "there is nothing at this path")))
    }
  }

  package enum Beginning: Sendable {
    case task(ServerTask)
    case answer(ServerOutcome)
  }
}

extension ServerOutcome {
  init(_ problem: Problem) {
    self.init(problem, .problem, in: .english)
  }

  /// For a person, in the language of their request.
  init(_ problem: Problem, _ form: RouteEntry.ErrorForm, of request: ServerRequest) {
    self.init(problem, form, in: PageTexts.best(for: request.acceptLanguage))
  }

  private init(_ problem: Problem, _ form: RouteEntry.ErrorForm, in texts: PageTexts) {
    // RFC 9110 §15.5.2 wants a challenge with every 401.
    let challenge = problem.status == 401 ? [HeaderField("WWW-Authenticate", "Bearer")] : []
    switch form {
    case .problem: self.init(response: .problem(problem, headers: challenge))
    case .page: self.init(response: .page(of: problem, texts, headers: challenge))
    }
  }

  /// For an error of the store, or an unexpected one.
  init(failure error: any Error, _ form: RouteEntry.ErrorForm, of request: ServerRequest) {
    guard let fault = error as? StorageError else {
      self.init(Problem(.internalError, "the server made a mistake"), form, of: request)
      return
    }
    self.init(Problem(.unavailable, "the store cannot answer now"), form, of: request)
    retryAfter(seconds: 1)
    self.fault = fault
  }

  mutating func retryAfter(seconds: Int) {
    guard case .full(var full) = response else { return }
    full.headers.append(HeaderField("Retry-After", String(seconds)))
    response = .full(full)
  }

  init(_ work: RequestWork, _ response: ServerResponse) {
    self.init(
      response: response, changedAccounts: work.changedAccounts,
      endedSessions: work.writes.endedSessions.map(\.session),
      hasNewDeliveries: work.hasNewDeliveries, codes: work.codes, remark: work.remark)
    observations = work.observations
  }

  /// Adds the changes of earlier parts.
  package mutating func add(_ earlier: ServerOutcome) {
    for account in earlier.changedAccounts where !changedAccounts.contains(account) { changedAccounts.append(account) }
    hasNewDeliveries = hasNewDeliveries || earlier.hasNewDeliveries
    // Where the store failed it is not known which of them are stored.
    if fault == nil { observations = earlier.observations + observations }
  }
}
