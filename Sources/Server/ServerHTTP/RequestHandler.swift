import Model
import ServerCore
import Wire

/// From a whole request to its answer, and to what must follow the commit: streams are woken, deliveries and codes leave.
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

  @Sendable func respond(to request: ServerRequest) -> ServerResponse {
    if let response = ShellRoutes.response(to: request, codes: codes, at: moment) { return response }
    if request.path == Route.ready, !outbound.isWorking {
      return .problem(Problem(.unavailable, "messages to responders cannot be sent now"), retryAfterSeconds: 1)
    }
    if request.path == Route.ready, request.method == "GET", let failure = storeFailure() {
      return .problem(Problem(.unavailable, failure.readinessText), retryAfterSeconds: 1)
    }
    let outcome = core.respond(to: request, at: moment(), in: store)
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
