import ComposableTesting
import Foundation
import LifeSignalFeatures
import Testing
import XCTest

// Only run with `EXPECT_FAILURES` in the environment, by `tools/sample`, which checks that they fail.
private let isWanted = ProcessInfo.processInfo.environment["EXPECT_FAILURES"] != nil

@MainActor
private func expectWhatIsWrong() async {
  let store = TestStore(initialState: AlertFeature.State()) { AlertFeature() }
  store.exhaustivity = .off
  await store.send(.alertButtonTapped) { $0.activationProgress = 0.5 }
}

@MainActor
final class WrongExpectationTests: XCTestCase {
  func testWrongExpectation() async throws {
    try XCTSkipUnless(isWanted)
    await expectWhatIsWrong()
  }
}

@MainActor
@Suite struct WrongExpectations {
  @Test(.enabled(if: isWanted)) func `a wrong expectation`() async { await expectWhatIsWrong() }
}
