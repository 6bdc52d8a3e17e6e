import Model
import Wire

/// Writes a page in one language.
struct PageHTML {
  private let view: PageView
  private let texts: PageTexts
  private let clock: LocalClock

  init(_ view: PageView, _ texts: PageTexts) {
    self.view = view
    self.texts = texts
    clock = LocalClock(utcOffsetMinutes: view.utcOffsetMinutes, today: view.now)
  }

  /// The whole page; `notice` is what the person must know first.
  func document(notice: String? = nil) -> HTML {
    let warning: HTML = notice.map { "<p role=\"alert\" class=\"warning\">\($0)</p>\n" } ?? ""
    return Self.document(
      texts, title: fill(headline, ["name": view.person.withNumber]), head: state == "over" ? "" : Self.reload,
      """
      <p id="lost" role="alert" class="warning" hidden>\(texts.connectionLost)</p>
      <p id="failed" role="alert" class="warning" hidden>\(texts.notConfirmed)</p>
      <main id="page" data-path="\(view.path)" data-now="\(view.now.milliseconds)" data-state="\(state)"\(marks)>
      <div id="alarm">\(warning)\(alarm)</div>
      <section id="answers" aria-labelledby="answer">\(answer)</section>
      <section id="responders" aria-labelledby="others">\(others)</section>
      <div id="track">\(track)</div>
      </main>
      <div id="news" role="log" class="unseen"></div>
      <script>\(HTML(trusted: PageAssets.script))</script>
      """)
  }

  /// A whole page that says what went wrong. A page that is gone for good says so to its script.
  static func problem(_ problem: Problem, _ texts: PageTexts) -> HTML {
    let text = texts.text(of: problem.kind)
    let isGone = [.gone, .notFound, .rateLimited].contains(problem.kind)
    let head: HTML = problem.status >= 500 ? reload : ""
    // The browser is led from where it sent a form to the page.
    let again: HTML = isGone ? "" : "<p><a class=\"button\" href=\"\">\(texts.tryAgain)</a></p>"
    return document(
      texts, title: text, head: head,
      "<main id=\"page\"\(isGone ? " data-gone=\"1\"" : "" as HTML)><h1>\(text)</h1>\(again)</main>")
  }

  /// Without scripts a page loads itself again; with them it hears of changes.
  private static let reload: HTML = "<noscript><meta http-equiv=\"refresh\" content=\"15\"></noscript>"

  private static func document(_ texts: PageTexts, title: String, head: HTML, _ body: HTML) -> HTML {
    """
    <!doctype html>
    <html lang="\(texts.language)">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <meta name="robots" content="noindex">
    <title>\(title)</title>
    \(head)
    <style>\(HTML(trusted: PageAssets.style))</style>
    </head>
    <body>
    \(body)
    </body>
    </html>

    """
  }

  // The alert

  private var state: String {
    if view.otherCall != nil { return "again" }
    return !view.alert.isActive ? "over" : view.alert.isDrill ? "drill" : "help"
  }

  /// What the script must know: whether to tell of a touch, and what was answered.
  private var marks: HTML {
    let unseen: HTML = view.isUnseen ? " data-unseen=\"1\"" : ""
    let answer: HTML = view.response.map { " data-answer=\"\($0.answer.rawValue)\"" } ?? ""
    return "\(unseen)\(answer)"
  }

  private var headline: String {
    if view.otherCall != nil { return texts.needsHelp }
    if view.alert.isDrill { return view.alert.isActive ? texts.isTesting : texts.drillEnded }
    return view.alert.isActive ? texts.needsHelp : texts.isSafe
  }

  private var alarm: HTML {
    let drill: HTML =
      view.alert.isDrill && view.otherCall == nil ? "<p class=\"drill\">\(texts.drill)</p>\n" : ""
    return """
      \(drill)<h1>\(filled(headline, ["name": name]))</h1>
      \(otherCall)\(times)
      <p><a id="call" class="button" href="tel:\(view.phone)">\(fill(texts.call, ["phone": view.phone]))</a></p>
      <dl>\(facts)</dl>

      """
  }

  /// Leads from a page that is not about the active alert to the one that is.
  private var otherCall: HTML {
    guard let call = view.otherCall else { return "" }
    let link = call.path.map {
      "<a id=\"active\" class=\"button\" href=\"\($0)\">\(texts.openActive)</a>" as HTML
    }
    let text = view.alert.isDrill ? texts.activeBesideDrill : texts.activeBesideEnded
    return "<p class=\"warning\">\(text)</p>\n<p>\(link ?? "\(texts.answerNewest)")</p>\n"
  }

