import ServerHTTP
import Testing

@Suite struct `The progress of a queue` {
  @Test func `is stuck while requests wait and none is taken up`() {
    let before = WorkProgress(waiting: 2, takenCount: 7)
    #expect(WorkProgress(waiting: 1, takenCount: 7).isStuck(since: before))
    #expect(!WorkProgress(waiting: 9, takenCount: 8).isStuck(since: before))
    #expect(!WorkProgress(waiting: 0, takenCount: 7).isStuck(since: before))
    #expect(!WorkProgress(waiting: 1, takenCount: 7).isStuck(since: WorkProgress(waiting: 0, takenCount: 7)))
  }
}
