import CurlKit
import Model
import ServerCore
import SystemKit

/// What leaves the server by itself: messages to responders, and one-time codes to the SMS gateway. One thread that sleeps
/// until it is told of work, an answer comes, or the next delivery is due.
final class OutboundLoop: Sendable {
  struct Context: Sendable {
    var core: ServerCore
    var store: any ServerStore
    var moment: @Sendable () -> ServerMoment
    var wakeStreams: @Sendable ([AccountID]) -> Void
    var gateway: String?
    var log: ServerLog
    var makeTransport: @Sendable () throws(CurlError) -> any OutboundTransport
  }

  private let inbox: OutboundInbox
  private let thread: SystemThread

  /// Starts the thread. Throws where libcurl is missing or the system has no thread left.
  init(_ context: Context) throws(ServerError) {
    let transport: any OutboundTransport
    do throws(CurlError) {
      transport = try context.makeTransport()
    } catch {
      throw ServerError(.cannotStart, error.message)
    }
    guard let inbox = OutboundInbox() else { throw ServerError(.cannotStart, "no descriptor is left for the server") }
    let handover = Handover(transport: transport)
    thread = try SystemThread.forServer {
      var worker = OutboundWorker(context: context, transport: handover.transport, inbox: inbox)
      worker.run()
    }
    self.inbox = inbox
  }

  /// False while libcurl fails: messages wait, and are tried again by themselves.
  var isWorking: Bool { inbox.isWorking }

  /// There may be deliveries to claim.
  func lookForDeliveries() { inbox.post { $0.hasDeliveries = true } }

  func send(_ codes: [CodeMessage]) { inbox.post { $0.codes += codes } }

  /// Breaks off what is under way; it will be tried again after the next start.
  func stop() {
    inbox.post { $0.isStopped = true }
    thread.join()
  }
}

private struct Handover: @unchecked Sendable {
  // No lock: the transport is given to its one thread before that thread begins, and not used here any more.
  let transport: any OutboundTransport
}
