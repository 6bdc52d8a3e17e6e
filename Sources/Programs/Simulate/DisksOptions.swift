import Arguments
import Simulator

/// The options of `disks`.
struct DisksOptions {
  enum Store: String, CaseIterable {
    case device, server
  }

  /// The total over all stores.
  var cuts = 50_000
  var compound = 10_000
  var seed: UInt64 = 1
  var stores = Store.allCases
  var isControl = false
  /// One trial to repeat, or a range of trials of one kind.
  var only: (kind: DiskTrialKind, numbers: ClosedRange<Int>)?

  init(_ invocation: Invocation) throws(UsageError) {
    cuts = try invocation.read("cuts", "a number from 0 on", Self.number) ?? cuts
    compound = try invocation.read("compound", "a number from 0 on", Self.number) ?? compound
    seed = UInt64(try invocation.read("seed", "a number from 0 on", Self.number) ?? 1)
    stores = try invocation.read("store", "device, server or both", Self.stores) ?? stores
    only = try invocation.read("only", "a kind and numbers, as in cut:17 or cut:0..99", Self.only)
    isControl = invocation.has("control")
    if only != nil && stores.count > 1 {
      throw UsageError(message: "--only needs --store device or --store server", path: invocation.path)
    }
  }

  private static func number(_ text: String) -> Int? {
    Int(text).flatMap { $0 >= 0 ? $0 : nil }
  }

  private static func stores(_ text: String) -> [Store]? {
    text == "both" ? Store.allCases : Store(rawValue: text).map { [$0] }
  }

  private static func only(_ text: String) -> (kind: DiskTrialKind, numbers: ClosedRange<Int>)? {
    let parts = text.split(separator: ":")
    guard parts.count == 2, let kind = DiskTrialKind(rawValue: String(parts[0])), let numbers = range(parts[1])
    else { return nil }
    return (kind, numbers)
  }

  /// `17` or `0..99`.
  private static func range(_ text: Substring) -> ClosedRange<Int>? {
    let ends = text.split(separator: "..", omittingEmptySubsequences: false).map { Int($0) }
    guard (1...2).contains(ends.count), let first = ends[0], let last = ends[ends.count - 1], 0 <= first, first <= last
    else { return nil }
    return first...last
  }
}
