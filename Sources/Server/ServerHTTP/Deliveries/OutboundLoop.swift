import CurlKit
import Model
import ServerCore
import SystemKit

/// Sends messages to responders, and one-time codes to the SMS gateway: one thread that sleeps until work or an answer arrives,
/// or the next delivery is due.
final class OutboundLoop: Sendable {
  struct Options: Sendable {
    /// Makes the transport, at the start and after a failure.
    var makeTransport: @Sendable () throws(CurlError) -> any OutboundTransport
  }

  private let inbox: OutboundInbox
  private let thread: SystemThread

  /// Starts the thread. Throws where libcurl is missing or the system has no thread left.
  init(
    _ context: ServerContext, _ options: Options, writer: StoreWriter, inbox: OutboundInbox
  ) throws(ServerError) {
    let transport: any OutboundTransport
    do throws(CurlError) {
      transport = try options.makeTransport()
    } catch {
      throw ServerError(.cannotStart, error.message)
    }
    let handover = Handover(transport: transport)
    thread = try SystemThread.forServer {
      var worker = OutboundWorker(
        context: context, options: options, writer: writer, transport: handover.transport, inbox: inbox)
      worker.run()
    }
    self.inbox = inbox
  }

  /// False while libcurl fails: messages wait, and are tried again by themselves.
  var isWorking: Bool { inbox.isWorking }

  /// Cancels running attempts; they are retried after the next start. Call it after the writer has stopped.
  func stop() {
    inbox.post { $0.isStopped = true }
    thread.join()
  }
}

private struct Handover: @unchecked Sendable {
  // No lock: the transport is given to its one thread before that thread begins, and not used here any more.
  let transport: any OutboundTransport
}
