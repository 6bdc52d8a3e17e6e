import Simulator

/// `disks [--cuts N] [--compound N] [--seed S] [--store device|server|both] [--control] [--only KIND:FIRST[..LAST]]`
struct DisksOptions {
  enum Store: String, CaseIterable {
    case device, server
  }

  struct Wrong: Error {
    let sentence: String

    init(_ sentence: String) { self.sentence = sentence }
  }

  /// In all, over the stores.
  var cuts = 50_000
  var compound = 10_000
  var seed: UInt64 = 1
  var stores = Store.allCases
  var isControl = false
  /// One trial, to repeat it, or a share of those of one kind.
  var only: (kind: DiskTrialKind, numbers: ClosedRange<Int>)?

  init(_ arguments: [String]) throws(Wrong) {
    var rest = arguments[...]
    while let option = rest.popFirst() {
      switch option {
      case "--cuts": cuts = try Self.number(rest.popFirst(), option)
      case "--compound": compound = try Self.number(rest.popFirst(), option)
      case "--seed": seed = UInt64(try Self.number(rest.popFirst(), option))
      case "--store": stores = try Self.stores(rest.popFirst())
      case "--control": isControl = true
      case "--only": only = try Self.only(rest.popFirst())
      default: throw Wrong("disks knows no option \(option): --cuts, --compound, --seed, --store, --control, --only")
      }
    }
    if only != nil && stores.count > 1 { throw Wrong("--only needs --store device or --store server") }
  }

  private static func number(_ text: String?, _ option: String) throws(Wrong) -> Int {
    guard let text, let number = Int(text), number >= 0 else { throw Wrong("\(option) needs a number from 0 on") }
    return number
  }

  private static func stores(_ text: String?) throws(Wrong) -> [Store] {
    if text == "both" { return Store.allCases }
    guard let store = text.flatMap(Store.init(rawValue:)) else { throw Wrong("--store is device, server or both") }
    return [store]
  }

  private static func only(_ text: String?) throws(Wrong) -> (kind: DiskTrialKind, numbers: ClosedRange<Int>) {
    let parts = (text ?? "").split(separator: ":")
    guard parts.count == 2, let kind = DiskTrialKind(rawValue: String(parts[0])), let numbers = range(parts[1])
    else { throw Wrong("--only needs a kind and a number, as in cut:17, or numbers, as in cut:0..99") }
    return (kind, numbers)
  }

  /// `17`, or `0..99`.
  private static func range(_ text: Substring) -> ClosedRange<Int>? {
    let ends = text.split(separator: "..", omittingEmptySubsequences: false).map { Int($0) }
    guard (1...2).contains(ends.count), let first = ends[0], let last = ends[ends.count - 1], 0 <= first, first <= last
    else { return nil }
    return first...last
  }
}
