#if !PLANTED_BUGS
  /// What stands in for the bugs in a release: nothing. Whatever a hook asks for, it is not planted, and the compiler takes the
  /// hook out; neither the bugs nor their names are in such a build.
  ///
  /// Public, as only what is public is inlined into other modules. No product has this module.
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

    /// Runs `body`; this build has no hooks.
    package static func plant<Result>(_ bug: PlantedBug?, _ body: () throws -> Result) rethrows -> Result {
      try body()
    }
  }
#endif