  /// With the number, where the person told their name.
  private var name: HTML {
    view.person.name.map { "<bdi>\($0)</bdi> <bdi>(\(view.phone))</bdi>" } ?? "<bdi>\(view.phone)</bdi>"
  }

  private var times: HTML {
    let start = "\(clock.time(view.alert.startedAt)) \(clock.zone)"
    var lines: [HTML] = []
    if let end = view.alert.endedAt {
      lines.append("<p data-news>\(fill(texts.ended, ["time": "\(clock.time(end)) \(clock.zone)"]))</p>")
    } else {
      let since = filled(texts.since, ["time": "\(start)", "duration": duration(since: view.alert.startedAt)])
      lines.append("<p>\(since)</p>")
    }
    if view.alert.isLate(receivedAt: view.receivedAt) {
      lines.append("<p data-news>\(fill(texts.received, ["time": clock.time(view.receivedAt)]))</p>")
    }
    if let since = view.noContactSince {
      lines.append("<p class=\"warning\">\(fill(texts.silent, ["time": clock.time(since)]))</p>")
    }
    return "\(lines)"
  }

  private var facts: [HTML] {
    var facts: [HTML] = []
    if let newest = view.words.first {
      let time: HTML = view.words.count > 1 ? " (\(clock.time(newest.at)))" : ""
      facts.append(fact(texts.message, "<bdi>\(newest.message)</bdi>\(time)"))
    }
    if view.words.count > 1 { facts.append("<dt>\(texts.earlierMessages)</dt><dd><ul>\(earlierWords)</ul></dd>\n") }
    if let place = view.place { facts.append(fact(texts.place, self.place(place, id: " id=\"map\""))) }
    if let battery = view.batteryPercent { facts.append(fact(texts.battery, "\(Int64(battery)) %")) }
    return facts
  }

  /// Newest first. That some are left out is said before the first one.
  private var earlierWords: [HTML] {
    var lines = view.words.dropFirst().map { said in
      "<li>\(clock.time(said.at)): <bdi>\(said.message)</bdi></li>" as HTML
    }
    if view.hasMoreWords { lines.insert("<li>\(texts.moreMessages)</li>", at: max(0, lines.count - 1)) }
    return lines
  }

  private func fact(_ name: String, _ value: HTML) -> HTML { "<dt>\(name)</dt><dd data-news>\(value)</dd>\n" }

  private var track: HTML {
    guard !view.earlierPlaces.isEmpty else { return "" }
    let places = view.earlierPlaces.map { "<li>\(place($0))</li>" as HTML }
    return
      "<details id=\"places\"><summary id=\"places-label\">\(texts.earlierPlaces)</summary><ul>\(places)</ul></details>"
  }

  private func place(_ point: TrackPoint, id: HTML = "") -> HTML {
    let (latitude, longitude) = ("\(point.location.latitude)", "\(point.location.longitude)")
    let url = "https://www.openstreetmap.org/?mlat=\(latitude)&mlon=\(longitude)#map=17/\(latitude)/\(longitude)"
    let accuracy = point.accuracyMeters.map { meters in
      ", " + fill(texts.accuracy, ["meters": String(Int64(min(meters, 1e9).rounded(.up)))])
    }
    return """
      <a\(id) href="\(url)" rel="noreferrer noopener">\(texts.map)</a> <bdi>\(latitude), \(longitude)</bdi>, \
      \(filled(texts.age, ["duration": duration(since: point.at)]))\(accuracy ?? "")
      """
  }

  // The answer

  private var answer: HTML {
    let heading: HTML = "<h2 id=\"answer\">\(texts.yourAnswer)</h2>"
    guard view.alert.isActive else {
      if view.alert.isDrill { return "\(heading)\n\(given)" }
      return view.otherCall == nil
        ? "\(heading)\n<p class=\"done\">\(texts.nobodyNeeded)</p>\n" : "\(heading)\n<p>\(texts.answerNewest)</p>\n"
    }
    guard !choices.isEmpty else { return "\(heading)\n\(coming)\(given)" }
    let choices = self.choices.map { answer in
      """
      <label><input type="radio" name="answer" value="\(answer.rawValue)" required> \(word(answer))</label>

      """ as HTML
    }
    let text: HTML =
      view.alert.isDrill
      ? "" : "<label>\(texts.textLabel)<input id=\"text\" name=\"text\" maxlength=\"200\"></label>\n"
    let question: HTML =
      view.isAskedToConfirm ? "<p class=\"warning\" data-news>\(texts.stillResponding)</p>\n" : ""
    return """
      \(heading)
      \(coming)\(given)\(question)<form method="post" action="\(view.path)/acknowledgements">
      <div class="choices" role="group" aria-labelledby="answer">\(choices)</div>
      \(text)<button>\(texts.send)</button>
      </form>

      """
  }

