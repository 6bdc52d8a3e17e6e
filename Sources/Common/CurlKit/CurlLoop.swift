import CCurl
import Glibc
import SystemKit

/// Runs many requests concurrently on one thread with reused connections (libcurl's multi interface).
///
/// One thread owns a loop and makes all calls; only `waker` may be used from other threads. Nothing runs in the background:
/// requests progress inside `poll`. The process should ignore SIGPIPE, as our executables do at startup.
///
/// ```swift
/// let loop = try CurlLoop()
/// let id = try loop.start(CurlRequest(url: "https://example.org/", addressPolicy: .publicOnly))
/// while true {
///   for event in try loop.poll().events { … }
/// }
/// ```
package final class CurlLoop {
  package struct Options: Sendable {
    /// Further requests wait their turn; 0 means no limit.
    package var maximumConnectionsPerHost = 0
    /// The number of idle connections kept for later requests.
    package var maximumIdleConnections = 8
    /// For slow paths: cancelled or closed connections drop their unsent bytes at once (a reset instead of a clean close), little
    /// is buffered in the kernel, and names are resolved for each new connection.
    package var isForSlowPaths = false
    /// How long a resolved name is kept; nil means libcurl's minute. libcurl looks at all that it keeps for each request.
    package var nameCacheSeconds: Int?
    /// The monotonic clock, in milliseconds, that measures silence.
    package var monotonicMilliseconds: @Sendable () -> Int64

    package init(monotonicMilliseconds: (@Sendable () -> Int64)? = nil) {
      self.monotonicMilliseconds = monotonicMilliseconds ?? { KernelClock.boot.milliseconds() }
    }
  }

  /// The result of one `poll`.
  package struct PollResult: Sendable {
    package var events: [CurlEvent]
    /// The watched descriptors that are readable or have failed.
    package var readable: [Int32]
  }

  /// Wakes the loop from any thread. Safe after the loop is gone.
  package let waker: CurlWaker

  private let options: Options
  private let multi: UnsafeMutableRawPointer
  private let sockets: SocketTable
  private var transfers: [UnsafeMutableRawPointer: Transfer] = [:]
  private var handles: [CurlRequestID: UnsafeMutableRawPointer] = [:]
  /// The transfers that are streams or mails, or have a silence timeout, in start order.
  private var watched: [Transfer] = []
  private var lastNumber: UInt64 = 0
  private var hasUnrestrictedConnections = false

  /// Throws `unavailable` if libcurl cannot be loaded.
  package init(options: Options = Options()) throws(CurlError) {
    try CurlLibrary.load()
    guard let multi = lifesignal_curl_multi_init() else {
      throw CurlError(.internalError, "libcurl cannot make a loop")
    }
    self.multi = multi
    self.options = options
    sockets = SocketTable(isForSlowPaths: options.isForSlowPaths)
    waker = CurlWaker(multi: multi)
    try set(CURLMOPT_MAX_HOST_CONNECTIONS, options.maximumConnectionsPerHost)
    try set(CURLMOPT_MAXCONNECTS, max(1, options.maximumIdleConnections))
  }

  deinit {
    waker.invalidate()
    for easy in transfers.keys { _ = lifesignal_curl_multi_remove(multi, easy) }
    transfers = [:]
    watched = []
    // Closes the connections through the socket table.
    lifesignal_curl_multi_cleanup(multi)
  }

  /// The number of requests in flight.
  package var activeCount: Int { transfers.count }

  /// Adds a request, which starts with the next `poll`. Throws `invalidURL` or `invalidRequest` if it is not allowed.
  package func start(_ request: CurlRequest) throws(CurlError) -> CurlRequestID {
    let target =
      if let mail = request.mail { try Target(mailURL: request.url, mail) } else {
        try Target(url: request.url, policy: request.addressPolicy)
      }
    lastNumber += 1
    let transfer = try Transfer(
      id: CurlRequestID(number: lastNumber), request: request, target: target, sockets: sockets,
      monotonicMilliseconds: options.monotonicMilliseconds)
    try transfer.configure()
    if let seconds = options.nameCacheSeconds { try transfer.keepNames(seconds: seconds) }
    if options.isForSlowPaths { try transfer.configureForSlowPaths() }
    // A restricted request must not reuse a connection that another request opened to a private address.
    let isRestricted = target.addresses != .any
    if !isRestricted { hasUnrestrictedConnections = true }
    if request.needsFreshConnection || isRestricted && hasUnrestrictedConnections {
      try transfer.demandFreshConnection()
    }
    try CurlLibrary.check(lifesignal_curl_multi_add(multi, transfer.easy))
    transfers[transfer.easy] = transfer
    handles[transfer.id] = transfer.easy
    if request.isStream || request.silenceTimeoutMilliseconds != nil || request.mail != nil { watched.append(transfer) }
    return transfer.id
  }

  /// Cancels a request without an event. Unknown ids and ended requests are ignored.
  package func cancel(_ id: CurlRequestID) {
    guard let easy = handles[id] else { return }
    _ = remove(easy)
  }

  /// Waits for an event, a readable descriptor, the timeout (nil: forever) or a wake-up. May return nothing. Blocks in one
  /// system call.
  package func poll(timeoutMilliseconds: Int? = nil, watching descriptors: [Int32] = []) throws(CurlError) -> PollResult
  {
    var events = try advance()
    var waits = descriptors.map { curl_waitfd(fd: $0, events: Int16(CURL_WAIT_POLLIN), revents: 0) }
    waits += watched.compactMap(\.wait)
    let timeout = events.isEmpty ? boundedTimeout(timeoutMilliseconds) : 0
    try CurlLibrary.check(
      waits.withUnsafeMutableBufferPointer {
        lifesignal_curl_multi_poll(multi, $0.baseAddress, UInt32($0.count), timeout)
      })
    events += try advance()
    return PollResult(events: events, readable: waits.prefix(descriptors.count).filter { $0.revents != 0 }.map(\.fd))
  }

  /// Hands a request to the network without receiving: returns when its last byte is written, or after some milliseconds. For a caller that is
  /// about to be busy. What ends meanwhile is reported by the next `poll`.
  package func flush(_ id: CurlRequestID) throws(CurlError) {
    guard let easy = handles[id], let transfer = transfers[easy] else { return }
    let end = options.monotonicMilliseconds() + Self.flushMilliseconds
    while true {
      try CurlLibrary.check(lifesignal_curl_multi_perform(multi))
      let written = lifesignal_curl_get_offset(easy, CURLINFO_SIZE_UPLOAD_T)
      guard written < transfer.request.body.count, options.monotonicMilliseconds() < end else { return }
      try CurlLibrary.check(lifesignal_curl_multi_poll(multi, nil, 0, 1))
    }
  }

  private static let flushMilliseconds: Int64 = 5

  /// Closes idle connections, which may be dead after a network change.
  package func dropIdleConnections() {
    sockets.shutDownIdle(keeping: transfers.values)
  }

  /// Milliseconds since the peer of a request last sent or acknowledged a byte at any layer; nil if never on the request's
  /// connection, or if unknown.
  package func millisecondsSinceHeard(of id: CurlRequestID) -> Int64? {
    guard let easy = handles[id], let transfer = transfers[easy] else { return nil }
    return sockets.millisecondsSinceHeard(of: transfer)
  }

  /// The addresses of recently opened connections, newest last.
  package var recentPeers: [PeerAddress] { sockets.recentPeers }

  /// Advances every transfer without blocking.
  private func advance() throws(CurlError) -> [CurlEvent] {
    try CurlLibrary.check(lifesignal_curl_multi_perform(multi))
    var events = watched.flatMap { $0.takeStreamEvents() }
    var result = CURLE_OK
    while let easy = lifesignal_curl_multi_next_finished(multi, &result) {
      guard let transfer = transfers[easy] else { continue }
      guard let event = transfer.conclusion(result) else { continue }
      _ = remove(easy)
      events.append(event)
    }
    return events + advanceMails() + endSilentTransfers()
  }

  private func advanceMails() -> [CurlEvent] {
    watched.filter { $0.dialog != nil }.compactMap { transfer in
      let event = transfer.talk()
      if event != nil { _ = remove(transfer.easy) }
      return event
    }
  }

  private func endSilentTransfers() -> [CurlEvent] {
    guard watched.contains(where: { $0.deadlineMilliseconds != nil }) else { return [] }
    let now = options.monotonicMilliseconds()
    let silent = watched.filter { ($0.deadlineMilliseconds ?? .max) <= now }
    for transfer in silent { _ = remove(transfer.easy) }
    return silent.map { $0.breakOff(.silence) }
  }

  private func remove(_ easy: UnsafeMutableRawPointer) -> Transfer? {
    guard let transfer = transfers.removeValue(forKey: easy) else { return nil }
    handles[transfer.id] = nil
    watched.removeAll { $0 === transfer }
    _ = lifesignal_curl_multi_remove(multi, easy)
    return transfer
  }

  /// The shorter of the caller's timeout and the next silence deadline; -1 means forever.
  private func boundedTimeout(_ milliseconds: Int?) -> Int32 {
    let deadline = watched.compactMap(\.deadlineMilliseconds).min()
    let silence = deadline.map { Int(max(0, $0 - options.monotonicMilliseconds())) }
    guard let timeout = [milliseconds, silence].compactMap(\.self).min() else { return -1 }
    return Int32(clamping: max(0, timeout))
  }

  private func set(_ option: CURLMoption, _ value: Int) throws(CurlError) {
    try CurlLibrary.check(lifesignal_curl_multi_set_long(multi, option, value))
  }
}
