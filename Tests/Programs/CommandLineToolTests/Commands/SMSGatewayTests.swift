import ChildPrograms
import Foundation
import ProgramTesting
import Testing

/// `lifesignal-server --sms FILE`: the description of an SMS gateway.
@Suite(.blocking) struct `The server's SMS gateway` {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func write(_ text: String, to name: String) throws -> String {
    try Data(text.utf8).write(to: URL(fileURLWithPath: folder.path(name)))
    return folder.path(name)
  }

  private func start(_ gateway: String) throws -> RunningProgram {
    try RunningProgram(
      Programs.server,
      ["--listen", "127.0.0.1:0", "--database", folder.path("server.sqlite"), "--sms", gateway])
  }

  @Test func `is described by a file, with its secret in another`() throws {
    let secret = try write("s3cr\"t\nnot this\n", to: "token")
    let file = try write(
      #"""
      {"url": "https://sms.example/send", "headers": ["Authorization: Bearer {file:\#(secret)}"], "body": "{to}{text}"}
      """#, to: "gateway.json")
    let server = try start(file)
    try server.line(containing: "listening on")
    #expect(server.end(by: SIGTERM) == 0)
  }

  @Test func `that cannot be used is refused at the start, with the reason`() throws {
    let files = [
      (try write("{", to: "a.json"), "a.json: "), (try write(#"{"url": "https://s.example/"}"#, to: "b.json"), "{to}"),
      (try write(#"{"url": "http://s.example/{to}{text}"}"#, to: "c.json"), "https://"),
      (try write(#"{"url": "https://s.example/{to}{text}{file:/no/such}"}"#, to: "d.json"), "/no/such"),
      (
        try write(
          #"{"url": "https://s.example/{to}{text}{file:\#(try write("\r\nsecond", to: "empty"))}"}"#, to: "e.json"),
        "is empty"
      ),
      (folder.path("missing.json"), "missing.json"), ("http://sms.example/send", "https://"),
    ]
    for (file, words) in files {
      let server = try start(file)
      #expect(try server.line(containing: "lifesignal-server: ").contains(words), "\(file)")
      #expect(server.end() == 65, "\(file)")
    }
  }
}
