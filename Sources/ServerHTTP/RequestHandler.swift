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

  @Sendable func respond(to request: ServerRequest) -> ServerResponse {
    if case .none = codes, request.path == Route.verifications, request.method == "POST" {
      return .problem(CodeDelivery.unavailable)
    }
    let outcome = core.respond(to: request, at: moment(), in: store)
    if outcome.hasNewDeliveries { outbound.lookForDeliveries() }
    hub.wake(outcome.changedAccounts)
    send(outcome.codes)
    if outcome.response.status >= 500 {
      log("answered \(outcome.response.status) to a \(request.method) request: see /ready")
    }
    return outcome.response
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
