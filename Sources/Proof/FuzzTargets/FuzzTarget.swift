/// A parser that eats bytes from outside, as libFuzzer and the tests feed it.
///
/// Every place where bytes come in from a network, a file, an argument or a terminal, and the target that feeds it:
///
/// | bytes | read by | target |
/// |---|---|---|
/// | any JSON | `JSONDocument` | `json` |
/// | the body of `POST /v1/sync` | `SyncRequest` | `sync-request`, `server` |
/// | its answer | `SyncResponse`, `LocalStore.apply` | `sync-response`, `device` |
/// | other bodies, and the file `verification` | `JSONBody` of each | `bodies` |
/// | bodies in the device's queue | `MutationBody`, `StoredBodies` | `stored-bodies` |
/// | answers of any status, whoever sent them | `AnswerClassifier` | `answer` |
/// | header lines of answers | `ResponseHeaders` | `response-headers` |
/// | `Retry-After`, `Date` | `RetryAfter`, `HTTPDate`, `Backoff`, `DeliveryVerdict` | `retry-after` |
/// | `text/event-stream` | `EventStreamParser` | `event-stream` |
/// | the target of a request line | `RequestTarget` | `request-target`, `server` |
/// | whole requests | `ServerCore.respond` | `server` |
/// | times, ids, cursors, regions, positions in lists | `Timestamp`, `Identifier`, `SyncCursor`, `AlertsQuery` … | `values` |
/// | names, numbers, channels, messages | `ContactDetails`, `Channel`, `AlertMessage`, `PhoneEntry` … | `people` |
/// | addresses of servers | `Configuration.validatedEndpoint`, `ListenAddress`, `RemoteAddress`, `Target` | `addresses` |
/// | tokens | `Base64URL`, `Base64`, `BearerToken` | `base64` |
/// | texts of others, told to responders | `MessageText`, `ChannelRequest` | `messages` |
/// | texts of others, shown on a terminal | `String.printable`, `Glyph`, `TextLayout`, `ScreenView` | `screen` |
/// | command lines | `ArgumentParser`, `AlertInput`, `ServerOptions` | `arguments` |
/// | keys | `KeyPress`, `CharacterDecoder`, `PasteCollector`, `KeyMap` … | `keys` |
/// | the file `config` | `Configuration` | `configuration` |
/// | files in `spool` | `Spool` | `spool` |
/// | the device's database | `LocalStore.open` and all that it is asked for | `store-file` |
/// | the server's database | `SQLiteServerStore.open`, `ServerCore` | `server-file` |
///
/// A property that does not hold traps as a broken index does: see `require`.
package struct FuzzTarget: Sendable {
  /// As in `Tests/Proof/Corpus/NAME`.
  package let name: String
  /// Whole inputs, made by the product's own writers: what a corpus begins with.
  package let seeds: @Sendable () -> [[UInt8]]
  /// Takes any bytes; a crash is a find.
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

  /// All of them, the quick ones first.
  package static let all: [FuzzTarget] = [
    json, syncRequest, syncResponse, bodies, storedBodies, answer, responseHeaders, retryAfter, eventStream,
    requestTarget,
    values, people, addresses, base64, messages, screen, arguments, keys, configuration, spool, server, device,
    storeFile,
    serverFile,
  ]

  package static func named(_ name: String) -> FuzzTarget? { all.first { $0.name == name } }
}

/// Stops with `what` where a property does not hold for this input. The message never holds the input: it is in the file.
func require(_ holds: Bool, _ what: @autoclosure () -> String) {
  if !holds { fatalError("does not hold: \(what())") }
}
