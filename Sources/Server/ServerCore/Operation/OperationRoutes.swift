import PhoneNumbers
import Wire

extension ServerCore {
  /// The log of a store on a file grows by so much before it is copied into the file.
  private static let leastFreeBytes: UInt64 = 16 << 20

  /// Writes a few bytes, durably. Throws `StorageError` where the store takes none, or where its disk is so full that an alert may find no
  /// room, though these bytes did.
  package func proveWritable(at moment: ServerMoment, in store: any ServerStore) throws {
    if let free = store.freeBytes, free < Self.leastFreeBytes {
      throw StorageError(.diskFull, "only \(free >> 10) KiB of the database's disk are free")
    }
    let bytes = withUnsafeBytes(of: moment.now.milliseconds.littleEndian) { Array($0) }
    try store.write { try $0.setServerState("ready", to: bytes) }
  }
}

/// What an operator and their probes ask. Access to the operator's listener is what allows it.
enum OperationRoutes {
  static let limit = 200
  /// A message is late if it was due so long ago.
  static let lateMilliseconds: Int64 = 5000

  /// `GET /ready`: the store answers (otherwise `respond` makes it a 503), and people can sign in.
  static func ready(_ input: RouteInput) -> Rule<Void> {
    var needs = RequestNeeds()
    needs.serverState = "ready"
    return Rule(needs) { _, _ in
      PhoneNumber.unavailability() == nil ? .text("ready\n") : .problem(Verifications.unavailable)
    }
  }

  /// `GET /admin`, for a person.
  static func overview(_ input: RouteInput, _ codes: CodeFigures, _ certificateEnd: CertificateEnd?) -> Rule<Void> {
    Rule(needs(input)) { _, work in
      let page = OverviewPage(
        overview: work.facts.overview, counts: work.facts.storeCounts, codes: codes, certificateEnd: certificateEnd,
        now: work.now)
      return .full(
        FullResponse(
          status: 200, headers: [HeaderField("Content-Security-Policy", OverviewPage.contentSecurityPolicy)],
          mediaType: "text/html; charset=utf-8", body: Array(page.html.text.utf8)))
    }
  }

  /// `GET /admin.json`, for a program.
  static func overviewJSON(
    _ input: RouteInput, _ codes: CodeFigures, _ certificateEnd: CertificateEnd?
  ) -> Rule<Void> {
    Rule(needs(input)) { _, work in
      .json(OverviewJSON.bytes(work.facts.overview, work.facts.storeCounts, codes, certificateEnd, now: work.now))
    }
  }

  private static func needs(_ input: RouteInput) -> RequestNeeds {
    var needs = RequestNeeds()
    needs.storeCounts = true
    needs.overview = OverviewNeed(
      limit: limit, lateBefore: input.now.advanced(byMilliseconds: -lateMilliseconds))
    return needs
  }
}
