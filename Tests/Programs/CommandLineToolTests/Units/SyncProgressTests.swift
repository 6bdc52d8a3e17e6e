import Testing

@testable import CommandLineTool

@Suite struct `A sync that failed` {
  @Test func `tells what it did before, if it did anything`() {
    #expect(SyncTexts.progress(pushed: 0, pulled: 0) == nil)
    let text = SyncTexts.progress(pushed: 3, pulled: 700_000)
    #expect(text == "Sent 3, received 700000 before that; the next sync continues there.")
  }
}
