import CurlKit
import ServerCore

// Between what the core asks for and what libcurl sends.

extension CurlRequest {
  /// The request of an attempt. Where the status alone counts, it is a stream: the answer counts before its body has arrived.
  init(_ attempt: DeliveryAttempt) {
    self.init(attempt.request, timeoutMilliseconds: attempt.timeoutMilliseconds)
    isStream = attempt.request.success == nil && attempt.request.mail == nil
  }

  init(_ request: ChannelRequest, timeoutMilliseconds: Int) {
    self.init(
      method: request.method, url: request.url, headers: request.headers.map { .init($0.name, $0.value) },
      body: request.body, connectTimeoutMilliseconds: min(10_000, timeoutMilliseconds),
      totalTimeoutMilliseconds: timeoutMilliseconds, maximumBodyBytes: OutboundWorker.maximumBodyBytes,
      addressPolicy: AddressPolicy(request.addresses))
    guard let mail = request.mail else { return }
    certificateAuthorityFile = mail.server.certificateAuthorityFile
    self.mail = MailEnvelope(
      sender: mail.sender, recipient: mail.recipient,
      login: mail.server.login.map { .init(user: $0.user, password: $0.password) },
      demandsEncryption: mail.server.demandsEncryption)
  }
}

extension AddressPolicy {
  fileprivate init(_ addresses: AttemptAddresses) {
    self =
      switch addresses {
      case .publicOnly: .publicOnly
      case .httpsOrLoopback: .httpsOrLoopback
      case .any: .any
      }
  }
}

extension DeliveryAnswer {
  init(_ response: CurlResponse, to request: ChannelRequest) {
    let head = response.head
    if let step = response.mailStep {
      self = .mail(MailReply(head.status, to: MailReply.Subject(step)))
    } else if (200..<300).contains(head.status), !request.isTaken(response.body) {
      self = .notTaken
    } else {
      self = .status(head.status, retryAfter: head.headers["retry-after"])
    }
  }

  init(_ error: CurlError) {
    self =
      switch error.code {
      case .addressRefused: .addressRefused
      case .invalidURL: .unusableURL
      case .mailUnanswered: .mail(MailReply(nil, to: .content))
      default: .networkFailure(error.message)
      }
  }

  /// For the operator's log.
  var description: String {
    switch self {
    case .status(let status, _): "answered \(status)"
    case .notTaken: "did not take the message"
    case .mail(let reply): reply.code.map { "answered \($0) to the \(reply.subject.rawValue)" } ?? "did not answer"
    case .networkFailure(let reason), .notSent(let reason): reason
    case .replaced: "gave way to a newer message"
    case .addressRefused: "the address is private"
    case .unusableURL: "the URL cannot be used"
    }
  }
}

extension MailReply.Subject {
  fileprivate init(_ step: MailStep) {
    self =
      switch step {
      case .session: .session
      case .login: .login
      case .sender: .sender
      case .recipient: .recipient
      case .content: .content
      }
  }
}
