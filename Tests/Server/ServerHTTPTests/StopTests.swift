import ChildPrograms
import Glibc
import ServerCore
import Synchronization
import SystemKit
import Testing
import Wire

@testable import ServerHTTP

@Suite(.blocking) struct `A server that stops` {
  /// libmicrohttpd ends the process if one of its threads closes the listening socket while another one uses it, in
  /// about one of a thousand stops.
  @Test func `ends cleanly while devices connect, at any moment`() throws {
    let crowd = try #require(Crowd())
    defer { crowd.leave() }
    for _ in 0..<1000 {
      let server = try EchoShell { $0.threads = 16 }
      let answersBefore = crowd.answers
      crowd.visit(server.shell.address.port)
      while crowd.answers == answersBefore { sched_yield() }
      server.shell.stop()
    }
  }

  @Test(.timeLimit(.minutes(5))) func `leaves the codes that it did not send to the next one`() throws {
    let gateway = try TestReceiver([.silence, .init(status: 200)])
    let codes = CodeDelivery.gateway(GatewayTemplate(url: "http://127.0.0.1:\(gateway.port)/sms"))
    let lines = Lock<[String]>([])
    let log = ServerLog(now: LiveServer.now) { line in lines.withLock { $0.append(line) } }
    let server = try LiveServer(codes: codes, log: log)
    let request = VerificationRequest(phone: "+12025550123", region: nil)
    #expect(try server.client().post(Route.verifications, request.json()).status == 201)
    let unanswered = try #require(gateway.next())
    server.stop()
    #expect(
      lines.withLock { $0 }.contains {
        $0.contains(" code ") && $0.hasSuffix(": the server was stopped; it will be tried again")
      })
    let next = try LiveServer(folder: server.folder, codes: codes)
    defer { next.stop() }
    #expect(try #require(gateway.next()).body == unanswered.body)
  }

  @Test func `releases its port`() throws {
    let server = try EchoShell()
    _ = try server.client().exchange("GET", "/")
    server.shell.stop()
    let address = try ListenAddress("127.0.0.1:\(server.shell.address.port)")
    #expect(throws: Never.self) { _ = try ListeningSocket(address) }
  }
}

/// Devices that connect to one port in turn, each on a new connection, as fast as they can.
private final class Crowd: Sendable {
  private let port = Atomic<Int>(0)
  private let answered = Atomic<Int>(0)
  private let isLeaving = Atomic<Bool>(false)
  private let threads = Lock<[SystemThread]>([])

  /// Returns nil if the system has no thread left.
  init?() {
    for _ in 0..<2 {
      guard let thread = try? SystemThread({ [self] in while !isLeaving.load(ordering: .relaxed) { visit() } }) else {
        leave()
        return nil
      }
      threads.withLock { $0.append(thread) }
    }
  }

  /// The number of requests that a server has answered.
  var answers: Int { answered.load(ordering: .relaxed) }

  func visit(_ port: UInt16) { self.port.store(Int(port), ordering: .relaxed) }

  func leave() {
    isLeaving.store(true, ordering: .relaxed)
    for thread in threads.withLock({ $0 }) { thread.join() }
  }

  private func visit() {
    guard let address = try? ListenAddress("127.0.0.1:\(port.load(ordering: .relaxed))") else { return }
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    // Closing with a reset leaves no port in TIME_WAIT.
    var end = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &end, socklen_t(MemoryLayout<linger>.size))
    guard address.withSocketAddress({ connect(descriptor, $0, $1) }) == 0 else { return }
    let request = Array("GET / HTTP/1.1\r\nHost: x\r\n\r\n".utf8)
    var answer: UInt8 = 0
    guard send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count,
      recv(descriptor, &answer, 1, 0) == 1
    else { return }
    answered.wrappingAdd(1, ordering: .relaxed)
  }
}
