import Testing

@testable import ServerHTTP

/// Tests the queue in front of the server's only writer.
@Suite struct `A queue with turns` {
  private func drain(_ queue: inout TurnQueue<String, Int>) -> [Int] {
    var elements: [Int] = []
    while let element = queue.pop() { elements.append(element) }
    return elements
  }

  @Test func `serves each key once a round, however many items one of them has`() {
    var queue = TurnQueue<String, Int>()
    for number in 0..<100 { queue.push(number, key: "greedy", isUrgent: false) }
    queue.push(1000, key: "other", isUrgent: false)
    queue.push(2000, key: "third", isUrgent: false)
    #expect(queue.count == 102)
    #expect([queue.pop(), queue.pop(), queue.pop(), queue.pop()] == [0, 1000, 2000, 1])
    #expect(drain(&queue) == Array(2..<100))
    #expect(queue.count == 0)
  }

  @Test func `serves urgent items first, and every fourth time another one`() {
    var queue = TurnQueue<String, Int>()
    for number in 0..<4 { queue.push(number, key: "routine \(number)", isUrgent: false) }
    for number in 10..<16 { queue.push(number, key: "urgent \(number)", isUrgent: true) }
    #expect(drain(&queue) == [10, 11, 12, 0, 13, 14, 15, 1, 2, 3])
  }

  @Test func `keeps the order of one key`() {
    var queue = TurnQueue<String, Int>()
    #expect(queue.pop() == nil)
    for number in 1...3 { queue.push(number, key: "one", isUrgent: number == 3) }
    #expect(drain(&queue) == [3, 1, 2])
  }

  @Test func `lets urgent items share a place, so that none of them waits for another one's turn`() {
    var queue = TurnQueue<String, Int>()
    for number in 0..<2 { queue.push(number, key: "routine \(number)", isUrgent: false) }
    for number in 10..<20 { queue.push(number, key: "urgent \(number)", isUrgent: true) }
    #expect(queue.pop() == 10)
    #expect((0..<6).map { _ in queue.popToShare { _ in true } } == [11, 12, 13, 14, 15, 16])
    #expect(queue.popToShare { $0 != 17 } == nil, "it has to have a place of its own")
    #expect([queue.pop(), queue.pop(), queue.pop()] == [17, 18, 0], "the fourth place is for another one")
    #expect((0..<3).map { _ in queue.popToShare { _ in true } } == [19, 1, nil])
    #expect(queue.count == 0)
  }
}

@Suite struct `A queue between threads` {
  @Test func `accepts items up to its limit, urgent ones beyond it, and accepted ones always`() {
    let queue = WorkQueue<String, Int>(limit: 2, urgentLimit: 3)
    #expect(queue.push(1, key: "a", isUrgent: false))
    #expect(queue.push(2, key: "a", isUrgent: false))
    #expect(!queue.push(3, key: "a", isUrgent: false))
    #expect(queue.push(4, key: "a", isUrgent: true))
    #expect(!queue.push(5, key: "a", isUrgent: true))
    queue.pushBack(6, key: "a", isUrgent: false)
    #expect(queue.nextToShare { $0 != 4 } == nil)
    #expect((0..<4).map { _ in queue.nextToShare { _ in true } } == [4, 1, 2, 6])
  }

  @Test func `returns the remaining items after it was closed, and then nothing`() {
    let queue = WorkQueue<String, Int>(limit: 9, urgentLimit: 9)
    #expect(queue.push(1, key: "a", isUrgent: false))
    queue.close()
    #expect(!queue.push(2, key: "a", isUrgent: false))
    #expect(queue.waitForNext() == 1)
    #expect(queue.waitForNext() == nil)
  }
}
