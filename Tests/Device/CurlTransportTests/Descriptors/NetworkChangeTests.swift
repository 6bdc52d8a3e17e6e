import Testing

@testable import CurlTransport

@Suite struct `Changes of the network` {
  /// A class, since an `#expect` argument may not mutate a value.
  private final class Filter {
    private var filter = NetworkChangeFilter()
    func isChange(_ messages: [UInt8]) -> Bool { filter.isChange(messages) }
  }

  /// A netlink message in the machine's byte order.
  private func message(_ type: UInt16, _ payload: [UInt8]) -> [UInt8] {
    bytes(UInt32(16 + payload.count)) + bytes(type) + bytes(UInt16(0)) + bytes(UInt32(0)) + bytes(UInt32(0)) + payload
      + [UInt8](repeating: 0, count: (4 - payload.count % 4) % 4)
  }

  private func bytes(_ number: some FixedWidthInteger) -> [UInt8] { withUnsafeBytes(of: number) { Array($0) } }

  private func link(_ interface: Int32, flags: UInt32, isNew: Bool = true) -> [UInt8] {
    message(isNew ? 16 : 17, [0, 0, 0, 0] + bytes(interface) + bytes(flags) + bytes(UInt32.max))
  }

  private func address(_ last: UInt8, flags: UInt8 = 0, isNew: Bool = true) -> [UInt8] {
    // The address, then its lifetimes (IFA_CACHEINFO), which differ each time.
    let attributes = bytes(UInt16(8)) + bytes(UInt16(1)) + [10, 0, 0, last]
    let lifetimes = bytes(UInt16(8)) + bytes(UInt16(6)) + [flags, 0, 0, 0]
    return message(isNew ? 20 : 21, [2, 24, flags, 0] + bytes(UInt32(3)) + attributes + lifetimes)
  }

  private func route(destinationBits: UInt8, kind: UInt8 = 1, flags: UInt32 = 0) -> [UInt8] {
    message(24, [2, destinationBits, 0, 0, 254, 3, 0, kind] + bytes(flags))
  }

  @Test func `a link counts when it goes up or down`() {
    let filter = Filter()
    #expect(filter.isChange(link(3, flags: 0x1_0043)))
    #expect(!filter.isChange(link(3, flags: 0x1_0043)))
    #expect(!filter.isChange(link(3, flags: 0x1_1043)), "the multicast flag does not count")
    #expect(filter.isChange(link(3, flags: 0x1003)))
    #expect(filter.isChange(link(3, flags: 0x1003, isNew: false)))
  }

  @Test func `an address counts when it is added or removed, not when its lifetime is renewed`() {
    let filter = Filter()
    #expect(filter.isChange(address(1)))
    #expect(!filter.isChange(address(1, flags: 0x80)))
    #expect(filter.isChange(address(2)))
    #expect(filter.isChange(address(1, isNew: false)))
    #expect(filter.isChange(address(1)))
  }

  @Test func `only default routes count`() {
    let filter = Filter()
    #expect(filter.isChange(route(destinationBits: 0)))
    #expect(!filter.isChange(route(destinationBits: 24)))
    #expect(!filter.isChange(route(destinationBits: 0, kind: 3)))
    #expect(!filter.isChange(route(destinationBits: 0, flags: 0x200)))
  }

  @Test func `several messages in one read are all parsed, and incomplete ones are ignored`() {
    let filter = Filter()
    #expect(filter.isChange(route(destinationBits: 24) + message(3, []) + address(7)))
    let whole = address(8)
    for length in 0..<whole.count { #expect(!filter.isChange(Array(whole.prefix(length)))) }
    #expect(!filter.isChange(bytes(UInt32.max) + [UInt8](repeating: 0xFF, count: 60)))
    #expect(!filter.isChange(message(16, [1]) + message(20, []) + message(24, [0, 0])))
  }

  @Test func `the kernel allows a watch`() throws {
    let watcher = try NetworkWatcher()
    #expect(watcher.number >= 0)
    _ = watcher.drain()
  }
}
