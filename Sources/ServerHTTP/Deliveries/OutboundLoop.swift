import CurlKit
import Model
import ServerCore

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
  }

  private let inbox: OutboundInbox
  private let thread: ServerThread

  /// Starts the thread. Throws where libcurl is missing or the system has no thread left.
  init(_ context: Context) throws(ServerError) {
    let curl: CurlLoop
    do throws(CurlError) {
      curl = try CurlLoop()
    } catch {
      throw ServerError(.cannotStart, error.message)
    }
    let inbox = OutboundInbox(waker: curl.waker)
    let handover = Handover(curl: curl)
    let started = ServerThread {
      var worker = OutboundWorker(context: context, curl: handover.curl, inbox: inbox)
      worker.run()
    }
    guard let started else { throw ServerError(.cannotStart, "no thread is left for the server") }
    self.inbox = inbox
    thread = started
  }

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
  // No lock: the loop is given to its one thread before that thread begins, and not used here any more.
  let curl: CurlLoop
}
