import Model
import ServerCore
import Wire

extension StoreContract {
  static let pageClauses: [Clause] = [
    Clause("finds a page by its key, however often its link was kept") { bench in
      try bench.addAccounts()
      let links = [link(1, of: bench.account, bench), link(2, of: bench.other, bench)]
      try bench.store.write { transaction in
        for link in links + links { try transaction.keep(link) }
      }
      for link in links { try expect(bench.requestFacts { $0.page = link.key }.page, is: link, "the link") }
      try expect(bench.requestFacts { $0.page = link(3, of: bench.account, bench).key }.page, is: nil, "an unknown key")
    },
    Clause("keeps a link even if its contact and its alert are not there") { bench in
      let link = link(4, of: bench.account, bench)
      try bench.undone { try $0.keep(link) }
      try expect(bench.requestFacts { $0.page = link.key }.page, is: nil, "an undone link")
      try bench.store.write { try $0.keep(link) }
      try bench.subject.reopen()
      try expect(bench.requestFacts { $0.page = link.key }.page, is: link, "the link after a restart")
    },
    Clause("finds by its key whose answer a code is, if two share it too") { bench in
      try bench.addAccounts()
      let links = [
        answerLink(1, of: bench.account, bench), answerLink(1, of: bench.other, bench),
        answerLink(2, of: bench.other, bench),
      ]
      try bench.undone { try $0.keep(links[0]) }
      try expect(bench.requestFacts { $0.answer = links[0].key }.answers, is: [], "an undone link")
      try bench.store.write { transaction in
        for link in links + links { try transaction.keep(link) }
      }
      try bench.subject.reopen()
      try expect(Set(bench.requestFacts { $0.answer = links[0].key }.answers), is: Set(links.prefix(2)), "a shared key")
      try expect(bench.requestFacts { $0.answer = links[2].key }.answers, is: [links[2]], "a key")
      try expect(
        bench.requestFacts { $0.answer = answerLink(3, of: bench.account, bench).key }.answers, is: [], "an unknown key"
      )
    },
    Clause("keeps the newest answer of each responder to each alert") { bench in
      try bench.addAccounts()
      try bench.write {
        $0.newAlerts = [bench.alert(11), bench.alert(12)]
        $0.responses = [
          response(.cannot, nil, of: 21, to: 11, bench), response(.onMyWay, "by car", of: 22, to: 11, bench),
          response(.there, nil, of: 21, to: 12, bench),
        ]
      }
      try bench.write { $0.responses = [response(.handingOver, "to Ben 👋", of: 21, to: 11, at: 9, bench)] }
      let expected = [
        response(.handingOver, "to Ben 👋", of: 21, to: 11, at: 9, bench),
        response(.onMyWay, "by car", of: 22, to: 11, bench),
      ]
      let facts = try bench.facts { $0.responses = [bench.identifier(11)] }
      try expect(
        facts.responses,
        is: Dictionary(uniqueKeysWithValues: expected.map { (AlertContact($0.alert, $0.contact), $0) }), "answers")
      try expect(
        bench.facts(of: bench.other) { $0.responses = [bench.identifier(11)] }.responses, is: [:], "of another account")
    },
    Clause("removes the answer of one responder to one alert") { bench in
      try bench.addAccounts()
      let kept = [
        response(.onMyWay, nil, of: 22, to: 11, bench),
        response(.there, nil, of: 21, to: 12, bench),
      ]
      try bench.write {
        $0.newAlerts = [bench.alert(11), bench.alert(12)]
        $0.responses = kept + [response(.cannot, nil, of: 21, to: 11, bench)]
      }
      try bench.write {
        $0.removedResponses = [
          AlertContact(bench.identifier(11), bench.identifier(21)),
          AlertContact(bench.identifier(11), bench.identifier(23)),
        ]
      }
      let facts = try bench.facts { $0.responses = [bench.identifier(11), bench.identifier(12)] }
      try expect(
        facts.responses,
        is: Dictionary(uniqueKeysWithValues: kept.map { (AlertContact($0.alert, $0.contact), $0) }),
        "answers")
    },
    Clause("tells what the newest calls of an alert said, newest first, and no places without words") { bench in
      try bench.addAccounts()
      let count = SaidWords.factLimit + 4
      for number in 11...12 {
        try bench.write {
          $0.newAlerts = [bench.alert(number)]
          $0.updates = (1...count).map { index in
            StoredUpdate(
              account: bench.account, alert: bench.identifier(number), number: index,
              id: bench.identifier(number * 100 + index), device: bench.device, update: said(index, number, bench),
              receivedAt: bench.after(seconds: received(index)))
          }
        }
      }
      let facts = try bench.facts { $0.words = [bench.identifier(11), bench.identifier(12), bench.identifier(13)] }
      for number in 11...12 {
        let told = (1...count).filter { $0 != count - 1 && $0 != count - 2 }.reversed().prefix(SaidWords.factLimit).map
        {
          SaidWords(at: bench.after(seconds: received($0)), message: "\(number): \($0)")
        }
        try expect(facts.words[bench.identifier(number)], is: told, "words of \(number)")
      }
      try expect(facts.words[bench.identifier(13)], is: nil, "words of an unknown alert")
      try expect(
        bench.facts(of: bench.other) { $0.words = [bench.identifier(11)] }.words, is: [:], "of another account")
    },
    Clause("tells the newest places of an alert, and when its device was last heard from") { bench in
      try bench.addAccounts()
      try bench.write {
        $0.newAlerts = [bench.alert(11)]
        $0.updates = try (1...TrackPoint.limit + 3).map { number in
          StoredUpdate(
            account: bench.account, alert: bench.identifier(11), number: number, id: bench.identifier(100 + number),
            device: bench.device, update: try update(number, bench),
            receivedAt: bench.after(seconds: received(number)))
        }
        $0.contact = WriteSet.DeviceContact(
          device: bench.device, at: bench.after(seconds: 7), deviceLimit: 9, cursorLimit: 9)
      }
      let facts = try bench.facts {
        $0.tracks = [bench.identifier(11), bench.identifier(12)]
        $0.lastContacts = [bench.device, bench.identifier(99)]
      }
      let told = try (1...TrackPoint.limit + 3).filter { $0 != TrackPoint.limit }.reversed().prefix(TrackPoint.limit)
        .map { number in
          TrackPoint(
            at: bench.after(seconds: received(number)), location: try place(number),
            accuracyMeters: number == 1 ? nil : Double(number))
        }
      try expect(facts.tracks[bench.identifier(11)], is: told, "places")
      try expect(facts.tracks[bench.identifier(12)], is: [], "places of an unknown alert")
      try expect(facts.lastContacts, is: [bench.device: bench.after(seconds: 7)], "last contacts")
    },
  ]

