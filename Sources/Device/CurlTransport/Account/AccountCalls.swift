package import CurlKit
package import Model
package import Wire

/// The calls that a command makes by itself and waits for: signing in and out, and looking whether the server is there.
package struct AccountCalls: Sendable {
  /// Makes one request and waits for the answer.
  package typealias Caller = @Sendable (CurlRequest) throws(CurlError) -> CurlResponse

  package let endpoint: String
  package let certificateAuthorityFile: String?
  package let totalTimeoutMilliseconds: Int
  private let caller: Caller

  /// - Parameters:
  ///   - endpoint: a validated base URL, without a slash at the end.
  ///   - caller: libcurl; the simulator has a network of its own.
  package init(
    endpoint: String, certificateAuthorityFile: String? = nil, totalTimeoutMilliseconds: Int = 30_000,
    caller: @escaping Caller = CurlCaller.perform
  ) {
    self.endpoint = endpoint
    self.certificateAuthorityFile = certificateAuthorityFile
    self.totalTimeoutMilliseconds = totalTimeoutMilliseconds
    self.caller = caller
  }

  /// Has a code sent to `phone`, which is E.164 or as a person in `region` would dial it.
  package func requestCode(phone: String, region: String?) throws(AccountCallError) -> VerificationResponse {
    let body = VerificationRequest(phone: phone, region: region).json()
    return try decoded(call("POST", Route.verifications, body: body))
  }

  /// Signs in with the code that arrived.
  package func createSession(
    verificationID: String, code: String, deviceName: String
  ) throws(AccountCallError) -> SessionResponse {
    let body = SessionRequest(verificationID: verificationID, code: code, deviceName: deviceName).json()
    return try decoded(call("POST", Route.sessions, body: body))
  }

  /// New tokens for a session whose access token has expired.
  package func refresh(refreshToken: String) throws(AccountCallError) -> TokenResponse {
    try decoded(call("POST", Route.tokens, body: TokenRequest(refreshToken: refreshToken).json()))
  }

  /// Ends the session of `token`, an access token or an alert key, and its alert key with it.
  package func deleteSession(token: String) throws(AccountCallError) {
    let answer = try call("DELETE", Route.currentSession, token: token)
    guard answer.status == 204 else { throw .notOurServer(status: answer.status) }
  }

  /// Pushes alerts with the alert key, in one request and without the worker.
  package func push(_ body: [UInt8], alertKey: String) throws(AccountCallError) -> SyncResponse {
    try decoded(call("POST", Route.sync, body: body, token: alertKey))
  }

  /// Where the account is signed in.
  package func sessions(token: String) throws(AccountCallError) -> [SessionEntry] {
    let answer: SessionsResponse = try decoded(call("GET", Route.accountSessions, token: token))
    return answer.sessions
  }

  /// Ends another session of the account, and its alert key with it.
  package func deleteSession(_ id: EntityID, token: String) throws(AccountCallError) {
    let answer = try call("DELETE", "\(Route.accountSessions)/\(id)", token: token)
    guard answer.status == 204 else { throw .notOurServer(status: answer.status) }
  }

  /// Asks the server how it is, without credentials.
  package func checkHealth(now: () -> Moment = SystemClock.now) throws(AccountCallError) -> ServerHealth {
    let before = now()
    let answer = try call("GET", Route.health)
    let after = now()
    let health: HealthResponse = try decoded(answer)
    guard health.service == HealthResponse.serviceName else { throw .notOurServer(status: answer.status) }
    let roundTrip = max(0, after.monotonicMilliseconds - before.monotonicMilliseconds)
    // The server read its clock somewhere on the way: the middle is the best guess.
    let middle = after.wall.advanced(byMilliseconds: -roundTrip / 2)
    return ServerHealth(
      clockOffsetMilliseconds: health.serverTime.milliseconds(since: middle), roundTripMilliseconds: roundTrip)
  }

  /// Asks the server whether it can do everything. Throws its own words where it cannot.
  package func checkReady() throws(AccountCallError) {
    _ = try call("GET", Route.ready)
  }

  /// A 2xx answer; anything else is thrown.
  private func call(
    _ method: String, _ path: String, body: [UInt8] = [], token: String? = nil
  ) throws(AccountCallError) -> CurlResponse {
    let response: CurlResponse
    do throws(CurlError) {
      response = try caller(request(method, path, body, token))
    } catch {
      throw .transport(error)
    }
    guard !(200..<300).contains(response.status) else { return response }
    let problem = OwnAnswer.problem(
      status: response.status, contentType: response.head.headers["content-type"], body: response.body)
    throw problem.map(AccountCallError.problem) ?? .notOurServer(status: response.status)
  }

  private func request(_ method: String, _ path: String, _ body: [UInt8], _ token: String?) -> CurlRequest {
    var headers = [CurlRequest.Header("Accept", "application/json, \(Problem.mediaType)")]
    if !body.isEmpty { headers.append(.init("Content-Type", "application/json")) }
    if let token { headers.append(.init("Authorization", "Bearer \(token)")) }
    return CurlRequest(
      method: method, url: endpoint + path, headers: headers, body: body,
      connectTimeoutMilliseconds: min(10_000, totalTimeoutMilliseconds),
      totalTimeoutMilliseconds: totalTimeoutMilliseconds, maximumBodyBytes: 256 << 10,
      certificateAuthorityFile: certificateAuthorityFile, addressPolicy: .httpsOrLoopback,
      proxyPolicy: .fromEnvironment)
  }

  private func decoded<Body: JSONBody>(_ response: CurlResponse) throws(AccountCallError) -> Body {
    let contentType = response.head.headers["content-type"]
    guard let body = OwnAnswer.body(Body.self, contentType: contentType, response.body) else {
      throw .notOurServer(status: response.status)
    }
    return body
  }
}
