import Model
import ServerCore
import Wire

extension StoreContract {
  static let accountClauses: [Clause] = [
    Clause("gives back alerts, contacts and results as they were written") { bench in
      try bench.addAccounts()
      let test = bench.alert(14, onlyContact: bench.identifier(21))
      let alerts = [bench.alert(11), bench.alert(12, endedAt: Bench.now), test]
      let contacts = [try bench.contact(21), try bench.contact(22, isResponder: false)]
      let results: [(id: MutationID, result: RecordedResult)] = [
        (bench.identifier(31), RecordedResult(fingerprint: .max, verdict: .applied(at: Bench.now))),
        (bench.identifier(32), RecordedResult(fingerprint: 1, verdict: .rejected(code: "no", message: "Not so"))),
      ]
      try bench.write {
        $0.newAlerts = alerts
        $0.contacts = contacts
        $0.results = results
        $0.changes = [LoggedChange(sequence: 4, tag: 1, entity: EntityKey(.alert, bench.identifier(11)))]
        $0.position = LogPosition(newestSequence: 4, newestOrdinal: 14)
      }
      try bench.subject.reopen()
      let facts = try bench.facts {
        $0.alerts = Set(alerts.map(\.id) + [bench.identifier(99)])
        $0.contacts = true
        $0.results = Set(results.map { $0.id } + [bench.identifier(99)])
      }
      try expect(facts.alerts, is: Dictionary(uniqueKeysWithValues: alerts.map { ($0.id, $0) }), "alerts")
      try expect(facts.contacts.count, is: 2, "contacts")
      for contact in contacts { try expect(facts.contacts[contact.id], is: contact.details, "a contact") }
      try expect(facts.results, is: [results[0].id: results[0].result, results[1].id: results[1].result], "results")
      try expect(facts.position, is: LogPosition(newestSequence: 4, newestOrdinal: 14), "the position")
      try expect(facts.record?.phone, is: bench.phone(1), "the account")
    },
    Clause("keeps accounts apart, though their ids are the same") { bench in
      try bench.addAccounts()
      try bench.write {
        $0.newAlerts = [bench.alert(11)]
        $0.contacts = [try bench.contact(21)]
        $0.newDeliveries = [try bench.delivery(31, about: 11, to: 21)]
        $0.results = [(bench.identifier(41), RecordedResult(fingerprint: 1, verdict: .applied(at: Bench.now)))]
      }
      let facts = try bench.facts(of: bench.other) {
        $0.alerts = [bench.identifier(11)]
        $0.results = [bench.identifier(41)]
        $0.contacts = true
        $0.deliveries = [bench.identifier(31)]
        $0.deliveriesOfAlerts = [bench.identifier(11)]
        $0.deliveriesToContacts = [AlertContact(bench.identifier(11), bench.identifier(21))]
        $0.deliveryCounts = [bench.identifier(11)]
        $0.openDeliveryCount = true
        $0.activeAlerts = 10
      }
      try expect(facts.alerts.isEmpty && facts.activeAlerts.isEmpty, "it finds an alert of another account")
      try expect(facts.contacts.isEmpty && facts.results.isEmpty, "it finds a contact or result of another account")
      try expect(facts.deliveries.isEmpty && facts.openDeliveryCount == 0, "it finds a delivery of another account")
      try expect(facts.deliveryCounts, is: [bench.identifier(11): 0], "counts")
      var same = bench.alert(11, of: bench.other)
      same.record.ordinal = 1
      try bench.write(bench.other) { $0.newAlerts = [same] }
      try expect(try bench.facts { $0.alerts = [same.id] }.alerts[same.id], is: bench.alert(11), "the first account's")
    },
    Clause("writes what changed of an alert, and all of its newest update") { bench in
      try bench.addAccounts()
      try bench.write { $0.newAlerts = [bench.alert(11)] }
      var alert = bench.alert(11, endedAt: bench.after(seconds: 9))
      alert.notifiedAt = bench.after(seconds: 1)
      alert.correctedEndedAt = bench.after(seconds: 8)
      alert.updateCount = 1
      let update = AlertUpdate(
        at: Bench.now, message: "third floor", location: try Location(latitude: 1, longitude: 2), accuracyMeters: 3.5,
        batteryPercent: 7)
      alert.record.newestUpdate = NewestUpdate(id: bench.identifier(51), update: update)
      try bench.write {
        $0.changedAlerts = [alert]
        $0.updates = [
          StoredUpdate(
            account: bench.account, alert: alert.id, number: 1, id: bench.identifier(51), device: bench.device,
            update: update, receivedAt: Bench.now)
        ]
      }
      try expect(try bench.facts { $0.alerts = [alert.id] }.alerts[alert.id], is: alert, "the alert")
    },
    Clause("replaces and removes contacts") { bench in
      try bench.addAccounts()
      try bench.write { $0.contacts = [try bench.contact(21), try bench.contact(22)] }
      let changed = Contact(id: bench.identifier(21), details: try bench.contact(23).details)
      try bench.write {
        $0.contacts = [changed]
        $0.removedContacts = [bench.identifier(22)]
      }
      try expect(try bench.facts { $0.contacts = true }.contacts, is: [changed.id: changed.details], "contacts")
    },
    Clause("lists the active and the newest alerts, newest first, and no more than asked for") { bench in
      try bench.addAccounts()
      try bench.write {
        $0.newAlerts = (11...16).map { bench.alert($0, endedAt: $0.isMultiple(of: 3) ? Bench.now : nil) }
      }
      let facts = try bench.facts {
        $0.activeAlerts = 3
        $0.newestAlerts = 2
      }
      try expect(facts.activeAlerts, is: [16, 14, 13].map { bench.identifier($0) }, "active alerts")
      try expect(facts.newestAlerts, is: [16, 15].map { bench.identifier($0) }, "newest alerts")
      try expect(facts.alerts.count, is: 4, "the alerts of both lists")
    },
    Clause("finds an active alert behind many that have ended, also where its end was undone") { bench in
      try bench.addAccounts()
      // The log goes on far enough each time for all that a store keeps about an account to be written anew.
      func write(_ step: Int64, _ change: (inout WriteSet) -> Void) throws {
        try bench.write {
          change(&$0)
          $0.position = LogPosition(newestSequence: 1000 * step, newestOrdinal: 20 + step)
        }
      }
      func active() throws -> [AlertID] {
        let facts = try bench.facts { $0.activeAlerts = 9 }
        return facts.activeAlerts
      }
      try write(1) { $0.newAlerts = [bench.alert(11)] + (12...20).map { bench.alert($0, endedAt: Bench.now) } }
      for step in 2...5 { try write(Int64(step)) { $0.newAlerts = [bench.alert(20 + step, endedAt: Bench.now)] } }
      try expect(try active(), is: [bench.identifier(11)], "the first")
      try bench.undone { transaction in
        for step in 6...7 {
          var ends = WriteSet(account: bench.account)
          ends.changedAlerts = [bench.alert(11, endedAt: Bench.now)]
          ends.position = LogPosition(newestSequence: 1000 * Int64(step), newestOrdinal: 25)
          try transaction.apply(ends)
        }
      }
      try expect(try active(), is: [bench.identifier(11)], "after its end was undone")
      for step in 6...7 { try write(Int64(step)) { $0.changedAlerts = [bench.alert(11, endedAt: Bench.now)] } }
      try expect(try active(), is: [], "after its end")
      for step in 8...9 { try write(Int64(step)) { $0.newAlerts = [bench.alert(20 + step)] } }
      try expect(try active(), is: [29, 28].map { bench.identifier($0) }, "the next ones")
    },
    Clause("knows whether another device called after what was seen") { bench in
      try bench.addAccounts()
      // The last is a place alone, which is no call.
      let updates = [(1, 71, 61), (2, 72, 62), (3, 73, 61), (4, 74, 62)].map { number, id, device in
        StoredUpdate(
          account: bench.account, alert: bench.identifier(11), number: number, id: bench.identifier(id),
          device: bench.identifier(device), update: AlertUpdate(at: Bench.now, isCall: number < 4),
          receivedAt: Bench.now)
      }
      try bench.write {
        $0.newAlerts = [bench.alert(11)]
        $0.updates = updates
      }
      func isNewer(than seen: [Int], by device: Int) throws -> Bool? {
        let key = SeenUpdates(
          alert: bench.identifier(11), updates: seen.map { bench.identifier($0) }, device: bench.identifier(device))
        let facts = try bench.facts { $0.newerUpdates = [key] }
        return facts.newerUpdates[key]
      }
      try expect(try isNewer(than: [], by: 61), is: true, "nothing was seen of the other's update")
      try expect(try isNewer(than: [71, 72], by: 61), is: false, "one's own later update is not news")
      try expect(try isNewer(than: [72], by: 62), is: true, "the other's later update is news")
      try expect(try isNewer(than: [99], by: 62), is: true, "an update that is not known counts as none")
      try expect(try isNewer(than: [73], by: 62), is: false, "all was seen")
    },
    Clause("keeps a bucket of new alerts for each session and kind of credential") { bench in
      try bench.addAccounts()
      try bench.signIn()
      for full in [5, 9] as [Int64] {
        try bench.write {
          $0.bucket = WriteSet.AlertBucket(
            session: bench.identifier(41), isOfAlertKey: true, fullAt: bench.after(seconds: full))
        }
      }
      func full(_ credential: CredentialHash) throws -> Timestamp? {
        let facts = try bench.requestFacts {
          $0.credential = credential
          $0.alertBucket = true
        }
        return facts.alertBucketFullAt
      }
      try expect(try full(.alertKey(bench.hash(41))), is: bench.after(seconds: 9), "the alert key's bucket")
      try expect(try full(.accessToken(bench.hash(51))), is: nil, "the tokens' bucket")
    },
  ]
}
