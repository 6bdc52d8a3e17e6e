import LocalStore
import Model

/// Who is signed in, whom an alert would reach, and who would send it.
struct AccountDoctor {
  let store: LocalStore

  func findings() -> [Finding] {
    do throws(LocalStoreError) {
      let sync = try store.status().sync
      return [session(try store.session(), sync)] + responders(try store.contacts())
        + [queue(sync), worker(try SenderHealth.examine(store.home))]
    } catch {
      return [Finding("store", .fail, "the store cannot be read: \(error.message)", mend: "check the disk")]
    }
  }

  private func session(_ session: Session?, _ sync: SyncOverview) -> Finding {
    guard let session else {
      return Finding("session", .fail, "not signed in: an alert stays here", mend: "lifesignal sign-in PHONE")
    }
    if session.isExpired, !sync.isSessionExpired {
      return Finding(
        "session", .fail, "the session was ended: an alert stays here", mend: "lifesignal sign-in \(session.phone)")
    }
    if session.isExpired {
      return Finding(
        "session", .warn, "the session has expired: alerts still go out, nothing else does",
        mend: "lifesignal sign-in \(session.phone)")
    }
    return Finding("session", .ok, "signed in as \(session.phone)")
  }

  private func responders(_ contacts: [StoredContact]) -> [Finding] {
    let responders = contacts.map(\.contact).filter(\.details.isResponder)
    guard !responders.isEmpty else {
      return [
        Finding(
          "responders", .fail, "no responders: nobody would be told",
          mend: "lifesignal contacts add PHONE --name NAME --responder --channel URL")
      ]
    }
    let mute = responders.filter(\.details.channels.isEmpty)
    let warnings = mute.map {
      Finding(
        "responders", mute.count == responders.count ? .fail : .warn, "\($0.details.name) has no channel",
        mend: "lifesignal contacts add \($0.details.phone) --name \"\($0.details.name)\" --responder --channel URL")
    }
    let reachable = responders.count - mute.count
    return warnings
      + (reachable > 0 ? [Finding("responders", .ok, "\(reachable) of \(responders.count) can be reached")] : [])
  }

  private func queue(_ sync: SyncOverview) -> Finding {
    if sync.parked > 0 {
      return Finding(
        "queue", .warn, "the server refused \(sync.parked) of what is queued", mend: "lifesignal queue list")
    }
    return Finding("queue", .ok, sync.pending == 0 ? "nothing waits to be sent" : "\(sync.pending) wait to be sent")
  }

  private func worker(_ health: SenderHealth) -> Finding {
    switch health {
    case .moving: return Finding("worker", .ok, "the background worker is running")
    case .absent:
      return Finding(
        "worker", .warn, "no background worker is running: what is saved waits for a command",
        mend: "lifesignal sync --watch")
    case .standingStill(let processID, _):
      return Finding(
        "worker", .warn, "\(health.standstill ?? ""); alerts are sent without it",
        mend:
          "let it go on (kill -CONT \(processID)), or end it (kill \(processID)) and start another: lifesignal sync --watch"
      )
    }
  }
}
