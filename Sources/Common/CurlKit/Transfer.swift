import CCurl

/// One request in flight: its libcurl handle and the received data. Owned by the loop's thread.
final class Transfer {
  let id: CurlRequestID
  let request: CurlRequest
  let target: Target
  let easy: UnsafeMutableRawPointer
  let sockets: SocketTable
  private let monotonicMilliseconds: @Sendable () -> Int64

  // Set by the socket table: the result for the host's addresses.
  var hasRefusedAddress = false
  var openedSockets: Set<Int32> = []

  /// Of a mail, once the connection is set up.
  var dialog: MailDialog?

  private let startMilliseconds: Int64
  private(set) var lastArrivalMilliseconds: Int64
  private var headers: ResponseHeaders
  private var body: [UInt8] = []
  private var overflow: CurlError?
  private var isAnnounced = false

  // libcurl reads this during the transfer.
  let upload: UnsafeMutableBufferPointer<UInt8>
  var headerList: UnsafeMutablePointer<curl_slist>?
  /// A place for the connection of a mail alone.
  var connections: UnsafeMutableRawPointer?
  let errorText: UnsafeMutablePointer<CChar>

  init(
    id: CurlRequestID, request: CurlRequest, target: Target, sockets: SocketTable,
    monotonicMilliseconds: @escaping @Sendable () -> Int64
  ) throws(CurlError) {
    guard let easy = lifesignal_curl_easy_init() else {
      throw CurlError(.internalError, "libcurl cannot begin a request")
    }
    self.id = id
    self.request = request
    self.target = target
    self.easy = easy
    self.sockets = sockets
    self.monotonicMilliseconds = monotonicMilliseconds
    startMilliseconds = monotonicMilliseconds()
    lastArrivalMilliseconds = startMilliseconds
    headers = ResponseHeaders(maximumBytes: request.maximumHeaderBytes)
    // Never empty: without a body libcurl would read from standard input.
    upload = .allocate(capacity: max(1, request.body.count))
    _ = upload.initialize(from: request.body)
    errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
    errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
  }

  deinit {
    lifesignal_curl_easy_cleanup(easy)
    if let connections { lifesignal_curl_share_cleanup(connections) }
    lifesignal_curl_slist_free(headerList)
    upload.deallocate()
    errorText.deallocate()
  }

  var head: CurlResponseHead { headers.head }

  /// Whether this is a stream whose body is delivered as it arrives.
  private var isStreaming: Bool { request.isStream && (200..<300).contains(head.status) }

  /// When the peer has been silent for too long, or a mail takes too long; nil if there is no such limit. libcurl has its own for the rest.
  var deadlineMilliseconds: Int64? {
    if dialog != nil { return request.totalTimeoutMilliseconds.map { startMilliseconds + Int64($0) } }
    return request.silenceTimeoutMilliseconds.map { lastArrivalMilliseconds + Int64($0) }
  }

  /// Called by libcurl for each header line. False stops the transfer.
  func receive(header line: UnsafeRawBufferPointer) -> Bool {
    lastArrivalMilliseconds = monotonicMilliseconds()
    guard !headers.append(line) else { return true }
    overflow = CurlError(.headersTooLarge, "the server's headers are too large")
    return false
  }

  /// Called by libcurl for each piece of the body. False stops the transfer.
  func receive(body bytes: UnsafeRawBufferPointer) -> Bool {
    lastArrivalMilliseconds = monotonicMilliseconds()
    guard isStreaming || body.count + bytes.count <= request.maximumBodyBytes else {
      overflow = CurlError(.bodyTooLarge, "the server's answer is too large")
      return false
    }
    body.append(contentsOf: bytes)
    return true
  }

  /// The stream's events since the last call.
  func takeStreamEvents() -> [CurlEvent] {
    guard isStreaming, isAnnounced || !body.isEmpty || headers.isAtEnd else { return [] }
    var events: [CurlEvent] = []
    if !isAnnounced {
      isAnnounced = true
      events.append(.opened(id, head))
    }
    if !body.isEmpty {
      events.append(.chunk(id, body))
      body = []
    }
    return events
  }

  /// The final event, after libcurl ended the transfer with `result`; nil where a mail goes on.
  func conclusion(_ result: CURLcode) -> CurlEvent? {
    if let overflow { return .failed(id, overflow) }
    if let mail = request.mail { return beginMail(mail, after: result) }
    if let error = CurlError(result, of: self) { return .failed(id, error) }
    return .finished(id, CurlResponse(head: head, body: body))
  }
}
