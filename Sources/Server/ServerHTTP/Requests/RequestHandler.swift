import Model
import ServerCore
import Wire

/// What a request needs beside its transaction: what must follow the commit, as streams are woken, deliveries and codes leave.
struct RequestHandler: Sendable {
  var core: ServerCore
  var store: any ServerStore
  var moment: @Sendable () -> ServerMoment
  var hub: EventHub
  var outbound: OutboundLoop
  var codes: CodeDelivery
  var printLine: @Sendable (String) -> Void
  var log: ServerLog
  var proof = StoreProof()

  /// The route of a request, or its answer where no store is needed for it.
  func begin(_ request: ServerRequest) -> ServerCore.Beginning {
    core.begin(request, at: moment(), in: ShellRoutes.table)
  }

  /// What this process cannot do now, whatever the store says. May write to the store, to see whether that can be done.
  func responseWithoutStore(to request: ServerRequest) -> ServerResponse? {
    guard request.path == Route.ready else { return nil }
    if !outbound.isWorking {
      return .problem(Problem(.unavailable, "messages to responders cannot be sent now"), retryAfterSeconds: 1)
    }
    return storeFailure().map { .problem(Problem(.unavailable, $0.readinessText), retryAfterSeconds: 1) }
  }

  /// Does what must follow the commit, and gives the answer.
  func conclude(_ outcome: ServerOutcome, of request: ServerRequest) -> ServerResponse {
    if outcome.hasNewDeliveries { outbound.lookForDeliveries() }
    hub.wake(outcome.changedAccounts)
    hub.end(outcome.endedSessions, at: monotonicMilliseconds())
    send(outcome.codes)
    if let fault = outcome.fault {
      proof.forget()
      log("the store failed: \(fault.message)")
    } else if let remark = outcome.remark {
      log(remark)
    } else if outcome.response.status >= 500 {
      log("answered \(outcome.response.status) to a \(request.method) request")
    }
    return outcome.response
  }

  private func storeFailure() -> StorageError? {
    proof.failure(at: monotonicMilliseconds()) {
      do {
        try core.proveWritable(at: moment(), in: store)
      } catch {
        log("not ready: \((error as? StorageError)?.message ?? "the store failed")")
        throw error
      }
    }
  }

  private func send(_ messages: [CodeMessage]) {
    guard !messages.isEmpty else { return }
    switch codes {
    case .none: break
    case .console:
      for message in messages { printLine("lifesignal-server: code for \(message.phone): \(message.code)") }
    case .gateway: outbound.send(messages)
    }
  }
}
