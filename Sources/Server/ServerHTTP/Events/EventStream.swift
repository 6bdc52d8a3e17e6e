import CMicroHTTPD
import Glibc
import Model
import ServerCore
import SystemKit
import Wire

/// One open event stream. Events do not pile up for a slow client: one `change` stands for all.
final class EventStream: Sendable {
  let account: AccountID
  let holder: StreamHolder
  /// A heartbeat is due after so many ticks without a word.
  private let ticksPerHeartbeat: Int
  private let openedAt: Int64

  private struct State {
    /// libmicrohttpd's connection, until the answer is completed.
    nonisolated(unsafe) var connection: OpaquePointer?
    var descriptor: Int32
    var outbox: ArraySlice<UInt8> = []
    var hasChange = false
    var hasHeartbeat = true
    /// Ticks since the client last took something.
    var ticks = 0
    /// Told with every heartbeat.
    var spreadMilliseconds = StreamSpread.shortestMilliseconds
    /// Heartbeats since the client last took one.
    var heartbeatsWaiting = 0
    var isSuspended = false
    var isEnded = false
  }

  private let state: Lock<State>

  init(
    account: AccountID, holder: StreamHolder, ticksPerHeartbeat: Int = 1, connection: OpaquePointer,
    descriptor: Int32, at now: Int64
  ) {
    self.account = account
    self.holder = holder
    self.ticksPerHeartbeat = ticksPerHeartbeat
    openedAt = now
    state = Lock(State(connection: connection, descriptor: descriptor))
  }

  /// Tells the client that something changed.
  func change() {
    state.withLock { state in
      state.hasChange = true
      Self.resume(&state)
    }
  }

  /// The time over which clients spread their reconnects if the server breaks all streams.
  func setSpread(milliseconds: Int64) {
    state.withLock { $0.spreadMilliseconds = milliseconds }
  }

  /// Shows each side that the other is alive, if that is due, or if the client was told to return much sooner than is right by now. A client
  /// that left, or did not read the last heartbeat until now, is disconnected. A stream older than `lifetime` milliseconds ends, to be
  /// reopened soon.
  func tick(at now: Int64, lifetime: Int64, spreadMilliseconds: Int64) {
    state.withLock { state in
      state.ticks += 1
      let isOld = now - openedAt >= lifetime
      let isSpreadOld = spreadMilliseconds >= 2 * state.spreadMilliseconds
      let hasLeft = ticksPerHeartbeat > 1 && state.connection != nil && Self.hasLeft(state.descriptor)
      guard isOld || isSpreadOld || hasLeft || state.ticks >= ticksPerHeartbeat else { return }
      if isOld { state.isEnded = true }
      state.spreadMilliseconds = isOld ? StreamSpread.renewalMilliseconds : spreadMilliseconds
      if state.heartbeatsWaiting > 0 || hasLeft, state.connection != nil {
        shutdown(state.descriptor, Int32(SHUT_RDWR))
      }
      state.hasHeartbeat = true
      state.heartbeatsWaiting += 1
      Self.resume(&state)
    }
  }

  /// POLLRDHUP of poll(2), which the module of the C library does not show.
  private static let peerClosed: Int16 = 0x2000

  /// Whether the client has closed its end. With frequent heartbeats the next one tells.
  private static func hasLeft(_ descriptor: Int32) -> Bool {
    var entry = pollfd(fd: descriptor, events: peerClosed, revents: 0)
    return poll(&entry, 1, 0) > 0
  }

  var isEnded: Bool { state.withLock { $0.isEnded } }

  /// Counts as ended from now on; `end` tells the client.
  func markEnded() {
    state.withLock { $0.isEnded = true }
  }

  /// Ends the stream as soon as the client has read what is buffered.
  func end() {
    state.withLock { state in
      state.isEnded = true
      Self.resume(&state)
    }
  }

  /// The connection is closing: it must not be used any more.
  func detach() {
    state.withLock { $0.connection = nil }
  }

  /// Copies the next bytes into `buffer`. If there are none, suspends the connection and returns 0; -1 ends the stream.
  func read(into buffer: UnsafeMutablePointer<CChar>, maximum: Int) -> Int {
    state.withLock { state in
      if state.outbox.isEmpty { Self.fill(&state) }
      guard state.outbox.isEmpty else { return Self.take(&state.outbox, into: buffer, maximum: maximum) }
      guard !state.isEnded, let connection = state.connection else { return -1 }
      state.isSuspended = true
      MHD_suspend_connection(connection)
      return 0
    }
  }

  private static func fill(_ state: inout State) {
    if state.hasChange {
      state.hasChange = false
      state.heartbeatsWaiting = 0
      state.ticks = 0
      state.outbox = Array(StreamEvent.change.text.utf8)[...]
    } else if state.hasHeartbeat {
      state.hasHeartbeat = false
      state.heartbeatsWaiting = 0
      state.ticks = 0
      let text = StreamSpread.text(milliseconds: state.spreadMilliseconds) + StreamEvent.heartbeat.text
      state.outbox = Array(text.utf8)[...]
    }
  }

  private static func take(
    _ outbox: inout ArraySlice<UInt8>, into buffer: UnsafeMutablePointer<CChar>, maximum: Int
  ) -> Int {
    let part = outbox.prefix(maximum)
    part.withUnsafeBytes {
      UnsafeMutableRawPointer(buffer).copyMemory(from: $0.baseAddress ?? UnsafeRawPointer(buffer), byteCount: $0.count)
    }
    outbox = outbox.dropFirst(part.count)
    return part.count
  }

  private static func resume(_ state: inout State) {
    guard state.isSuspended, let connection = state.connection else { return }
    state.isSuspended = false
    MHD_resume_connection(connection)
  }
}
