package import CurlKit
package import Model
package import Wire

/// The blocking calls that a command makes without the worker: sign-in, sign-out and health checks.
package struct AccountCalls: Sendable {
  /// Sends one request and waits for the answer.
  package typealias Caller = @Sendable (CurlRequest) throws(CurlError) -> CurlResponse

  package let endpoint: String
  package let certificateAuthorityFile: String?
  package let totalTimeoutMilliseconds: Int
  private let caller: Caller

  /// - Parameters:
  ///   - endpoint: a validated base URL, without a trailing slash.
  ///   - caller: libcurl; the simulator passes its own network.
  package init(
    endpoint: String, certificateAuthorityFile: String? = nil, totalTimeoutMilliseconds: Int = 30_000,
    caller: @escaping Caller = CurlCaller.perform
  ) {
    self.endpoint = endpoint
    self.certificateAuthorityFile = certificateAuthorityFile
    self.totalTimeoutMilliseconds = totalTimeoutMilliseconds
    self.caller = caller
  }

  /// Requests a code for `phone`, which is E.164 or as dialed in `region`.
  /// - Parameter proof: for the challenge in the problem of an earlier call.
  package func requestCode(
    phone: String, region: String?, proof: WorkProof? = nil
  ) throws(AccountCallError) -> VerificationResponse {
    let body = VerificationRequest(phone: phone, region: region, proof: proof).json()
    return try decoded(call("POST", Route.verifications, body: body))
  }

  /// Signs in with the code that arrived.
  package func createSession(
    verificationID: String, code: String, deviceName: String
  ) throws(AccountCallError) -> SessionResponse {
    let body = SessionRequest(verificationID: verificationID, code: code, deviceName: deviceName).json()
    return try decoded(call("POST", Route.sessions, body: body))
  }

  /// Refreshes the tokens of a session whose access token has expired.
  package func refresh(refreshToken: String) throws(AccountCallError) -> TokenResponse {
    try decoded(call("POST", Route.tokens, body: TokenRequest(refreshToken: refreshToken).json()))
  }

  /// Ends the session of `token` (an access token or an alert key) together with its alert key.
  package func deleteSession(token: String) throws(AccountCallError) {
    let answer = try call("DELETE", Route.currentSession, token: token)
    guard answer.status == 204 else { throw .notOurServer(status: answer.status) }
  }

  /// One exchange, without the worker.
  ///
  /// - Parameter token: an access token, or the alert key for alerts alone.
  package func exchange(_ body: [UInt8], token: String) throws(AccountCallError) -> SyncResponse {
    try decoded(call("POST", Route.sync, body: body, token: token))
  }

  /// Lists the account's sessions.
  package func sessions(token: String) throws(AccountCallError) -> [SessionEntry] {
    let answer: SessionsResponse = try decoded(call("GET", Route.accountSessions, token: token))
    return answer.sessions
  }

  /// Ends another session of the account together with its alert key.
  package func deleteSession(_ id: EntityID, token: String) throws(AccountCallError) {
    let answer = try call("DELETE", "\(Route.accountSessions)/\(id)", token: token)
    guard answer.status == 204 else { throw .notOurServer(status: answer.status) }
  }

  /// Checks the server's health, without credentials.
  package func checkHealth(now: () -> Moment = SystemClock.now) throws(AccountCallError) -> ServerHealth {
    let before = now()
    let answer = try call("GET", Route.health)
    let after = now()
    let health: HealthResponse = try decoded(answer)
    guard health.service == HealthResponse.serviceName else { throw .notOurServer(status: answer.status) }
    let roundTrip = max(0, after.monotonicMilliseconds - before.monotonicMilliseconds)
    // The server read its clock during the round trip: assume the middle.
    let middle = after.wall.advanced(byMilliseconds: -roundTrip / 2)
    return ServerHealth(
      clockOffsetMilliseconds: health.serverTime.milliseconds(since: middle), roundTripMilliseconds: roundTrip)
  }

  /// Checks that the server is ready. Throws the server's problem if it is not.
  package func checkReady() throws(AccountCallError) {
    _ = try call("GET", Route.ready)
  }

  /// Returns a 2xx answer; throws for any other.
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
    if let token { headers.append(.init("Authorization", Authorization.bearer(token))) }
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