  /// Who comes already: that decides what the others do. The list of all below tells it again, with more.
  private var coming: HTML {
    guard view.alert.isActive, !view.alert.isDrill else { return "" }
    let lines = view.others.compactMap { responder -> HTML? in
      guard let response = responder.response, response.counts(at: view.now) else { return nil }
      return "<p class=\"done\"><bdi>\(responder.name)</bdi> \(texts.answers.word(response.answer))</p>\n"
    }
    return "\(lines)"
  }

  private var given: HTML {
    guard let response = view.response else { return "" }
    let answer = fill(texts.youAnswered, ["answer": word(response.answer), "time": clock.time(response.at)])
    return
      "<p id=\"given\" class=\"done\" tabindex=\"-1\">\(answer)\(quoted(response)). \(whoSees(response.answer))</p>\n"
  }

  private func whoSees(_ answer: ResponderAnswer) -> String {
    view.alert.isDrill ? texts.drillWorked : answer.acknowledges ? texts.personSeesIt : texts.othersSeeIt
  }

  private func quoted(_ response: StoredResponse) -> HTML {
    response.text.map { ": \(filled(texts.quote, ["text": "<bdi>\($0)</bdi>"]))" } ?? ""
  }

  private var choices: [ResponderAnswer] {
    if view.alert.isDrill { return view.response == nil ? [.responding] : [] }
    return view.response?.answer.acknowledges == true ? [.onMyWay, .there, .handingOver] : [.responding, .cannot]
  }

  private func word(_ answer: ResponderAnswer) -> String {
    if view.alert.isDrill { return texts.gotThis }
    return switch answer {
    case .responding: texts.responding
    case .onMyWay: texts.onMyWay
    case .there: texts.there
    case .handingOver: texts.handingOver
    case .cannot: texts.cannot
    }
  }

  // The others

  private var others: HTML {
    let lines = view.others.map { responder in
      "<li data-news><bdi>\(responder.name)</bdi>\(standing(of: responder))</li>\n" as HTML
    }
    let list: HTML = lines.isEmpty ? "<p>\(texts.nobodyElse)</p>" : "<ul>\(lines)</ul>"
    return """
      <h2 id="others">\(texts.others)</h2>
      \(list)

      """
  }

  private func standing(of responder: PageView.Responder) -> HTML {
    if let response = responder.response {
      let word = view.alert.isDrill ? texts.gotIt : texts.answers.word(response.answer)
      return " <strong>\(word)</strong>\(quoted(response)) (\(clock.time(response.at)))"
    }
    let time = ["time": clock.time(responder.stateAt)]
    return switch responder.state {
    case .queued: ": \(texts.willBeTold)"
    case .sent: ": \(fill(texts.wasTold, time))"
    case .seen: " \(fill(texts.opened, time))"
    case .acknowledged: " <strong>\(view.alert.isDrill ? texts.gotIt : fill(texts.acknowledged, time))</strong>"
    case .failed: ": \(texts.notReached)"
    }
  }

  // Values in words

  /// The script keeps it up to date.
  private func duration(since start: Timestamp) -> HTML {
    let seconds = max(0, view.now.milliseconds(since: start) / 1000)
    return "<span data-since=\"\(start.milliseconds)\">\(Self.words(seconds))</span>"
  }

  /// `42 s`, `14 min` or `2 h 5 min`.
  static func words(_ seconds: Int64) -> String {
    if seconds < 60 { return "\(seconds) s" }
    let minutes = seconds / 60
    return minutes < 60 ? "\(minutes) min" : "\(minutes / 60) h \(minutes % 60) min"
  }

  private func fill(_ template: String, _ values: [String: String]) -> String {
    values.reduce(template) { $0.replacing("{\($1.key)}", with: $1.value) }
  }

  private func filled(_ template: String, _ values: [String: HTML]) -> HTML {
    let safe: HTML = "\(template)"
    return HTML(trusted: values.reduce(safe.text) { $0.replacing("{\($1.key)}", with: $1.value.text) })
  }
}

extension PageTexts.Answers {
  fileprivate func word(_ answer: ResponderAnswer) -> String {
    switch answer {
    case .responding: responding
    case .onMyWay: onMyWay
    case .there: there
    case .handingOver: handingOver
    case .cannot: cannot
    }
  }
}
