public import FoundationEssentials
import Synchronization

/// Makes identifiers; a test can choose which.
///
/// ```swift
/// @Dependency(\.uuid) var uuid
/// let id = uuid()
/// ```
public struct UUIDGenerator: Sendable {
  private let generate: @Sendable () -> UUID

  /// Makes a generator that calls `generate`.
  public init(_ generate: @escaping @Sendable () -> UUID) {
    self.generate = generate
  }

  /// Makes the next identifier.
  public func callAsFunction() -> UUID {
    generate()
  }

  /// Makes a generator that always returns `uuid`.
  public static func constant(_ uuid: UUID) -> UUIDGenerator {
    UUIDGenerator { uuid }
  }

  /// A new generator that counts in hexadecimal: `00000000-0000-0000-0000-000000000000`, `…0001`, and so on.
  public static var incrementing: UUIDGenerator {
    let counter = UUIDCounter()
    return UUIDGenerator { UUID(counting: counter.next()) }
  }
}

private final class UUIDCounter: Sendable {
  private let count = Atomic<UInt64>(0)

  func next() -> UInt64 {
    count.wrappingAdd(1, ordering: .relaxed).oldValue
  }
}

extension UUID {
  /// Makes the identifier whose last eight bytes are `number` and whose other bytes are 0.
  public init(counting number: UInt64) {
    func byte(_ index: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: number >> (8 * (7 - index))) }
    self.init(
      uuid: (0, 0, 0, 0, 0, 0, 0, 0, byte(0), byte(1), byte(2), byte(3), byte(4), byte(5), byte(6), byte(7)))
  }
}

private enum UUIDGeneratorKey: DependencyKey {
  static let liveValue = UUIDGenerator { UUID() }
  static let testValue = UUIDGenerator {
    unimplemented("UUIDGenerator (the dependency 'uuid')", placeholder: UUID(counting: 0))
  }
}

extension DependencyValues {
  /// The source of identifiers. In a test that does not set it, it reports an issue and returns the UUID of zeros.
  public var uuid: UUIDGenerator {
    get { self[UUIDGeneratorKey.self] }
    set { self[UUIDGeneratorKey.self] = newValue }
  }
}