  private static func link(_ number: Int, of account: AccountID, _ bench: Bench) -> PageLink {
    PageLink(
      key: PageKey(bytes: [1, UInt8(number)] + bench.hash(number)), account: account, alert: bench.identifier(11),
      contact: bench.identifier(21))
  }

  private static func answerLink(_ number: Int, of account: AccountID, _ bench: Bench) -> AnswerLink {
    AnswerLink(
      key: AnswerKey(bytes: bench.hash(number)), account: account, alert: bench.identifier(11),
      contact: bench.identifier(21))
  }

  private static func response(
    _ answer: ResponderAnswer, _ text: String?, of contact: Int, to alert: Int, at seconds: Int64 = 0, _ bench: Bench
  ) -> StoredResponse {
    StoredResponse(
      account: bench.account, alert: bench.identifier(alert), contact: bench.identifier(contact), answer: answer,
      text: text, at: bench.after(seconds: seconds))
  }

  private static func place(_ number: Int) throws -> Location {
    try Location(latitude: -90 + Double(number), longitude: 180)
  }

  /// One of them came from a device whose clock is fast.
  private static func received(_ number: Int) -> Int64 { number == 5 ? 4 : Int64(number) }

  /// One of them is a press without words, and one no call.
  private static func said(_ index: Int, _ alert: Int, _ bench: Bench) -> AlertUpdate {
    let time = bench.after(seconds: Int64(index))
    if index == SaidWords.factLimit + 2 { return AlertUpdate(at: time, batteryPercent: 9, isCall: false) }
    return AlertUpdate(at: time, message: index == SaidWords.factLimit + 3 ? nil : "\(alert): \(index)")
  }

  /// One of them tells no place.
  private static func update(_ number: Int, _ bench: Bench) throws -> AlertUpdate {
    AlertUpdate(
      at: bench.after(seconds: Int64(number)), message: "\(number)",
      location: number == TrackPoint.limit ? nil : try place(number),
      accuracyMeters: number == 1 ? nil : Double(number))
  }
}
