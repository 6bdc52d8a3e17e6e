import LifeSignalFeatures
import ProgramTesting
import SystemKit
import Testing
import Wire

@testable import LifeSignal

/// Work before a code, in an app.
@Suite(.timeLimit(.minutes(5))) struct `Work before a code` {
  /// A server that asks everybody for this much work, whatever they show.
  private func server(_ zeroBits: Int) throws -> WebhookReceiver {
    var problem = Problem(.rateLimited, "Too many codes were asked for. Ask for another in 12 seconds.")
    problem.work = WorkChallenge(text: "challenge", zeroBits: zeroBits, nonceCount: 8)
    return try WebhookReceiver { [problem] _ in problem }
  }

  private func client(_ device: TestDevice, _ server: WebhookReceiver) async throws -> LifeSignalClient {
    let client = try LifeSignalClient.open(home: device.home)
    try await client.configure { $0.endpoint = "http://127.0.0.1:\(server.port)" }
    return client
  }

  @Test func `is told, leaves the network free, and stops with its task`() async throws {
    let device = try TestDevice()
    let server = try server(23)
    defer { server.stop() }
    let client = try await client(device, server)
    let (told, telling) = AsyncStream<Int>.makeStream()
    let asking = Task {
      try await client.requestCode(phone: LiveServer.phone, region: "US", onWork: { telling.yield($0) })
    }
    let seconds = try #require(await told.first { _ in true })
    #expect(seconds >= 1)
    // What needs the network's queue does not wait for the work.
    let other = await #expect(throws: LifeSignalError.self) { try await client.requestCode(phone: "123") }
    #expect(other?.code == .invalid)
    asking.cancel()
    let result = await asking.result
    #expect(throws: LifeSignalError(.refused, "Too many codes were asked for. Ask for another in 12 seconds.")) {
      try result.get()
    }
    #expect(server.heads.count { $0.contains("verifications") } == 1, "no proof was sent")
  }

  @Test func `of an absurd difficulty is not begun`() async throws {
    let device = try TestDevice()
    let server = try server(60)
    defer { server.stop() }
    let client = try await client(device, server)
    let error = await #expect(throws: LifeSignalError.self) {
      try await client.requestCode(phone: LiveServer.phone, region: "US", onWork: { _ in Issue.record("it works") })
    }
    #expect(error?.code == .refused && server.heads.count == 1)
  }

  @Test func `is told to the features`() async throws {
    let device = try TestDevice()
    let server = try server(23)
    defer { server.stop() }
    let auth = AuthClient.live(try await client(device, server))
    let work = auth.codeWork()
    let asking = Task { try await auth.sendVerificationCode(to: LiveServer.phone, region: .unitedStates) }
    #expect(await work.first { _ in true } ?? 0 >= 1)
    asking.cancel()
    _ = await asking.result
  }
}
