import ChildPrograms
import CurlKit
import Foundation
import LocalStore
import Model
import ProgramTesting
import Synchronization
import Testing

@testable import DeviceCore

/// Sending everything that is outside the store, within one time limit.
@Suite(.blocking) struct `A limit for sending from memory` {
  @Test func `holds for all messages together, and untried ones are counted`() throws {
    let device = try TestDevice()
    try device.signInLocally(endpoint: "http://127.0.0.1:1")
    let home = HomeDirectory(path: device.home)
    let raised = try Spool.activate(AlertDraft(), home: home, options: .live, at: DeviceClock.now())
    #expect(raised.isSpooled)
    let calls = Atomic(0)
    let memory = EmergencyFromMemory(
      home,
      caller: { _ throws(CurlError) in
        calls.wrappingAdd(1, ordering: .relaxed)
        throw CurlError(.cannotConnect, "nobody is there")
      }, pause: { _ in })
    guard let memory else {
      Issue.record("nothing is outside the store")
      return
    }
    let none = memory.sendUnsent(at: DeviceClock.now(), withinMilliseconds: 0)
    #expect(none.leftCount == 1 && none.sentCount == 0)
    #expect(none.obstacle == .notReached(DeviceTexts.noTimeLeft))
    #expect(calls.load(ordering: .relaxed) == 0)
    let short = memory.sendUnsent(at: DeviceClock.now(), withinMilliseconds: 900)
    #expect(short.leftCount == 1)
    #expect(calls.load(ordering: .relaxed) == 1, "there is no time for a second attempt")
  }
}
