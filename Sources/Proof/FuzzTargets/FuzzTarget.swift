/// A parser of foreign bytes, as libFuzzer and the tests feed it.
///
/// All places that take bytes from a network, a file, an argument or a terminal, and the targets that feed them:
///
/// | bytes | read by | target |
/// |---|---|---|
/// | any JSON | `JSONDocument` | `json` |
/// | the body of `POST /v1/sync` | `SyncRequest` | `sync-request`, `server` |
/// | its answer | `SyncResponse`, `LocalStore.apply` | `sync-response`, `device` |
/// | other bodies, and the file `verification` | `JSONBody` of each | `bodies` |
/// | bodies in the device's queue | `MutationBody`, `StoredBodies` | `stored-bodies` |
/// | answers of any status, from anybody | `AnswerClassifier` | `answer` |
/// | header lines of answers | `ResponseHeaders` | `response-headers` |
/// | `Retry-After`, `Date` | `RetryAfter`, `HTTPDate`, `Backoff`, `DeliveryVerdict` | `retry-after` |
/// | `text/event-stream` | `EventStreamParser` | `event-stream` |
/// | replies of a mail server | `MailDialog` | `mail-dialog` |
/// | the target of a request line | `RequestTarget` | `request-target`, `server` |
/// | whole requests | `ServerCore.respond` | `server` |
/// | times, ids, cursors, regions, positions in lists | `Timestamp`, `Identifier`, `SyncCursor`, `AlertsQuery` … | `values` |
/// | names, numbers, channels, messages | `ContactDetails`, `Channel`, `AlertMessage`, `PhoneEntry` … | `people` |
/// | addresses of servers | `Configuration.validatedEndpoint`, `ListenAddress`, `RemoteAddress`, `Target` | `addresses` |
/// | tokens | `Base64URL`, `Base64`, `BearerToken` | `base64` |
/// | other people's texts, sent to responders | `MessageText`, `ChannelRequest`, `MailText`, `VoiceText` | `messages` |
/// | other people's texts, shown on a terminal | `String.printable`, `Glyph`, `TextLayout`, `ScreenView` | `screen` |
/// | reports of gpsd | `PlaceReport` | `gpsd` |
/// | command lines | `ArgumentParser`, `AlertInput`, `ServerOptions` | `arguments` |
/// | keys | `KeyPress`, `CharacterDecoder`, `PasteCollector`, `KeyMap` … | `keys` |
/// | the file `config` | `Configuration` | `configuration` |
/// | files in `spool` | `Spool` | `spool` |
/// | the device's database | `LocalStore.open` and its calls | `store-file` |
/// | the server's database | `SQLiteServerStore.open`, `ServerCore` | `server-file` |
///
/// A failed property traps, like an index out of range: see `require`.
package struct FuzzTarget: Sendable {
  /// The folder's name in `Tests/Proof/Corpus`.
  package let name: String
  /// Whole inputs made by the product's own writers: the first corpus.
  package let seeds: @Sendable () -> [[UInt8]]
  /// Takes any bytes; a crash is a finding.
  package let run: @Sendable ([UInt8]) -> Void
  /// A run takes milliseconds: it opens a database, or draws many screens.
  package let isSlow: Bool

  package init(
    _ name: String, isSlow: Bool = false, seeds: @escaping @Sendable () -> [[UInt8]],
    run: @escaping @Sendable ([UInt8]) -> Void
  ) {
    self.name = name
    self.isSlow = isSlow
    self.seeds = seeds
    self.run = run
  }

  /// All targets, the fast ones first.
  package static let all: [FuzzTarget] = [
    json, syncRequest, syncResponse, bodies, storedBodies, answer, responseHeaders, retryAfter, eventStream,
    mailDialog, requestTarget, values, people, addresses, base64, gpsd, messages, screen, arguments, keys,
    configuration, serverSettings, spool, server, device, storeFile, serverFile,
  ]

  package static func named(_ name: String) -> FuzzTarget? { all.first { $0.name == name } }
}

/// Traps with `what` if a property does not hold for this input. The message must not contain the input, which is in the file.
func require(_ holds: Bool, _ what: @autoclosure () -> String) {
  if !holds { fatalError("does not hold: \(what())") }
}
