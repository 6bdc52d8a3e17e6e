import Collections
import TestSupport
import Testing

@Suite struct `A heap` {
  @Test(arguments: 0..<50) func `returns its elements in order`(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let numbers = (0..<Int(seed) * 7).map { _ in Int.random(in: 0..<100, using: &random) }
    var heap = Heap<Int>()
    for number in numbers { heap.insert(number) }
    #expect(heap.count == numbers.count && heap.first == numbers.min())
    var given: [Int] = []
    while let number = heap.popFirst() { given.append(number) }
    #expect(given == numbers.sorted())
    #expect(heap.isEmpty)
  }
}

@Suite struct `A ring` {
  @Test func `returns each element in turn, and none twice`() {
    var ring = Ring<String>()
    for name in ["a", "b", "a", "c"] { ring.insert(name) }
    #expect(ring.count == 3)
    #expect(ring.popFirst() == "a")
    ring.insert("a")
    #expect([ring.popFirst(), ring.popFirst(), ring.popFirst(), ring.popFirst()] == ["b", "c", "a", nil])
  }
}
