/// A mistake that real systems made, put into the engine on purpose to see that the simulator finds it.
///
/// The hooks are in the engine's code, and are compiled in only where `PLANTED_BUGS` is defined: in debug builds, and in others
/// that were built with `LIFESIGNAL_PLANTED_BUGS=1` in the environment. Anywhere else `isPlanted` is the constant false.
package enum PlantedBug: String, CaseIterable, Sendable {
  /// Commits are not synced: the write-ahead log runs with `synchronous=NORMAL`.
  case walWithNormal = "wal-with-normal"
}

#if PLANTED_BUGS
  extension PlantedBug {
    /// Whether this build has the hooks.
    package static let isCompiledIn = true

    @TaskLocal package static var current: PlantedBug?

    package var isPlanted: Bool { Self.current == self }

    /// Runs `body` with the bug in the engine, on this thread.
    package static func plant<Result>(_ bug: PlantedBug?, _ body: () throws -> Result) rethrows -> Result {
      try $current.withValue(bug, operation: body)
    }
  }
#else
  extension PlantedBug {
    /// Whether this build has the hooks.
    package static let isCompiledIn = false

    @inline(__always) package var isPlanted: Bool { false }

    /// Runs `body`; this build has no hooks.
    package static func plant<Result>(_ bug: PlantedBug?, _ body: () throws -> Result) rethrows -> Result {
      try body()
    }
  }
#endif
