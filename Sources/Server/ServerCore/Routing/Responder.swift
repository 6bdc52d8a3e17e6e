import Model
import Wire

// From a request to its answer: the route, the body's outer form, who asks, and the transaction.
extension ServerCore {
  /// Answers `request`. Never throws: an error becomes a problem.
  package func respond(to request: ServerRequest, at moment: ServerMoment, in store: any ServerStore) -> ServerOutcome {
    do {
      switch try RouteTable.match(request) {
      case .entry(let entry, let parameters):
        try checkBody(request)
        return try answer(request, entry, parameters, moment, store)
      case .otherMethods(let methods):
        let allow = HeaderField("Allow", methods.joined(separator: ", "))
        return ServerOutcome(
          response: .problem(Problem(.methodNotAllowed, "this path takes \(allow.value)"), headers: [allow]))
      }
    } catch let problem as Problem {
      return ServerOutcome(response: .problem(problem, headers: headers(of: problem)))
    } catch {
      return failure(error)
    }
  }

  private func answer(
    _ request: ServerRequest, _ entry: RouteEntry, _ parameters: [String], _ moment: ServerMoment,
    _ store: any ServerStore
  ) throws -> ServerOutcome {
    var hasUnnotedUse = false
    let run = { (transaction: any ServerTransaction) throws -> ServerOutcome in
      var context = RequestContext(
        configuration: configuration, keys: keys, request: request, transaction: transaction, now: moment.now,
        parameters: parameters, entropy: moment.entropy)
      try admit(&context, entry.access)
      hasUnnotedUse = context.hasUnnotedUse
      let response = try entry.handler(&context)
      return ServerOutcome(
        response: response, changedAccounts: context.changedAccounts, endedSessions: context.endedSessions,
        hasNewDeliveries: context.hasNewDeliveries, codes: context.codes, remark: context.remark)
    }
    guard entry.storage == .read else { return try store.write(run) }
    let outcome = try store.read(run)
    guard hasUnnotedUse else { return outcome }
    do {
      return try store.write(run)
    } catch let fault as StorageError {
      // A store that cannot note the use cannot refresh a token either, so the answer may go out.
      var outcome = outcome
      outcome.fault = fault
      return outcome
    }
  }

  /// Finds out who asks, and throws unless they may.
  private func admit(_ context: inout RequestContext, _ access: RouteEntry.Access) throws {
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

  /// RFC 9110 §15.5.2 wants a challenge with every 401.
  private func headers(of problem: Problem) -> [HeaderField] {
    problem.status == 401 ? [HeaderField("WWW-Authenticate", "Bearer")] : []
  }

  private func failure(_ error: any Error) -> ServerOutcome {
    guard let fault = error as? StorageError else {
      return ServerOutcome(response: .problem(Problem(.internalError, "this is our fault: try again later")))
    }
    var outcome = ServerOutcome(
      response: .problem(Problem(.unavailable, "the store cannot answer now: try again"), retryAfterSeconds: 1))
    outcome.fault = fault
    return outcome
  }
}
