#if !PLANTED_BUGS
  /// Replaces the bugs in a release. No bug is ever planted, so the compiler removes the hooks: neither the bugs nor their names
  /// are in such a build.
  ///
  /// Public because only public code is inlined into other modules. No product exports this module.
  @dynamicMemberLookup
  @frozen
  public enum PlantedBug: Sendable {
    case none

    @inlinable
    @inline(__always)
    public static subscript(dynamicMember name: StaticString) -> PlantedBug { .none }

    @inlinable
    @inline(__always)
    public var isPlanted: Bool { false }
  }

  extension PlantedBug {
    /// Whether this build has the hooks.
    package static let isCompiledIn = false
    package static var allCases: [PlantedBug] { [] }

    package init?(rawValue: String) { return nil }
    package var rawValue: String { "" }

    /// Runs `body`. This build has no hooks.
    package static func plant<Result>(_ bug: PlantedBug?, _ body: () throws -> Result) rethrows -> Result {
      try body()
    }
  }
#endif
