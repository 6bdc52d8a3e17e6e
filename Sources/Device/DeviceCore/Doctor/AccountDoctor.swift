import LocalStore
import Model

/// Checks who is signed in, whom an alert would reach, and what would send it.
struct AccountDoctor {
  let store: LocalStore

  func findings() -> [Finding] {
    do throws(LocalStoreError) {
      let status = try store.status()
      let sync = status.sync
      return [session(try store.session(), sync)] + responders(try store.contacts(), status.responders)
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
        "session", .warn, "the session has expired: only alerts may still go out",
        mend: "lifesignal sign-in \(session.phone)")
    }
    return Finding("session", .ok, "signed in as \(session.phone)")
  }

  /// - Parameter receipts: the receipts of the newest alert.
  private func responders(_ contacts: [StoredContact], _ receipts: [Receipt]) -> [Finding] {
    let responders = contacts.map(\.contact).filter(\.details.isResponder)
    guard !responders.isEmpty else {
      return [
        Finding(
          "responders", .fail, "no responders: nobody would be told",
          mend: "lifesignal contacts add PHONE --name NAME --responder --channel URL")
      ]
    }
    let faults = responders.map { fault(of: $0, receipts) }
    let hopeful = faults.count { $0 == nil }
    let findings = zip(responders, faults).compactMap { responder, fault in
      fault.map { Finding("responders", hopeful == 0 ? .fail : .warn, $0, mend: changeOfChannel(responder)) }
    }
    guard hopeful > 0 else { return findings }
    let verb = hopeful == 1 ? "has" : "have"
    return findings
      + [Finding("responders", .ok, "\(hopeful) of \(responders.count) \(verb) a channel that has not failed")]
  }

  /// Why no message is expected to reach this responder; nil if one may.
  private func fault(of responder: Contact, _ receipts: [Receipt]) -> String? {
    let name = responder.details.name
    guard !responder.details.channels.isEmpty else { return "\(name) has no channel" }
    let own = receipts.filter { $0.contactID == responder.id }
    guard let last = own.last, own.allSatisfy({ $0.state == .failed }) else { return nil }
    return "the last message to \(name) failed" + (last.reason.map { ": \($0)" } ?? "")
  }

  private func changeOfChannel(_ responder: Contact) -> String {
    "lifesignal contacts add \(responder.details.phone) --name \"\(responder.details.name)\" --responder --channel URL"
  }

  private func queue(_ sync: SyncOverview) -> Finding {
    if sync.unsentOutside > 0 {
      let verb = sync.unsentOutside == 1 ? "1 message is" : "\(sync.unsentOutside) messages are"
      return Finding("queue", .fail, "\(verb) NOT sent, and could not be saved as usual", mend: "lifesignal sync")
    }
    if sync.parked > 0 {
      return Finding(
        "queue", .warn, "the server refused \(sync.parked) of what is queued", mend: "lifesignal queue list")
    }
    guard sync.pending > 0 else { return Finding("queue", .ok, "nothing is waiting to be sent") }
    let verb = sync.pending == 1 ? "1 message waits" : "\(sync.pending) messages wait"
    return Finding("queue", .warn, "\(verb) to be sent", mend: "lifesignal sync")
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
