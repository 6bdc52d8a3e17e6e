import Model
import ServerCore
import Wire

/// The part of a request outside its transaction: after the commit, streams are woken, and codes are shown where they are not sent.
struct RequestHandler: Sendable {
  var context: ServerContext
  var outbound: OutboundLoop
  var printLine: @Sendable (String) -> Void
  var proof = StoreProof()

  /// The task of a request, or its answer if no store is needed.
  func begin(_ request: ServerRequest, in table: RouteTable) -> ServerCore.Beginning {
    context.core.begin(request, at: context.moment(), in: table)
  }

  /// Whether the body of a request with this head is read.
  func admit(_ head: ServerRequest, bodyBytes: Int?, in table: RouteTable) -> BodyAdmission {
    context.core.admit(head, bodyBytes: bodyBytes, at: context.moment(), in: table)
  }

  /// The answer of `/ready` if this process cannot do its work now; nil if the store decides. May write to the store to find out.
  func notReady() -> ServerResponse? {
    if context.ending.hasBegun {
      return .problem(Problem(.unavailable, "this process is about to end"), retryAfterSeconds: 1)
    }
    if !outbound.isWorking {
      return .problem(Problem(.unavailable, "messages to responders cannot be sent now"), retryAfterSeconds: 1)
    }
    return storeFailure().map { .problem(Problem(.unavailable, $0.readinessText), retryAfterSeconds: 1) }
  }

  /// Does what follows the commit. Returns the answer.
  func conclude(_ outcome: ServerOutcome, of request: ServerRequest) -> ServerResponse {
    context.note(outcome.observations, of: request.id)
    context.hub.wake(outcome.changedAccounts)
    context.hub.end(outcome.endedSessions, at: monotonicMilliseconds())
    if case .console = context.rules.value.codes { show(outcome.codes) }
    if let fault = outcome.fault {
      proof.forget()
      context.log("the store failed: \(fault.advisedMessage)", .error, ["request": request.id])
    } else if let remark = outcome.remark {
      context.log(remark, .error, ["request": request.id])
    } else if outcome.response.status >= 500 {
      context.log(
        "answered \(outcome.response.status) to a \(request.method) request", .warning, ["request": request.id])
    }
    return outcome.response
  }

  private func storeFailure() -> StorageError? {
    proof.failure(at: monotonicMilliseconds()) {
      do {
        try context.core.proveWritable(at: context.moment(), in: context.store)
      } catch {
        context.log("not ready: \((error as? StorageError)?.advisedMessage ?? "the store failed")", .error)
        throw error
      }
    } recovered: {
      context.log("ready again: alerts can be stored", .notice)
    }
  }

  private func show(_ messages: [CodeMessage]) {
    for message in messages { printLine("lifesignal-server: code for \(message.phone): \(message.code)") }
  }
}
