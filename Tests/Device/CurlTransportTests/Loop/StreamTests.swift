import ChildPrograms
import Testing

@testable import CurlKit

@Suite(.blocking) struct `Streams` {
  private func stream(_ url: String, silence: Int? = nil) -> CurlRequest {
    var request = plainRequest(url)
    request.isStream = true
    request.totalTimeoutMilliseconds = nil
    request.silenceTimeoutMilliseconds = silence
    return request
  }

  @Test func `a stream opens before its first byte, flows, and ends`() throws {
    let server = try ScriptedServer { exchange in
      exchange.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n")
      exchange.waitForPeerToLeave(milliseconds: 30)
      exchange.send(": hello\n\n")
      return false
    }
    let loop = try CurlLoop()
    let id = try loop.start(stream(server.url))
    let first = try loop.events(1)
    guard case .opened(id, let head) = first.first else { throw UnexpectedEvent(event: first[0]) }
    #expect(first.count == 1 && head.status == 200)
    let rest = try loop.events(2)
    #expect(rest.first == .chunk(id, Array(": hello\n\n".utf8)))
    guard case .finished(id, let response) = rest.last else { throw UnexpectedEvent(event: rest[1]) }
    #expect(response.body.isEmpty)
  }

  @Test func `a refused stream is an ordinary answer, with its body`() throws {
    let server = try ScriptedServer { $0.answer("who are you?", status: "401 Unauthorized") }
    let response = try CurlLoop().perform(stream(server.url))
    #expect(response.status == 401 && response.body == Array("who are you?".utf8))
  }

  @Test func `silence ends a stream, even before it opens`() throws {
    let server = try ScriptedServer { exchange in
      if exchange.request.path == "/open" { exchange.send("HTTP/1.1 200 OK\r\n\r\n") }
      exchange.waitForPeerToLeave()
      return false
    }
    let loop = try CurlLoop()
    #expect(try loop.failure(stream(server.url + "/mute", silence: 40)) == .timedOut)
    let id = try loop.start(stream(server.url + "/open", silence: 40))
    #expect(try loop.events(2).last == .failed(id, .silence))
    #expect(loop.activeCount == 0)
  }

  @Test func `bytes restart the silence timeout`() throws {
    let server = try ScriptedServer { exchange in
      exchange.send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
      for _ in 0..<12 {
        exchange.waitForPeerToLeave(milliseconds: 20)
        exchange.send(".")
      }
      return false
    }
    let loop = try CurlLoop()
    let id = try loop.start(stream(server.url, silence: 200))
    var last: CurlEvent?
    while loop.activeCount > 0 { last = try loop.poll().events.last ?? last }
    guard case .finished(id, _) = last else { throw MissingEvents(events: [last].compactMap(\.self)) }
  }

  @Test func `a cancelled request has no more events, and its connection is closed`() throws {
    let (gone, isGone) = AsyncSignal.make()
    let server = try ScriptedServer { exchange in
      exchange.send("HTTP/1.1 200 OK\r\n\r\n:\n")
      exchange.waitForPeerToLeave()
      isGone.send()
      return false
    }
    let loop = try CurlLoop()
    let id = try loop.start(stream(server.url))
    _ = try loop.events(2)
    loop.cancel(id)
    loop.cancel(id)
    #expect(loop.activeCount == 0)
    #expect(try loop.poll(timeoutMilliseconds: 0).events.isEmpty)
    #expect(gone.wait(), "the connection is still open")
  }

  @Test func `a waiting stream does not wake the loop`() throws {
    let server = try ScriptedServer { exchange in
      exchange.send("HTTP/1.1 200 OK\r\n\r\n:\n")
      exchange.waitForPeerToLeave()
      return false
    }
    let loop = try CurlLoop()
    var request = stream(server.url, silence: 60_000)
    request.connectTimeoutMilliseconds = 60_000
    _ = try loop.start(request)
    _ = try loop.events(2)
    // libcurl's own timers expire in the first moments.
    let clock = ContinuousClock()
    var isQuiet = false
    for _ in 0..<200 where !isQuiet {
      isQuiet = try clock.measure { _ = try loop.poll(timeoutMilliseconds: 300) } >= .milliseconds(250)
    }
    #expect(isQuiet)
    #expect(try clock.measure { _ = try loop.poll(timeoutMilliseconds: 2500) } >= .milliseconds(2400))
  }

  @Test func `a released loop closes its connections`() throws {
    let (gone, isGone) = AsyncSignal.make()
    let server = try ScriptedServer { exchange in
      exchange.send("HTTP/1.1 200 OK\r\n\r\n:\n")
      exchange.waitForPeerToLeave()
      isGone.send()
      return false
    }
    do {
      let loop = try CurlLoop()
      _ = try loop.start(stream(server.url))
      _ = try loop.events(2)
    }
    #expect(gone.wait(), "the connection is still open")
  }
}
