import Arguments
import Glibc
import Model
import ServerCore
import ServerHTTP

/// `admin sessions`.
enum SessionCommands {
  static func list(_ account: AdminAccount) throws(ServerFailure) {
    let record = try account.record()
    let sessions = try AdminCommands.storing { try account.store.read { try $0.sessions(of: record.id, limit: 1000) } }
    for summary in sessions {
      let seen = summary.lastSeenAt.map { "\($0)" } ?? "never"
      let end = summary.session.endedAt.map { ", signed out \($0): alerts only" } ?? ""
      writeLine(
        "\(summary.session.id) “\(summary.session.deviceName)” since \(summary.session.createdAt), last seen \(seen)\(end)",
        to: STDOUT_FILENO)
    }
    if sessions.isEmpty { AdminCommands.say("\(account.phone) is signed in nowhere") }
  }

  static func end(_ account: AdminAccount, _ invocation: Invocation) throws(ServerFailure) {
    let chosen = invocation.value("session")
    guard (chosen != nil) != invocation.has("all") else {
      throw ServerFailure(.usage, "say which: --session ID, or --all")
    }
    var session: SessionID?
    if let chosen {
      session = SessionID(chosen)
      guard session != nil else { throw ServerFailure(.data, "--session: invalid session ID: \(chosen)") }
    }
    let record = try account.record()
    let count = try AdminCommands.storing {
      try account.admin.core.endSessions(of: record.id, only: session, at: LiveMoment.read(), in: account.store)
    }
    guard count > 0 || chosen == nil else { throw ServerFailure(.data, "\(account.phone) has no such session") }
    AdminCommands.say("\(counted(count, "session")) of \(account.phone) ended")
  }
}
