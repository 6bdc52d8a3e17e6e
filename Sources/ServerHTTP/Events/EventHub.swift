import Model
import Synchronization
import Wire

/// The open event streams, by account.
final class EventHub: Sendable {
  private struct State {
    var streams: [AccountID: [EventStream]] = [:]
    var count = 0
    var isClosed = false
  }

  private let state = Mutex(State())
  private let maximumPerAccount: Int
  private let maximumTotal: Int
  private let lifetimeMilliseconds: Int64
  /// Written to when the last stream of a closed hub has gone.
  private let emptied: WakePipe

  init(_ settings: HTTPSettings) throws(ServerError) {
    guard let emptied = WakePipe() else { throw ServerError(.cannotStart, "no descriptor is left for the server") }
    self.emptied = emptied
    maximumPerAccount = settings.maximumStreamsPerAccount
    // A quarter of the connections stays free for requests, however many streams are open.
    maximumTotal = settings.maximumConnections * 3 / 4
    lifetimeMilliseconds = settings.streamLifetimeMilliseconds
  }

  /// Takes a stream in. An account that has its fill loses its oldest one: most likely a device that came back on a new
  /// connection. False where the server has its fill, or is stopping.
  func add(_ stream: EventStream) -> Bool {
    let (isTaken, oldest) = state.withLock { state -> (Bool, EventStream?) in
      guard !state.isClosed, state.count < maximumTotal else { return (false, nil) }
      let others = state.streams[stream.account] ?? []
      state.streams[stream.account] = others + [stream]
      state.count += 1
      stream.setSpread(milliseconds: StreamSpread.milliseconds(openStreams: state.count))
      return (true, others.count >= maximumPerAccount ? others.first : nil)
    }
    oldest?.end()
    return isTaken
  }

  /// Lets a stream go, whether it had been taken in or not. Its connection is not touched afterwards.
  func remove(_ stream: EventStream) {
    stream.detach()
    let isLast = state.withLock { state in
      guard var streams = state.streams[stream.account], let index = streams.firstIndex(where: { $0 === stream })
      else { return false }
      streams.remove(at: index)
      state.streams[stream.account] = streams.isEmpty ? nil : streams
      state.count -= 1
      return state.isClosed && state.count == 0
    }
    if isLast { emptied.wakeUp() }
  }

  var isEmpty: Bool { state.withLock { $0.count == 0 } }

  /// Tells every stream of these accounts that something changed.
  func wake(_ accounts: [AccountID]) {
    guard !accounts.isEmpty else { return }
    let streams = state.withLock { state in accounts.flatMap { state.streams[$0] ?? [] } }
    for stream in streams { stream.change() }
  }

  func heartbeat(at now: Int64) {
    let streams = state.withLock { state in state.streams.values.flatMap { $0 } }
    let spread = StreamSpread.milliseconds(openStreams: streams.count)
    for stream in streams {
      stream.heartbeat(at: now, lifetime: lifetimeMilliseconds, spreadMilliseconds: spread)
    }
  }

  /// Takes no more streams, ends those that there are, and waits a moment for their clients to see the end.
  func close() {
    let streams = state.withLock { state in
      state.isClosed = true
      return state.streams.values.flatMap { $0 }
    }
    guard !streams.isEmpty else { return }
    for stream in streams { stream.end() }
    _ = emptied.wait(timeoutMilliseconds: 300)
  }
}
