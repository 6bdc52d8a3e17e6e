import CMicroHTTPD
import ServerCore

/// A response as libmicrohttpd holds it.
struct Answer {
  let status: UInt32
  /// To be destroyed once.
  let response: OpaquePointer

  static let headOfStream = ServerResponse.full(
    FullResponse(status: 200, mediaType: "text/event-stream", body: []))

  /// A whole answer with the headers that every one has. Nil where there is no memory.
  static func of(_ full: FullResponse, isEncrypted: Bool) -> Answer? {
    let response = full.body.withUnsafeBytes { lifesignal_mhd_response($0.baseAddress, $0.count) }
    guard let response else { return nil }
    let answer = Answer(status: UInt32(full.status), response: response)
    if let mediaType = full.mediaType { answer.add("Content-Type", mediaType) }
    for field in full.headers { answer.add(field.name, field.value) }
    answer.addSecurityHeaders(isEncrypted: isEncrypted, given: full.headers)
    return answer
  }

  static func of(_ response: ServerResponse, isEncrypted: Bool) -> Answer? {
    guard case .full(let full) = response else { return nil }
    return of(full, isEncrypted: isEncrypted)
  }

  /// An answer that goes on as long as `stream` does.
  static func of(_ stream: EventStream, isEncrypted: Bool) -> Answer? {
    let context = Unmanaged.passRetained(stream)
    guard let response = lifesignal_mhd_stream(1024, readStream, context.toOpaque(), releaseStream) else {
      context.release()
      return nil
    }
    let answer = Answer(status: 200, response: response)
    answer.add("Content-Type", "text/event-stream")
    // Tells nginx not to hold the events back.
    answer.add("X-Accel-Buffering", "no")
    answer.addSecurityHeaders(isEncrypted: isEncrypted, given: [])
    return answer
  }

  /// Hands it over. False where it came too late.
  func queue(on handle: OpaquePointer) -> Bool {
    defer { MHD_destroy_response(response) }
    return lifesignal_mhd_answer(handle, status, response)
  }

  private func addSecurityHeaders(isEncrypted: Bool, given: [HeaderField]) {
    add("X-Content-Type-Options", "nosniff")
    add("Referrer-Policy", "no-referrer")
    if !given.contains(where: { $0.name == "Cache-Control" }) { add("Cache-Control", "no-store") }
    if !given.contains(where: { $0.name == "Content-Security-Policy" }) {
      add("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
    }
    if isEncrypted { add("Strict-Transport-Security", "max-age=31536000") }
  }

  private func add(_ name: String, _ value: String) {
    // Refused by the library where it holds a line end; the answer then goes without it.
    _ = lifesignal_mhd_add_header(response, name, value)
  }
}

private func readStream(
  _ context: UnsafeMutableRawPointer?, _ position: UInt64, _ buffer: UnsafeMutablePointer<CChar>?, _ maximum: Int
) -> Int {
  guard let context, let buffer else { return -1 }
  return Unmanaged<EventStream>.fromOpaque(context).takeUnretainedValue().read(into: buffer, maximum: maximum)
}

private func releaseStream(_ context: UnsafeMutableRawPointer?) {
  if let context { Unmanaged<EventStream>.fromOpaque(context).release() }
}
