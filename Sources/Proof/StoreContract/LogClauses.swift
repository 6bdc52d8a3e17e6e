import Model
import ServerCore
import Wire

extension StoreContract {
  static let logClauses: [Clause] = [
    Clause("gives the changes behind a place, oldest first, with what each entity is now") { bench in
      try bench.addAccounts()
      let delivery = try bench.delivery(31, about: 11, to: 21)
      let (alert, contact) = (bench.alert(11), try bench.contact(21))
      try bench.write {
        $0.newAlerts = [alert]
        $0.contacts = [contact]
        $0.newDeliveries = [delivery]
        $0.changes = [
          change(1, .alert, EntityID(alert.id)), change(2, .contact, EntityID(contact.id)),
          change(3, .receipt, EntityID(delivery.id)), change(4, .contact, bench.identifier(29)),
        ]
        $0.position = LogPosition(newestSequence: 4, newestOrdinal: 11)
      }
      let facts = try bench.facts { $0.page = PageNeed(after: 1, count: 10) }
      try expect(facts.page.map { $0.change.sequence }, is: [2, 3, 4], "sequences")
      try expect(
        facts.page.map { $0.entity },
        is: [.contact(contact.id, contact.details, [], []), .receipt(delivery.receipt), .removed],
        "entities")
      let first = try bench.facts { $0.page = PageNeed(after: 0, count: 1) }
      try expect(first.page.map { $0.entity }, is: [.alert(alert.record)], "a page of one")
      try expect(first.newestTag, is: 104, "the newest tag")
    },
    Clause("gives the profile of the account, and the tested channels of a contact") { bench in
      try bench.addAccounts()
      let contact = try bench.contact(21)
      let tested = [TestedChannel(url: "https://a.example/21", at: Bench.now)]
      try bench.write {
        $0.contacts = [contact]
        $0.tested = [contact.id: tested]
        $0.profile = try Profile(name: "Zoë 🧗")
        $0.changes = [change(1, .contact, EntityID(contact.id)), change(2, .profile, EntityID(bench.account))]
        $0.position = LogPosition(newestSequence: 2)
      }
      try bench.subject.reopen()
      let facts = try bench.facts {
        $0.page = PageNeed(after: 0, count: 10)
        $0.contacts = true
      }
      let profile = try Profile(name: "Zoë 🧗")
      try expect(
        facts.page.map { $0.entity },
        is: [.contact(contact.id, contact.details, tested, []), .profile(profile)], "entities")
      try expect(facts.record?.profile, is: profile, "the account's profile")
      try expect(facts.tested, is: [contact.id: tested], "the tested channels")
      try expect(try bench.facts(of: bench.other) { $0.contacts = true }.tested.isEmpty, "another account has them")
      try bench.write { $0.tested = [contact.id: []] }
      try expect(try bench.facts { $0.contacts = true }.tested.isEmpty, "an edit makes a channel untested")
    },
    Clause("gives the failed channels of a contact: with all contacts, for it alone, and in its change") { bench in
      try bench.addAccounts()
      let (contact, working) = (try bench.contact(21), try bench.contact(22))
      let failed = [
        FailedChannel(url: "https://a.example/21", at: Bench.now, reason: "the channel answered 404"),
        FailedChannel(url: "tel:+12025550121", at: bench.after(seconds: 1), reason: "the voice gateway answered 400"),
      ]
      try bench.write {
        $0.contacts = [contact, working]
        $0.failed = [contact.id: failed]
        $0.changes = [change(1, .contact, EntityID(contact.id))]
        $0.position = LogPosition(newestSequence: 1)
      }
      try bench.subject.reopen()
      let all = try bench.facts {
        $0.contacts = true
        $0.page = PageNeed(after: 0, count: 10)
      }
      try expect(all.failed, is: [contact.id: failed], "with all contacts")
      try expect(all.tested.isEmpty, "a channel that failed counts as tested")
      try expect(all.page.map { $0.entity }, is: [.contact(contact.id, contact.details, [], failed)], "in its change")
      let named = try bench.facts { $0.namedContacts = [contact.id, working.id, bench.identifier(29)] }
      try expect(named.failed, is: [contact.id: failed], "for it alone")
      try expect(
        named.contacts, is: [contact.id: contact.details, working.id: working.details], "the contacts that are named")
      let alone = try bench.facts { $0.failedChannels = [contact.id, working.id, bench.identifier(29)] }
      try expect(alone.failed == [contact.id: failed] && alone.contacts.isEmpty, "without the contacts")
      let others = try bench.facts(of: bench.other) { $0.namedContacts = [contact.id] }
      try expect(others.failed.isEmpty && others.contacts.isEmpty, "another account has them")
      // An edit of its name leaves them.
      try bench.write { $0.contacts = [contact] }
      try expect(try bench.facts { $0.contacts = true }.failed, is: [contact.id: failed], "after an edit")
      try bench.write { $0.failed = [contact.id: []] }
      try expect(try bench.facts { $0.namedContacts = [contact.id] }.failed.isEmpty, "a channel that works again")
    },
    Clause("moves an entity that changes again behind all others") { bench in
      try bench.addAccounts()
      try bench.write { set in
        set.contacts = [try bench.contact(21), try bench.contact(22)]
        set.changes = [change(1, .contact, bench.identifier(21)), change(2, .contact, bench.identifier(22))]
      }
      try bench.write { set in
        set.changes = [change(3, .contact, bench.identifier(21))]
        set.position = LogPosition(newestSequence: 3)
      }
      let facts = try bench.facts { $0.page = PageNeed(after: 0, count: 10) }
      try expect(facts.page.map { $0.change.sequence }, is: [2, 3], "sequences")
    },
    Clause("knows the cursors that it gave, also after their change was replaced") { bench in
      try bench.addAccounts()
      func write(_ sequence: Int64) throws {
        try bench.write { set in
          set.changes = [change(sequence, .contact, bench.identifier(21))]
          set.cursors = [CursorClaim(sequence: sequence, tag: tag(sequence))]
          set.contact = heard(bench.device, at: Bench.now)
          set.position = LogPosition(newestSequence: sequence)
        }
      }
      try write(1)
      try write(2)
      let claims = [(1, tag(1)), (2, tag(2)), (1, 9)].map { CursorClaim(sequence: $0.0, tag: $0.1) }
      let facts = try bench.facts { $0.cursors = Set(claims) }
      try expect(facts.cursors[claims[0]], is: CursorFact(tag: nil, isRemembered: true), "a replaced change")
      try expect(facts.cursors[claims[1]]?.tag, is: tag(2), "the newest change")
      try expect(facts.cursors[claims[2]], is: CursorFact(tag: nil, isRemembered: false), "another server's cursor")
      try bench.write { $0.epoch = "another" }
      let later = try bench.facts { $0.cursors = [claims[0]] }
      try expect(later.cursors[claims[0]]?.isRemembered, is: false, "a cursor of the history before")
      try expect(later.record?.epoch, is: "another", "the epoch")
    },
    Clause("keeps so many cursors of a device, or some more, and so many devices, the newest of each") { bench in
      try bench.addAccounts()
      // Tags of 100 and more: some are such that old ones are forgotten with them.
      for sequence in 1...28 as ClosedRange<Int64> {
        try bench.write { set in
          set.cursors = [CursorClaim(sequence: sequence, tag: tag(sequence))]
          set.contact = heard(bench.device, at: Bench.now, cursorLimit: 3)
        }
      }
      func remembered(_ sequences: ClosedRange<Int64>) throws -> [Int64] {
        let claims = sequences.map { CursorClaim(sequence: $0, tag: tag($0)) }
        let facts = try bench.facts { $0.cursors = Set(claims) }
        return claims.filter { facts.cursors[$0]?.isRemembered == true }.map(\.sequence)
      }
      try expect(try remembered(26...28), is: [26, 27, 28], "the newest of one device")
      try expect(try remembered(1...9), is: [], "the oldest of one device")
      for number in 0..<3 {
        try bench.write { set in
          set.cursors = [CursorClaim(sequence: 40 + Int64(number), tag: tag(40 + Int64(number)))]
          set.contact = heard(
            bench.identifier(80 + number), at: bench.after(seconds: Int64(number) + 1), deviceLimit: 2)
        }
      }
      try expect(try remembered(1...42), is: [41, 42], "cursors of the devices that spoke last")
    },
  ]

  private static func tag(_ sequence: Int64) -> UInt64 { 100 + UInt64(sequence) }

  private static func change(_ sequence: Int64, _ kind: EntityKey.Kind, _ id: EntityID) -> LoggedChange {
    LoggedChange(sequence: sequence, tag: tag(sequence), entity: EntityKey(kind, id))
  }

  private static func heard(
    _ device: DeviceID, at time: Timestamp, deviceLimit: Int = 50, cursorLimit: Int = 64
  ) -> WriteSet.DeviceContact {
    WriteSet.DeviceContact(device: device, at: time, deviceLimit: deviceLimit, cursorLimit: cursorLimit)
  }
}
