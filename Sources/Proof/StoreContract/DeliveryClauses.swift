import Model
import ServerCore
import Wire

extension StoreContract {
  static let deliveryClauses: [Clause] = [
    Clause("gives back deliveries by id, by alert and by contact, as they were written and as they change") { bench in
      try bench.addAccounts()
      let deliveries = [
        try bench.delivery(31, about: 11, to: 21), try bench.delivery(32, about: 11, to: 22, state: .failed),
        try bench.delivery(33, about: 12, to: 21, call: 2),
      ]
      try bench.write {
        $0.newAlerts = [bench.alert(11), bench.alert(12)]
        $0.newDeliveries = deliveries
      }
      var changed = deliveries[0]
      changed.attempts = 3
      changed.refusals = 2
      changed.reason = "it answered 503"
      changed.isLeased = true
      changed.isDropped = true
      changed.toldCall = 1
      changed.toldEnd = true
      changed.dueAt = bench.after(seconds: 60)
      try bench.write { $0.changedDeliveries = [changed] }
      let all = try bench.facts {
        $0.deliveries = [bench.identifier(33)]
        $0.deliveriesOfAlerts = [bench.identifier(11)]
        $0.deliveryCounts = [bench.identifier(11), bench.identifier(12)]
        $0.openDeliveryCount = true
      }
      // One of several processes may have written it.
      let read = all.deliveries.mapValues { delivery in
        var delivery = delivery
        delivery.isHeldElsewhere = false
        return delivery
      }
      try expect(
        read, is: [changed.id: changed, deliveries[1].id: deliveries[1], deliveries[2].id: deliveries[2]],
        "deliveries")
      try expect(all.deliveryCounts, is: [bench.identifier(11): 2, bench.identifier(12): 1], "counts")
      try expect(all.openDeliveryCount, is: 2, "queued deliveries")
      let one = try bench.facts { $0.deliveriesToContacts = [AlertContact(bench.identifier(12), bench.identifier(21))] }
      try expect(Array(one.deliveries.keys), is: [deliveries[2].id], "those to one contact about one alert")
    },
    Clause("finds all that an edit of a contact may touch, and says what it fetched") { bench in
      try bench.addAccounts()
      try bench.write {
        $0.newAlerts = [bench.alert(10, endedAt: Bench.now), bench.alert(11), bench.alert(12, endedAt: Bench.now)]
        $0.newDeliveries = [
          try bench.delivery(30, about: 10, to: 21), try bench.delivery(31, about: 10, to: 21, call: 1, state: .sent),
          try bench.delivery(32, about: 11, to: 21, state: .sent), try bench.delivery(33, about: 11, to: 22),
          try bench.delivery(34, about: 12, to: 21, state: .failed),
        ]
      }
      let facts = try bench.facts {
        $0.editedContacts = [bench.identifier(21)]
        $0.activeAlerts = 5
        $0.newestAlerts = 1
      }
      try expect(
        Set(facts.deliveries.keys), is: Set([30, 31, 32, 34].map { bench.identifier($0) }),
        "what is queued with all to the same target, and what the active and the newest alert said")
      try expect(facts.deliveryCounts, is: [bench.identifier(11): 2, bench.identifier(12): 1], "counts")
      try expect(
        facts.needs.deliveriesToContacts,
        is: Set([10, 11, 12].map { AlertContact(bench.identifier($0), bench.identifier(21)) }),
        "what it says it fetched")
    },
    Clause("releases what was held back: of other alerts, not leased, and due soon") { bench in
      try bench.addAccounts()
      var leased = try bench.delivery(33, about: 12, to: 22, dueAt: bench.after(seconds: 30))
      leased.isLeased = true
      let due: [Int: Int64] = [31: 30, 32: 30, 34: 90]
      try bench.write {
        $0.newAlerts = [bench.alert(11), bench.alert(12)]
        $0.newDeliveries = [
          try bench.delivery(31, about: 11, to: 21, dueAt: bench.after(seconds: due[31] ?? 0)),
          try bench.delivery(32, about: 12, to: 21, dueAt: bench.after(seconds: due[32] ?? 0)), leased,
          try bench.delivery(34, about: 12, to: 23, dueAt: bench.after(seconds: due[34] ?? 0)),
        ]
        $0.releases = []
      }
      try bench.write {
        $0.releases = [
          WriteSet.HeldRelease(
            exceptAlert: bench.identifier(11), dueUpTo: bench.after(seconds: 60), dueAt: bench.after(seconds: 1))
        ]
      }
      let facts = try bench.facts { $0.deliveriesOfAlerts = [bench.identifier(11), bench.identifier(12)] }
      func dueAt(_ number: Int) -> Timestamp? { facts.deliveries[bench.identifier(number)]?.dueAt }
      try expect(dueAt(31), is: bench.after(seconds: 30), "the excepted alert's")
      try expect(dueAt(32), is: bench.after(seconds: 1), "what was held back")
      try expect(dueAt(33), is: bench.after(seconds: 30), "what is under way")
      try expect(dueAt(34), is: bench.after(seconds: 90), "what waits for another reason")
    },
    Clause("takes a queued delivery out of the queue without reading it, and leaves others as they are") { bench in
      try bench.addAccounts()
      let deliveries = [
        try bench.delivery(31, about: 11, to: 21), try bench.delivery(32, about: 11, to: 22, state: .sent),
        try bench.delivery(33, about: 11, to: 23),
      ]
      try bench.write {
        $0.newAlerts = [bench.alert(11)]
        $0.newDeliveries = deliveries
      }
      let time = bench.after(seconds: 9)
      try bench.store.write { transaction in
        for number in [31, 32, 34] {
          try transaction.setAside(
            DeliveryKey(bench.identifier(number), of: bench.account), reason: "unreadable", at: time)
        }
      }
      var failed = deliveries[0]
      failed.state = .failed
      failed.stateAt = time
      failed.reason = "unreadable"
      failed.dueAt = nil
      let facts = try bench.facts { $0.deliveriesOfAlerts = [bench.identifier(11)] }
      try expect(
        facts.deliveries, is: [failed.id: failed, deliveries[1].id: deliveries[1], deliveries[2].id: deliveries[2]],
        "deliveries")
      let claimed = try bench.core().claimDeliveries(limit: 9, at: bench.moment(1), in: bench.store).attempts
      try expect(claimed.map(\.id), is: [deliveries[2].id], "what is claimed")
    },
    Clause("makes “safe” due that waits behind a delivery, once no call for help to its target is queued") { bench in
      try bench.addAccounts()
      var deliveries: [StoredDelivery] = []
      for (number, contact) in [(31, 21), (32, 22)] {
        var help = try bench.delivery(number, about: 11, to: contact)
        var safe = try bench.delivery(number + 10, about: 11, to: contact)
        (safe.notice, safe.dueAt) = (.deactivated, nil)
        help.dueAt = bench.after(seconds: 90)
        deliveries += [help, safe]
      }
      try bench.write {
        $0.newAlerts = [bench.alert(11)]
        $0.newDeliveries = deliveries
      }
      // Both have the queue in memory.
      let core = try bench.core()
      _ = try core.nextDeliveryDue(at: bench.moment(1), in: bench.store)
      let time = bench.after(seconds: 9)
      let taken = DeliveryKey(bench.identifier(32), of: bench.account)
      try bench.store.write { transaction in
        try transaction.releaseSafe(behind: DeliveryKey(bench.identifier(31), of: bench.account), at: time)
        try transaction.setAside(taken, reason: "unreadable", at: time)
        try transaction.releaseSafe(behind: taken, at: time)
      }
      let facts = try bench.facts { $0.deliveriesOfAlerts = [bench.identifier(11)] }
      func dueAt(_ number: Int) -> Timestamp? { facts.deliveries[bench.identifier(number)]?.dueAt }
      try expect(dueAt(41), is: nil, "“safe” behind a call for help that is queued")
      try expect(dueAt(42), is: time, "“safe” behind one that was taken out")
      let due = try bench.store.write { try $0.nextDue(at: time, inFlight: core.configuration.deliveries.inFlight) }
      try expect(due, is: time, "when something is due")
    },
    Clause("hands a delivery to one claimer, and to the next process when the first has died") { bench in
      try bench.addAccounts()
      try bench.write {
        $0.newAlerts = [bench.alert(11)]
        $0.newDeliveries = [try bench.delivery(31, about: 11, to: 21)]
      }
      let core = try bench.core()
      let first = try core.claimDeliveries(limit: 9, at: bench.moment(1), in: bench.store).attempts
      try expect(first.map(\.number), is: [1], "the first attempt")
      let second = try core.claimDeliveries(limit: 9, at: bench.moment(2), in: bench.store).attempts
      try expect(second.isEmpty, "a delivery under way is claimed again")
      try bench.subject.reopen()
      try core.takeOverDeliveries(at: bench.moment(3), in: bench.store)
      let third = try core.claimDeliveries(limit: 9, at: bench.moment(4), in: bench.store).attempts
      try expect(third.map(\.number), is: [2], "the attempt of the next process")
    },
    Clause("gives what a message tells: the newest place, what was told before, and whom it is for") { bench in
      try bench.addAccounts()
      var alert = bench.alert(11)
      alert.updateCount = 2
      let update = AlertUpdate(at: bench.after(seconds: 2), location: try Location(latitude: 1, longitude: 2))
      alert.record.newestUpdate = NewestUpdate(id: bench.identifier(72), update: update)
      var safe = try bench.delivery(32, about: 12, to: 21)
      safe.notice = .deactivated
      try bench.write {
        $0.newAlerts = [alert, bench.alert(12, endedAt: Bench.now)]
        $0.contacts = [try bench.contact(21)]
        $0.updates = [
          StoredUpdate(
            account: bench.account, alert: alert.id, number: 1, id: bench.identifier(71), device: bench.device,
            update: update, receivedAt: Bench.now)
        ]
        $0.newDeliveries = [
          try bench.delivery(31, about: 11, to: 21), try bench.delivery(33, about: 12, to: 21, state: .failed), safe,
        ]
      }
      let facts = try bench.facts {
        $0.newestPlaces = [alert.id, bench.identifier(12)]
        $0.lastContactsAboutAlerts = [alert.id]
      }
      try expect(
        facts.newestPlaces, is: [alert.id: NewestPlace(update: 1, at: update.at)],
        "the update that told the newest place")
      try expect(facts.needs.lastContacts, is: [alert.device], "whose last contact is known to be unknown")
      let contact = try bench.store.read { try $0.contact(bench.identifier(21), of: bench.account) }
      try expect(contact, is: try bench.contact(21).details, "the contact")
      let claimed = try bench.core().claimDeliveries(limit: 9, at: bench.moment(1), in: bench.store).attempts
      try expect(Set(claimed.map(\.id)), is: [bench.identifier(31), bench.identifier(32)], "what is claimed")
    },
    Clause("claims and completes the messages of many accounts together, and each by what its own account says") {
      bench in
      try bench.addAccounts()
      var (active, safe) = (bench.alert(11), try bench.delivery(34, about: 12, to: 21))
      active.notifiedAt = Bench.now
      safe.notice = .deactivated
      try bench.write {
        $0.newAlerts = [active, bench.alert(12, endedAt: Bench.now)]
        $0.contacts = [try bench.contact(21)]
        $0.newDeliveries = [
          try bench.delivery(31, about: 11, to: 21), try bench.delivery(32, about: 11, to: 22), safe,
        ]
      }
      try bench.write(bench.other) {
        $0.newAlerts = [bench.alert(11, of: bench.other)]
        $0.newDeliveries = [try bench.delivery(33, about: 11, to: 21, of: bench.other)]
      }
      let core = try bench.core()
      let claimed = try core.claimDeliveries(limit: 9, at: bench.moment(1), in: bench.store)
      try expect(
        Set(claimed.attempts.map(\.id)), is: [bench.identifier(31), bench.identifier(32), bench.identifier(33)],
        "what is claimed: not what says “safe” amid an alert")
      let links = try bench.facts(of: bench.other) { $0.deliveriesOfAlerts = [bench.identifier(11)] }
      try expect(links.deliveries.values.map(\.isLeased), is: [true], "the lease of the other account's")
      let answers: [DeliveryID: DeliveryAnswer] = [
        bench.identifier(31): .status(200, retryAfter: nil), bench.identifier(32): .status(503, retryAfter: nil),
        bench.identifier(33): .status(404, retryAfter: nil),
      ]
      let completions = claimed.attempts.map { attempt in
        DeliveryCompletion(of: attempt, answers[attempt.id] ?? .addressRefused, afterMilliseconds: 5)
      }
      let earlier = completions.filter { $0.id == bench.identifier(31) }.map { completion in
        DeliveryCompletion(
          id: completion.id, to: completion.target, attempt: 0, answer: .status(404, retryAfter: nil))
      }
      let outcome = try bench.store.write { transaction in
        try core.completeDeliveries(earlier + completions, at: bench.moment(2), in: transaction)
      }
      try expect(outcome.changedAccounts.contains(bench.account), "who hears of a change")
      let facts = try bench.facts { $0.deliveriesOfAlerts = [bench.identifier(11), bench.identifier(12)] }
      try expect(facts.deliveries[bench.identifier(31)]?.state, is: .sent, "what was taken")
      try expect(facts.deliveries[bench.identifier(32)]?.state, is: .queued, "what is tried again")
      try expect(facts.deliveries[bench.identifier(32)]?.isLeased, is: false, "its lease")
      try expect(facts.deliveries[safe.id]?.reason, is: "another alert is active", "why “safe” waits")
      let others = try bench.facts(of: bench.other) { $0.deliveriesOfAlerts = [bench.identifier(11)] }
      try expect(others.deliveries[bench.identifier(33)]?.refusals, is: 1, "what was refused in the other account")
    },
    Clause("makes due what would be due long after a clock was set back") { bench in
      try bench.addAccounts()
      let core = try bench.core()
      try bench.write {
        $0.newAlerts = [bench.alert(11)]
        $0.newDeliveries = [try bench.delivery(31, about: 11, to: 21, dueAt: bench.after(seconds: 86_400))]
      }
      try expect(try core.nextDeliveryDue(at: bench.moment(1), in: bench.store), is: Bench.now, "when to claim")
      let claimed = try core.claimDeliveries(limit: 9, at: bench.moment(2), in: bench.store).attempts
      try expect(claimed.map(\.id), is: [bench.identifier(31)], "what is claimed")
    },
  ]
}
