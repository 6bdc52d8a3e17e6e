package import Model
package import ServerCore
package import ServerStoreSQLite
import Wire

extension Oracle {
  /// Takes the answer of the server's core, whether or not it arrives. `account`: whose token the request carried.
  package func answered(_ request: ServerRequest, _ response: FullResponse, account: AccountID?, now: Int64) {
    switch (request.method, request.path) {
    case ("POST", Route.sessions):
      if let session = try? SessionResponse(jsonBytes: response.body) {
        owners.note(session.user.phone, of: session.user.id)
      }
    case ("POST", Route.sync): answeredExchange(request, response, account: account, now: now)
    default: break
    }
  }

  private func answeredExchange(
    _ request: ServerRequest, _ response: FullResponse, account: AccountID?, now: Int64
  ) {
    guard let account, response.status == 200 else { return refusedExchange(request, response, now: now) }
    guard let sent = try? SyncRequest(jsonBytes: request.body), let answer = try? SyncResponse(jsonBytes: response.body)
    else {
      findings.add(.once, "the server's answer to an exchange cannot be parsed", at: now)
      return
    }
    if let device = deviceNumbers.first(where: { self[$0].lastView?.deviceID == sent.deviceID }) {
      OrderChecks(ledger: self[device], history: server.history, now: now).run(sent, &findings)
    }
    var checks = ServerChecks(account: account, now: now)
    checks.take(answer.results, to: sent, &server, &owners, &findings)
    checks.look(at: answer.changes, server, &findings)
    if checks.hasChanged { traffic.happened(at: now) }
  }

  /// Takes a refusal of a whole request, which is final for an item that is alone in it. It is never justified: a device's
  /// request is valid and small enough.
  private func refusedExchange(_ request: ServerRequest, _ response: FullResponse, now: Int64) {
    guard response.status == 400 || response.status == 413, let sent = try? SyncRequest(jsonBytes: request.body) else {
      return
    }
    if sent.ids.count == 1, let id = sent.ids.first { server.refused(id.description) }
    findings.add(
      .nothingLost, "the server refused an exchange of device \(sent.deviceID) with \(response.status)", at: now)
  }

  /// The server died while answering and is up again: `store` tells whether the request took effect.
  package func diedAnswering(_ request: ServerRequest, account: AccountID?, store: SQLiteServerStore, now: Int64) {
    guard request.method == "POST", request.path == Route.sync, let account,
      let sent = try? SyncRequest(jsonBytes: request.body)
    else { return }
    do {
      let results = try store.read { transaction in
        try sent.ids.compactMap { id in
          try transaction.result(of: id, account: account).map { $0.result(of: id, isKnown: server[account].has(id)) }
        }
      }
      var checks = ServerChecks(account: account, now: now)
      checks.take(results, to: sent, &server, &owners, &findings, isHeard: false)
    } catch {
      findings.add(.once, "the server's store cannot be read after its death: \(error)", at: now)
    }
  }

  /// The current state becomes the backup.
  package func backedUp(now: Int64) { server.backUp() }

  /// The server continues from its last backup. What it learned since is lost, and devices offer it again.
  package func restored(now: Int64) {
    traffic.happened(at: now)
    server.restore()
  }
}

extension AccountModel {
  fileprivate func has(_ id: MutationID) -> Bool { applied.contains(id.description) }
}

extension SyncRequest {
  /// The ids of all items, in the order in which they are applied.
  fileprivate var ids: [MutationID] { mutations.map(\.id) + notifications.map { MutationID($0.id) } }
}

extension RecordedResult {
  fileprivate func result(of id: MutationID, isKnown: Bool) -> ItemResult {
    switch verdict {
    case .applied(let time):
      ItemResult(id: id.description, status: isKnown ? .duplicate : .applied, appliedAt: time)
    case .rejected(let code, let message):
      ItemResult(id: id.description, status: .rejected, code: code, message: message)
    }
  }
}
