import Model
import ServerCore
import SystemKit
import Wire

/// The open event streams, by account.
final class EventHub: Sendable {
  private struct State {
    var streams: [AccountID: [EventStream]] = [:]
    var count = 0
    var pageCount = 0
    /// Recently ended sessions, with the time: a request admitted before may still open a stream.
    var ended: [SessionID: Int64] = [:]
    var isClosed = false
  }

  enum Admission: Sendable, Hashable {
    case taken
    /// The server is at its limit, or is stopping.
    case full
    /// The session ended while the request was under way.
    case sessionEnded
  }

  /// How long an ended session is remembered. A request is answered within milliseconds of its admission.
  private static let endedMilliseconds: Int64 = 60_000

  private let state = Lock(State())
  private let maximumPerAccount: Int
  private let maximumPerPage: Int
  private let maximumPagesPerAccount: Int
  private let maximumTotal: Int
  private let maximumPages: Int
  private let lifetimeMilliseconds: Int64
  /// Written to when the last stream of a closed hub has gone.
  private let emptied: WakePipe

  init(_ settings: HTTPSettings) throws(ServerError) {
    guard let emptied = WakePipe() else { throw ServerError(.cannotStart, "no descriptor is left for the server") }
    self.emptied = emptied
    maximumPerAccount = settings.maximumStreamsPerAccount
    maximumPerPage = settings.maximumStreamsPerPage
    maximumPagesPerAccount = settings.maximumPageStreamsPerAccount
    // A quarter of the connections is kept for requests.
    maximumTotal = settings.maximumConnections * 3 / 4
    maximumPages = settings.maximumPageStreams ?? maximumTotal / 2
    lifetimeMilliseconds = settings.streamLifetimeMilliseconds
  }

  /// Adds a stream. An account's devices at their limit lose the oldest one, most likely a device that came back on a new connection, and so
  /// does a page. Beyond the limits for all pages a page gets no stream, and asks again instead. Streams that have ended do not count, even
  /// while their connections are still closing.
  func add(_ stream: EventStream, at now: Int64) -> Admission {
    let (admission, oldest) = state.withLock { state -> (Admission, EventStream?) in
      if case .session(let session) = stream.holder, let ended = state.ended[session],
        now - ended < Self.endedMilliseconds
      {
        return (.sessionEnded, nil)
      }
      guard !state.isClosed, state.count < maximumTotal else { return (.full, nil) }
      let others = state.streams[stream.account] ?? []
      if stream.isOfPage, !hasRoom(for: stream, beside: others, state) { return (.full, nil) }
      state.streams[stream.account] = others + [stream]
      state.count += 1
      stream.setSpread(milliseconds: StreamSpread.milliseconds(openStreams: state.count))
      if stream.isOfPage { state.pageCount += 1 }
      let live = others.filter { !$0.isEnded && $0.sharesLimit(with: stream) }
      let oldest = live.count >= (stream.isOfPage ? maximumPerPage : maximumPerAccount) ? live.first : nil
      // Under the lock, so that a concurrent call does not choose the same one.
      oldest?.markEnded()
      return (.taken, oldest)
    }
    oldest?.end()
    return admission
  }

  /// Pages cannot push out devices: some of the room is left for these.
  private func hasRoom(for page: EventStream, beside others: [EventStream], _ state: State) -> Bool {
    let live = others.filter { !$0.isEnded && $0.isOfPage }
    return state.pageCount < maximumPages
      && live.count(where: { $0.holder != page.holder }) < maximumPagesPerAccount
  }

  /// Removes a stream, whether it was added or not. Its connection is not used afterwards.
  func remove(_ stream: EventStream) {
    stream.detach()
    let isLast = state.withLock { state in
      guard var streams = state.streams[stream.account], let index = streams.firstIndex(where: { $0 === stream })
      else { return false }
      streams.remove(at: index)
      state.streams[stream.account] = streams.isEmpty ? nil : streams
      state.count -= 1
      if stream.isOfPage { state.pageCount -= 1 }
      return state.isClosed && state.count == 0
    }
    if isLast { emptied.wakeUp() }
  }

  /// The open streams.
  var counts: (devices: Int, pages: Int) { state.withLock { ($0.count - $0.pageCount, $0.pageCount) } }

  var isEmpty: Bool { state.withLock { $0.count == 0 } }

  /// Tells every stream of these accounts that something changed.
  func wake(_ accounts: [AccountID]) {
    guard !accounts.isEmpty else { return }
    let streams = state.withLock { state in accounts.flatMap { state.streams[$0] ?? [] } }
    for stream in streams { stream.change() }
  }

  /// Ends the streams of these sessions, and refuses those that a request under way would open.
  func end(_ sessions: [SessionID], at now: Int64) {
    guard !sessions.isEmpty else { return }
    let streams = state.withLock { state in
      state.ended = state.ended.filter { now - $0.value < Self.endedMilliseconds }
      for session in sessions { state.ended[session] = now }
      return state.streams.values.flatMap { $0 }.filter { stream in
        if case .session(let session) = stream.holder { sessions.contains(session) } else { false }
      }
    }
    for stream in streams { stream.end() }
  }

  /// Every 25 s: sends the heartbeats that are due.
  func tick(at now: Int64) {
    let streams = state.withLock { state in state.streams.values.flatMap { $0 } }
    let spread = StreamSpread.milliseconds(openStreams: streams.count)
    for stream in streams {
      stream.tick(at: now, lifetime: lifetimeMilliseconds, spreadMilliseconds: spread)
    }
  }

  /// Refuses new streams, ends the open ones, and waits a moment for their clients to see the end.
  func close() {
    let streams = state.withLock { state in
      state.isClosed = true
      return state.streams.values.flatMap { $0 }
    }
    guard !streams.isEmpty else { return }
    for stream in streams { stream.end() }
    _ = emptied.wait(until: Deadline(millisecondsFromNow: 300))
  }
}

extension EventStream {
  fileprivate func sharesLimit(with other: EventStream) -> Bool {
    isOfPage ? other.holder == holder : !other.isOfPage
  }

  fileprivate var isOfPage: Bool {
    if case .page = holder { true } else { false }
  }
}
