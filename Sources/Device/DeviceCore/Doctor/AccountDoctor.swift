import LocalStore
import Model

/// Checks who is signed in, whom an alert would reach, and what would send it.
struct AccountDoctor {
  let store: LocalStore
  /// Whether the server answers at one of its addresses at least.
  let reachesServer: Bool

  func findings() -> [Finding] {
    do throws(LocalStoreError) {
      let status = try store.status()
      let sync = status.sync
      let contacts = try store.contacts()
      return [session(try store.session(), sync)]
        + responders(contacts, status.responders, try store.serverChannels())
        + [readiness(try store.readiness()), queue(sync), worker(try SenderHealth.examine(store.home))]
    } catch {
      return [Finding("store", .fail, DoctorTexts.storeUnreadable(error.message), fix: DoctorTexts.checkDisk)]
    }
  }

  private func session(_ session: Session?, _ sync: SyncOverview) -> Finding {
    guard let session else {
      return Finding("session", .fail, DoctorTexts.signedOut, fix: DoctorTexts.signIn())
    }
    if session.isExpired, !sync.isSessionExpired {
      return Finding("session", .fail, DoctorTexts.sessionEnded, fix: DoctorTexts.signIn(session.phone))
    }
    if session.isExpired {
      return Finding("session", .warn, DoctorTexts.sessionExpired, fix: DoctorTexts.signIn(session.phone))
    }
    return Finding("session", .ok, DoctorTexts.signedIn(session.phone))
  }

  /// - Parameter receipts: the receipts of the newest alert.
  private func responders(
    _ contacts: [StoredContact], _ receipts: [Receipt], _ channels: ServerChannels
  ) -> [Finding] {
    let responders = contacts.filter(\.contact.details.isResponder)
    guard !responders.isEmpty else {
      return [Finding("responders", .fail, DoctorTexts.noResponders, fix: DoctorTexts.addResponder)]
    }
    let faults = responders.map { fault(of: $0, receipts, channels) }
    let hopeful = faults.count { $0 == nil }
    return zip(responders, faults).flatMap { responder, fault -> [Finding] in
      if let fault {
        return [Finding("responders", hopeful == 0 ? .fail : .warn, fault, fix: changeOfChannel(responder.contact))]
      }
      return [test(of: responder)] + failures(of: responder)
    }
  }

  private func test(of responder: StoredContact) -> Finding {
    let name = responder.contact.details.name
    guard let last = responder.tested.without(responder.failed).max(by: { $0.at < $1.at }) else {
      return Finding("responders", .warn, DoctorTexts.untested(name), fix: DoctorTexts.test(name))
    }
    return Finding("responders", .ok, DoctorTexts.tested(name, on: last.at))
  }

  /// One for each channel that failed, where another may reach them.
  private func failures(of responder: StoredContact) -> [Finding] {
    responder.failed.map { failed in
      let kind = (try? Channel(failed.url))?.kind.rawValue
      return Finding(
        "responders", .warn, DoctorTexts.lastFailed(responder.contact.details.name, by: kind, failed.reason),
        fix: changeOfChannel(responder.contact))
    }
  }

  /// Not ready is a fault, also where only a test or the server's answer is missing: nobody has shown that an alert reaches them.
  private func readiness(_ readiness: Readiness) -> Finding {
    let line = readiness.line(now: DeviceClock.now().wall)
    if let obstacle = readiness.obstacle { return Finding("readiness", .fail, line, fix: DoctorTexts.fix(obstacle)) }
    return reachesServer ? Finding("readiness", .ok, line) : Finding("readiness", .warn, DoctorTexts.readyOffline)
  }

  /// Why no message is expected to reach this responder; nil if one may.
  private func fault(of responder: StoredContact, _ receipts: [Receipt], _ channels: ServerChannels) -> String? {
    let details = responder.contact.details
    guard !details.channels.isEmpty else { return DoctorTexts.noChannel(details.name) }
    let usable = details.channels.filter(channels.canServe)
    guard !usable.isEmpty else { return DoctorTexts.unsupported(details.name) }
    let failures = responder.failed.among(usable)
    if failures.count == usable.count, let last = failures.max(by: { $0.at < $1.at }) {
      return DoctorTexts.lastFailed(details.name, last.reason)
    }
    let own = receipts.filter { $0.contactID == responder.contact.id }
    guard let last = own.last, own.allSatisfy({ $0.state == .failed }),
      // A test that they answered later says more.
      !responder.tested.contains(where: { $0.at >= last.at })
    else { return nil }
    return DoctorTexts.lastFailed(details.name, last.reason)
  }

  private func changeOfChannel(_ responder: Contact) -> String {
    DoctorTexts.changeChannel(responder.details.phone, responder.details.name)
  }

  private func queue(_ sync: SyncOverview) -> Finding {
    if sync.unsentOutside > 0 {
      return Finding("queue", .fail, DoctorTexts.unsentOutside(sync.unsentOutside), fix: DoctorTexts.sync)
    }
    if sync.parked > 0 {
      return Finding("queue", .warn, DoctorTexts.refused(sync.parked), fix: DoctorTexts.queue)
    }
    guard sync.pending > 0 else { return Finding("queue", .ok, DoctorTexts.nothingWaits) }
    return Finding("queue", .warn, DoctorTexts.waiting(sync.pending), fix: DoctorTexts.sync)
  }

  private func worker(_ health: SenderHealth) -> Finding {
    switch health {
    case .moving: return Finding("worker", .ok, DoctorTexts.workerRuns)
    case .absent:
      return Finding("worker", .warn, DoctorTexts.workerAbsent, fix: DoctorTexts.startWorker)
    case .standingStill(let processID, _):
      return Finding(
        "worker", .warn, health.standstill ?? "",
        fix: DoctorTexts.endWorker(processID))
    }
  }
}
