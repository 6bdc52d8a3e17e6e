import Glibc
import ServerCore
import Testing
import Wire

@testable import ServerHTTP

@Suite struct `Readiness` {
  @Test func `ends with the database file and comes back with it`() throws {
    let server = try LiveServer()
    let session = try server.signIn()
    let client = try server.client()
    #expect(try client.exchange("GET", Route.ready).status == 200)
    let path = server.folder.path + "/server.sqlite"
    rename(path, path + ".away")
    #expect(try client.post(Route.sync, emptyExchange, token: session.tokens.accessToken).status == 503)
    let answer = try client.exchange("GET", Route.ready)
    #expect(answer.status == 503)
    #expect(answer.text.contains("the database file was removed"))
    rename(path + ".away", path)
    #expect(try client.post(Route.sync, emptyExchange, token: session.tokens.accessToken).status == 200)
  }

  private var emptyExchange: [UInt8] {
    SyncRequestWriter.body(deviceID: newID(), cursor: nil, mutations: [], notifications: [], limit: 500)
  }

  @Test func `is shown by a write at most once in five seconds, and once a second while it fails`() {
    let proof = StoreProof()
    let broken = StorageError(.readOnly, "read-only")
    var writes = 0
    for now in stride(from: Int64(0), to: 20_000, by: 100) { _ = proof.failure(at: now) { writes += 1 } }
    #expect(writes == 4)
    proof.forget()
    for now in stride(from: Int64(20_000), to: 23_000, by: 100) {
      let failure = proof.failure(at: now) {
        writes += 1
        throw broken
      }
      #expect(failure == broken)
    }
    #expect(writes == 7)
    #expect(proof.failure(at: 23_000) {} == nil)
  }
}
