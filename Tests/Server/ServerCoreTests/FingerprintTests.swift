import Model
import Testing
import Wire

@testable import ServerCore

@Suite struct `A fingerprint` {
  private let time = Timestamp(milliseconds: 1_795_262_400_000)

  private func fingerprint(_ change: Mutation.Change, _ entity: UInt64 = 1, id: UInt64 = 7) -> UInt64 {
    Fingerprint.of(
      .valid(
        Mutation(
          id: Identifier(versionSevenAt: time, random: (id, id)),
          entityID: Identifier(versionSevenAt: time, random: (entity, entity)), occurredAt: time, change: change)))
  }

  private func activation(
    _ message: String?, _ location: Location?, isDrill: Bool = false, offset: Int? = nil, at milliseconds: Int64 = 0
  ) -> Mutation.Change {
    .activateAlert(
      AlertActivation(
        startedAt: time.advanced(byMilliseconds: milliseconds), message: message, location: location, isDrill: isDrill,
        utcOffsetMinutes: offset))
  }

  @Test func `differs for every different meaning`() throws {
    let here = try Location(latitude: 1, longitude: 2)
    let channels = [try Channel("https://a.example/1"), try Channel("https://a.example/2")]
    func contact(
      _ name: String, _ phone: String, _ responder: Bool, _ dependent: Bool, _ channels: [Channel]
    ) throws
      -> Mutation.Change
    {
      .putContact(
        try ContactDetails(
          name: name, phone: phone, isResponder: responder, isDependent: dependent, channels: channels))
    }
    let changes: [Mutation.Change] = [
      activation(nil, nil), activation("a", nil), activation("b", nil), activation(nil, here),
      activation(nil, try Location(latitude: 2, longitude: 1)), activation(nil, nil, isDrill: true),
      activation(nil, nil, offset: 0), activation(nil, nil, offset: 60), activation(nil, nil, at: 1),
      .deactivateAlert(AlertDeactivation(endedAt: time)),
      .deactivateAlert(AlertDeactivation(endedAt: time.advanced(byMilliseconds: 1))), .removeContact,
      try contact("Ana", "+12025550123", false, false, []), try contact("Bea", "+12025550123", false, false, []),
      try contact("Ana", "+12025550124", false, false, []), try contact("Ana", "+12025550123", true, false, []),
      try contact("Ana", "+12025550123", false, true, []), try contact("Ana", "+12025550123", false, false, channels),
      try contact("Ana", "+12025550123", false, false, channels.reversed()),
      try contact("Ana", "+12025550123", false, false, [channels[0]]),
    ]
    let all = changes.flatMap { [fingerprint($0), fingerprint($0, 2)] }
    #expect(Set(all).count == all.count)
  }

  @Test func `is the same for the same item, in every version of the program`() {
    #expect(fingerprint(activation("a", nil, offset: 60)) == fingerprint(activation("a", nil, offset: 60), id: 8))
    #expect(fingerprint(.removeContact) == 243_158_207_152_322_929)
  }
}
