import Wire

// From a request to its answer: the route, the body's outer form, who asks, and the transactions.
extension ServerCore {
  /// Answers `request`. Never throws: an error becomes a problem.
  package func respond(to request: ServerRequest, at moment: ServerMoment, in store: any ServerStore) -> ServerOutcome {
    switch begin(request, at: moment) {
    case .answer(let outcome): return outcome
    case .task(var task):
      do {
        while true {
          let outcome =
            if task.storage == .read { try store.read { try task.run(in: $0) } } else {
              try store.write { try task.run(in: $0) }
            }
          if var outcome {
            outcome.add(task.progressOutcome)
            return outcome
          }
        }
      } catch {
        return task.failed(error)
      }
    }
  }

  /// Finds the route of `request`, and answers at once where no store is needed for it.
  package func begin(_ request: ServerRequest, at moment: ServerMoment) -> Beginning {
    do {
      switch try RouteTable.match(request) {
      case .entry(let entry, let parameters):
        try checkBody(request)
        return .task(ServerTask(request, entry, parameters, core: self, at: moment))
      case .otherMethods(let methods):
        let allow = HeaderField("Allow", methods.joined(separator: ", "))
        return .answer(
          ServerOutcome(
            response: .problem(Problem(.methodNotAllowed, "this path takes \(allow.value)"), headers: [allow])))
      }
    } catch {
      return .answer(ServerOutcome(error))
    }
  }

  package enum Beginning: Sendable {
    case task(ServerTask)
    case answer(ServerOutcome)
  }

  /// Finds out who asks, and throws unless they may.
  func admit(_ context: inout RequestContext, _ access: RouteEntry.Access) throws {
    guard access != .anyone else { return }
    context.principal = try Principal.identify(&context)
    switch (context.principal, access) {
    case (.session, _), (.alertKey, .sessionOrAlertKey): return
    case (.anonymous, _): throw Problem(.unauthorized, "sign in first: this needs an access token")
    case (.alertKey, _):
      throw Problem(.forbidden, "an alert key may push alerts and end its session, and nothing else: sign in")
    }
  }

  private func checkBody(_ request: ServerRequest) throws(Problem) {
    guard request.body.count <= SyncLimits.maximumBodyBytes else {
      throw Problem(.bodyTooLarge, "a body has at most \(SyncLimits.maximumBodyBytes) bytes")
    }
    guard request.body.isEmpty || isJSON(request.contentType) else {
      throw Problem(.unsupportedMediaType, "send the body as application/json")
    }
  }

  /// `application/json`, with or without parameters.
  private func isJSON(_ contentType: String?) -> Bool {
    let type = contentType?.prefix { $0 != ";" }.lowercased() ?? ""
    return type.filter { $0 != " " && $0 != "\t" } == "application/json"
  }
}

extension ServerOutcome {
  init(_ problem: Problem) {
    // RFC 9110 §15.5.2 wants a challenge with every 401.
    let challenge = problem.status == 401 ? [HeaderField("WWW-Authenticate", "Bearer")] : []
    self.init(response: .problem(problem, headers: challenge))
  }

  /// For an error of the store, or one that nobody expected.
  init(failure error: any Error) {
    guard let fault = error as? StorageError else {
      self.init(response: .problem(Problem(.internalError, "the server made a mistake")))
      return
    }
    self.init(
      response: .problem(Problem(.unavailable, "the store cannot answer now"), retryAfterSeconds: 1))
    self.fault = fault
  }

  init(_ context: RequestContext, _ response: ServerResponse) {
    self.init(
      response: response, changedAccounts: context.changedAccounts, endedSessions: context.endedSessions,
      hasNewDeliveries: context.hasNewDeliveries, codes: context.codes, remark: context.remark)
  }

  /// Adds what the parts before the answer brought about.
  package mutating func add(_ earlier: ServerOutcome) {
    for account in earlier.changedAccounts where !changedAccounts.contains(account) { changedAccounts.append(account) }
    hasNewDeliveries = hasNewDeliveries || earlier.hasNewDeliveries
  }
}
