import Arguments
import Glibc
import Model
import ServerCore
import ServerHTTP

/// `admin deliveries`.
enum DeliveryCommands {
  static func list(_ admin: AdminStore, _ invocation: Invocation) throws(ServerFailure) {
    let text = invocation.value("limit") ?? "100"
    guard let limit = Int(text), (1...100_000).contains(limit) else {
      throw ServerFailure(.data, "--limit must be a number from 1 to 100000")
    }
    let messages = try AdminCommands.storing { try admin.store.read { try $0.failingMessages(limit: limit) } }
    for message in messages { writeLine(line(message), to: STDOUT_FILENO) }
    if messages.isEmpty { AdminCommands.say("all messages got through, or wait for their first attempt") }
  }

  private static func line(_ message: FailingMessage) -> String {
    let next = message.dueAt.map { "tried again at \($0)" } ?? "failed for good"
    let host = message.host.isEmpty ? "no channel" : message.host
    return "\(message.id) \(next), \(counted(message.attempts, "attempt")), \(host), alert \(message.alert.alert): "
      + (message.reason ?? "no reason is known")
  }

  static func replay(_ admin: AdminStore, _ words: [String]) throws(ServerFailure) {
    var ids: [DeliveryID] = []
    for word in words {
      guard let id = DeliveryID(word) else { throw ServerFailure(.data, "invalid message ID: \(word)") }
      ids.append(id)
    }
    var left = 0
    for id in ids {
      let isQueued = try AdminCommands.storing { try admin.core.replay(id, at: LiveMoment.read(), in: admin.store) }
      AdminCommands.say(
        isQueued
          ? "\(id) is queued: a running server sends it now"
          : "\(id) stays as it is: it arrived, is being sent, is unknown, or nobody is to get it any more")
      left += isQueued ? 0 : 1
    }
    guard left == 0 else { throw ServerFailure(.data, "\(counted(left, "message")) not queued") }
  }
}
