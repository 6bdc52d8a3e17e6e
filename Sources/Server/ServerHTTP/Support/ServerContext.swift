import ServerCore

/// What each part of the running server works with.
struct ServerContext: Sendable {
  var core: ServerCore
  var store: any ServerStore
  /// Reads the clock and fresh entropy, from any thread.
  var moment: @Sendable () -> ServerMoment
  var hub: EventHub
  var log: ServerLog
}
