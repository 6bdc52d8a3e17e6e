import ChildPrograms
import Testing

@testable import CurlKit
@testable import CurlTransport

extension CurlLoop.PollResult {
  var isTimeout: Bool { events.isEmpty && readable.isEmpty }
}

@Suite(.blocking) struct `Waiting` {
  @Test func `another thread wakes the loop`() throws {
    let loop = try CurlLoop()
    let waker = loop.waker
    try WorkerThread.start { waker.wakeUp() }
    #expect(try loop.poll().isTimeout)
  }

  @Test func `a wake-up before the wait is not lost`() throws {
    let loop = try CurlLoop()
    loop.waker.wakeUp()
    #expect(try loop.poll().isTimeout)
  }

  @Test func `waking a released loop is harmless`() throws {
    var loop: CurlLoop? = try CurlLoop()
    let waker = try #require(loop?.waker)
    loop = nil
    waker.wakeUp()
  }

  @Test func `a readable descriptor ends the wait and is named`() throws {
    let (first, _) = AsyncSignal.make()
    let (second, teller) = AsyncSignal.make()
    let loop = try CurlLoop()
    try WorkerThread.start { teller.send() }
    let result = try loop.poll(watching: [first.descriptor, second.descriptor])
    #expect(result.readable == [second.descriptor])
  }

  @Test func `the timeout ends the wait`() throws {
    let loop = try CurlLoop()
    let time = try ContinuousClock().measure { _ = try loop.poll(timeoutMilliseconds: 30) }
    #expect(time >= .milliseconds(25))
  }

  @Test func `a request is handed over whole before the caller is busy`() throws {
    let (received, teller) = AsyncSignal.make()
    let server = try ScriptedServer { exchange in
      teller.send()
      return exchange.answer("{}")
    }
    defer { server.close() }
    // A clock that stands: only what was written ends the flush.
    var options = CurlLoop.Options { 0 }
    options.isForSlowPaths = true
    let loop = try CurlLoop(options: options)
    _ = try loop.perform(plainRequest(server.url))
    received.wait()
    let long = plainRequest(server.url, method: "POST", body: Array(repeating: 0x20, count: 300_000))
    let id = try loop.start(long)
    try loop.flush(id)
    #expect(received.wait(), "no poll was needed")
    #expect(try loop.events(1).count == 1)
  }

  @Test func `libcurl names its version`() throws {
    #expect(try CurlLibrary.version().hasPrefix("libcurl/"))
  }
}
