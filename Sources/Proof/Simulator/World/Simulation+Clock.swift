extension Simulation {
  /// `00:01:02.345`
  package static func clock(_ milliseconds: Int64) -> String { World.clock(milliseconds) }
}
