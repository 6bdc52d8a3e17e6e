import Model
import PlantedBugs
import Wire

/// The page of a responder: `GET /a/{token}`, and what is done on it.
enum PageRoute {
  /// Shows the page. Changes nothing: programs open links too.
  static func show(_ input: RouteInput) -> Rule<PageVisitor> {
    let page = Page(input)
    return Rule { visitor, work in
      work.mistakeOpening(for: visitor)
      return page.shown(to: visitor, &work)
    }
  }

  /// The page's event stream, which says that something changed.
  static func openEvents(_ input: RouteInput) -> Rule<PageVisitor> {
    Rule { visitor, _ in .eventStream(visitor.link.account, .page(visitor.link.key)) }
  }

  /// A person touched the page, which its script reports.
  static func noteSeen(_ input: RouteInput) -> Rule<PageVisitor> {
    Rule { visitor, work in
      if visitor.alert.record.alert.isActive {
        work.change(visitor.link.account) { work in
          work.noteSeen(visitor.alert, by: visitor.contact, through: visitor.channel)
        }
      }
      return .noContent
    }
  }

  /// A person answers: `answer` is a `ResponderAnswer`, `text` a line beside it. A form without an answer was sent by a program, or before
  /// anything was chosen: the page says so. The page's script sends `script` too, and gets the page at once.
  static func answer(_ input: RouteInput) throws(Problem) -> Rule<PageVisitor> {
    let page = Page(input)
    let form = try input.form()
    let answer = form["answer"].flatMap(ResponderAnswer.init)
    let text = form["text"].flatMap(StoredResponse.line)
    return Rule { visitor, work in
      guard visitor.alert.record.alert.isActive else { return page.shown(to: visitor, &work, status: 409) }
      guard let answer else {
        return page.shown(to: visitor, &work, status: 400, notice: page.texts.chooseAnswer)
      }
      let view = work.change(visitor.link.account) { work in
        work.take(
          answer, text, of: visitor.contact, about: work.mistakenAlert(for: visitor) ?? visitor.alert,
          through: visitor.channel)
        return PageView(visitor, path: page.path, page.keys, &work)
      }
      guard form["script"] == nil else { return page.shown(view) }
      // Back to the page, so that a reload does not send the form again.
      let location = HeaderField("Location", page.path)
      return .full(FullResponse(status: 303, headers: [location], mediaType: nil, body: []))
    }
  }

  /// A page as one request asks for it.
  private struct Page: Sendable {
    let texts: PageTexts
    let keys: ServerKeys
    /// On this server, as the person's browser sees it.
    let path: String

    init(_ input: RouteInput) {
      texts = PageTexts.best(for: input.request.acceptLanguage)
      keys = input.keys
      path = "\(input.configuration.publicPath)\(Route.page)/\(input.parameters[0])"
    }

    func shown(
      to visitor: PageVisitor, _ work: inout RequestWork, status: Int = 200, notice: String? = nil
    ) -> ServerResponse {
      shown(
        work.decide(about: visitor.link.account) { PageView(visitor, path: path, keys, &$0) }, status: status,
        notice: notice)
    }

    func shown(_ view: PageView, status: Int = 200, notice: String? = nil) -> ServerResponse {
      .page(PageHTML(view, texts).document(notice: notice), texts, status: status)
    }
  }

  /// Where a browser ends that reloads the page after an answer: back to the page.
  static func leadBack(_ input: RouteInput) throws(Problem) -> Rule<Void> {
    guard PageToken(input.parameters[0]) != nil else { throw PageVisitor.unknown }
    let location = HeaderField("Location", Page(input).path)
    return Rule { _, _ in .full(FullResponse(status: 303, headers: [location], mediaType: nil, body: [])) }
  }
}

extension ServerResponse {
  static func page(_ page: HTML, _ texts: PageTexts, status: Int = 200, headers: [HeaderField] = []) -> Self {
    let fields = [
      HeaderField("Content-Security-Policy", PageAssets.contentSecurityPolicy),
      HeaderField("Content-Language", texts.language), HeaderField("Vary", "Accept-Language"),
    ]
    return .full(
      FullResponse(
        status: status, headers: headers + fields, mediaType: "text/html; charset=utf-8", body: Array(page.text.utf8)))
  }

  /// A problem as a page for a person.
  static func page(of problem: Problem, _ texts: PageTexts, headers: [HeaderField] = []) -> Self {
    .page(PageHTML.problem(problem, texts), texts, status: problem.status, headers: headers)
  }
}

// Planted bugs.
extension RequestWork {
  /// Takes the opening of a page for what a person does.
  fileprivate mutating func mistakeOpening(for visitor: PageVisitor) {
    guard visitor.alert.record.alert.isActive else { return }
    if PlantedBug.pageOpenIsSeen.isPlanted {
      change(visitor.link.account) { $0.noteSeen(visitor.alert, by: visitor.contact) }
    }
    if PlantedBug.pageOpenAcknowledges.isPlanted {
      change(visitor.link.account) { $0.take(.responding, nil, of: visitor.contact, about: visitor.alert) }
    }
  }
}

extension AccountWork {
  /// The person's newest active alert instead of that of the link.
  fileprivate mutating func mistakenAlert(for visitor: PageVisitor) -> StoredAlert? {
    guard PlantedBug.answerToNewestAlert.isPlanted else { return nil }
    return state.activeAlerts(limit: 1).first
  }
}
