import SyncEngine

/// What answers in the server's place: portals, proxies, other services.
enum Stranger: String, CaseIterable {
  case portal = "portal with a sign-in page"
  case emptyAnswer = "proxy with empty answers"
  case notFound = "proxy that knows no such page"
  case forbidden = "proxy that forbids"
  case gone = "server of somebody else"
  case badGateway = "proxy without its server"
  case busy = "proxy that asks to wait"
  case small = "proxy that takes small requests"
  case otherJSON = "service with answers of its own"

  var answer: HTTPAnswer {
    switch self {
    case .portal: html(200, "<html>Welcome to the hotel</html>")
    case .emptyAnswer: HTTPAnswer(status: 200, headers: [:], body: [])
    case .notFound: html(404, "<html>404</html>")
    case .forbidden: html(403, "blocked")
    case .gone: html(410, "gone")
    case .badGateway: html(502, "bad gateway")
    case .busy: html(503, "busy", ["retry-after": "1000000000000"])
    case .small: html(413, "too large")
    case .otherJSON:
      HTTPAnswer(status: 200, headers: ["content-type": "application/json"], body: Array(#"{"results":[]}"#.utf8))
    }
  }

  private func html(_ status: Int, _ text: String, _ headers: [String: String] = [:]) -> HTTPAnswer {
    HTTPAnswer(
      status: status, headers: headers.merging(["content-type": "text/html"]) { first, _ in first },
      body: Array(text.utf8))
  }
}
