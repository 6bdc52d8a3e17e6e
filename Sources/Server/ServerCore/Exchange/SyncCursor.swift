/// A device's position in an account's log: `v1.<epoch>.<sequence>.<tag>`, opaque to the device.
struct SyncCursor: Equatable {
  var epoch: String
  /// 0 is the start.
  var sequence: Int64
  /// Of the change at `sequence`; 0 with sequence 0.
  var tag: UInt64

  init(epoch: String, sequence: Int64, tag: UInt64) {
    self.epoch = epoch
    self.sequence = sequence
    self.tag = tag
  }

  /// Nil for text that is no cursor: its holder is served from the start.
  init?(_ text: String) {
    guard text.utf8.count <= 200 else { return nil }
    let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map { Substring($0) }
    guard parts.count == 4, parts[0] == "v1", !parts[1].isEmpty,
      let sequence = Int64(parts[2]), sequence >= 0, let tag = UInt64(parts[3], radix: 16)
    else { return nil }
    self.init(epoch: String(parts[1]), sequence: sequence, tag: tag)
  }

  var text: String { "v1.\(epoch).\(sequence).\(String(tag, radix: 16))" }
}
