/// The requests around an outage as a picture: plain SVG, in colors that are readable on white and on black.
package struct HerdPlot {
  package var panels: [(title: String, run: HerdRun)] = []

  package init() {}

  private static let width = 760.0
  private static let panelHeight = 240.0
  /// The range of the picture, in minutes before the outage and after its start.
  private static let minutes = -15.0...75.0
  private static let binSeconds = 10

  package var svg: String {
    let height = Self.panelHeight * Double(panels.count) + 44
    var parts = [Self.head(height)]
    for (index, panel) in panels.enumerated() {
      let top = 16 + Double(index) * Self.panelHeight
      parts += HerdPanel(run: panel.run, title: panel.title, top: top).parts
    }
    parts.append(Self.legend(y: height - 10))
    return parts.joined(separator: "\n") + "\n</svg>\n"
  }

  private static func head(_ height: Double) -> String {
    """
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width.text(0)) \(height.text(0))" role="img"
      font-family="system-ui, sans-serif" font-size="12" aria-label="Requests a second before, during and after an outage">
    <style>
    text { fill: #555 } .axis { stroke: #888; fill: none } .grid { stroke: #888; stroke-opacity: 0.25 }
    .urgent { fill: #d1495b } .idle { fill: #3a86c8 } .second { fill: none; stroke: #888; stroke-opacity: 0.55 }
    .away { fill: #888; fill-opacity: 0.25 } .steady { stroke: #2a9d5c; stroke-width: 1.5 }
    .bound { stroke: #e08a00; stroke-width: 1.5; stroke-dasharray: 6 4 }
    @media (prefers-color-scheme: dark) { text { fill: #bbb } }
    </style>
    """
  }

  private static func legend(y: Double) -> String {
    let boxes = [("urgent", "emergency"), ("idle", "routine"), ("away", "server away")]
    let lines = [("steady", "steady rate"), ("bound", "twice that"), ("second", "busiest second")]
    var x = 20.0
    var parts: [String] = []
    for (name, text) in boxes {
      parts.append("<rect class=\"\(name)\" x=\"\(x.text(0))\" y=\"\((y - 9).text(0))\" width=\"12\" height=\"10\"/>")
      parts.append("<text x=\"\((x + 17).text(0))\" y=\"\(y.text(0))\">\(text)</text>")
      x += 32 + 7.2 * Double(text.count)
    }
    for (name, text) in lines {
      let middle = (y - 4).text(0)
      parts.append(
        "<line class=\"\(name)\" x1=\"\(x.text(0))\" y1=\"\(middle)\" x2=\"\((x + 18).text(0))\" y2=\"\(middle)\"/>")
      parts.append("<text x=\"\((x + 23).text(0))\" y=\"\(y.text(0))\">\(text)</text>")
      x += 38 + 7.2 * Double(text.count)
    }
    return parts.joined(separator: "\n")
  }

  /// One outage: the areas, the lines and the axes.
  private struct HerdPanel {
    let run: HerdRun
    let title: String
    let top: Double

    private let left = 48.0
    private let right = 744.0
    private var bottom: Double { top + 200 }
    private let steady: Double
    private let maximum: Double

    init(run: HerdRun, title: String, top: Double) {
      self.run = run
      self.title = title
      self.top = top
      steady = HerdReport(run).steady.mean
      maximum = (steady * 4.5 / 10).rounded(.up) * 10
    }

    private var seconds: Range<Int> {
      let start = Int(run.settings.outageStart / 1000)
      let end = min(start + Int(HerdPlot.minutes.upperBound * 60), Int(run.settings.end / 1000))
      return max(0, start + Int(HerdPlot.minutes.lowerBound * 60))..<end
    }

    private func x(_ second: Double) -> Double {
      let minute = (second - Double(run.settings.outageStart) / 1000) / 60
      let share = (minute - HerdPlot.minutes.lowerBound) / (HerdPlot.minutes.upperBound - HerdPlot.minutes.lowerBound)
      return left + share * (right - left)
    }

    private func y(_ rate: Double) -> Double { bottom - min(rate, maximum) / maximum * (bottom - top - 14) }

    private func point(_ second: Double, _ rate: Double) -> String { x(second).text(1) + "," + y(rate).text(1) }

    var parts: [String] { [shade, area("idle", all), area("urgent", urgent), busiest] + levels + axes }

    private var all: [Int] { run.counts.perSecond(seconds) }
    private var urgent: [Int] { run.counts.urgentPerSecond(seconds) }

    private var shade: String {
      let from = x(Double(run.settings.outageStart) / 1000)
      let width = max(1.5, x(Double(run.settings.outageEnd) / 1000) - from)
      return "<rect class=\"away\" x=\"\(from.text(1))\" y=\"\((top + 14).text(1))\" width=\"\(width.text(1))\" "
        + "height=\"\((bottom - top - 14).text(1))\"/>"
    }

    private func bins(_ counts: [Int]) -> [(second: Double, counts: ArraySlice<Int>)] {
      stride(from: 0, to: counts.count - HerdPlot.binSeconds + 1, by: HerdPlot.binSeconds).map {
        (Double(seconds.lowerBound + $0) + Double(HerdPlot.binSeconds) / 2, counts[$0..<($0 + HerdPlot.binSeconds)])
      }
    }

    private func area(_ name: String, _ counts: [Int]) -> String {
      let bins = bins(counts)
      let line = bins.map { point($0.second, Array($0.counts).mean) }.joined(separator: " ")
      let first = point(bins.first?.second ?? 0, 0)
      let last = point(bins.last?.second ?? 0, 0)
      return "<polygon class=\"\(name)\" points=\"\(first) \(line) \(last)\"/>"
    }

    private var busiest: String {
      let line = bins(all).map { point($0.second, Double($0.counts.max() ?? 0)) }.joined(separator: " ")
      return "<polyline class=\"second\" points=\"\(line)\"/>"
    }

    private var levels: [String] {
      [("steady", steady), ("bound", HerdBounds.ratio * steady)].map { name, rate in
        let height = y(rate).text(1)
        return
          "<line class=\"\(name)\" x1=\"\(left.text(0))\" y1=\"\(height)\" x2=\"\(right.text(0))\" y2=\"\(height)\"/>"
      }
    }

    private var axes: [String] {
      var parts = ["<text x=\"\(left.text(0))\" y=\"\((top + 4).text(0))\">\(title), requests a second</text>"]
      for rate in stride(from: 0.0, through: maximum, by: maximum > 40 ? 20 : 10) {
        let height = y(rate)
        parts.append(
          "<line class=\"grid\" x1=\"\(left.text(0))\" y1=\"\(height.text(1))\" x2=\"\(right.text(0))\" y2=\"\(height.text(1))\"/>"
        )
        parts.append(
          "<text x=\"\((left - 6).text(0))\" y=\"\((height + 4).text(1))\" text-anchor=\"end\">\(rate.text(0))</text>")
      }
      for minute in stride(from: HerdPlot.minutes.lowerBound, through: HerdPlot.minutes.upperBound, by: 15) {
        let place = x(Double(run.settings.outageStart) / 1000 + minute * 60).text(1)
        let unit = minute == HerdPlot.minutes.upperBound ? " min" : ""
        parts.append(
          "<text x=\"\(place)\" y=\"\((bottom + 16).text(0))\" text-anchor=\"\(unit.isEmpty ? "middle" : "end")\">"
            + "\(minute.text(0))\(unit)</text>")
      }
      let frame = "M\(left.text(0)) \((top + 14).text(0))V\(bottom.text(0))H\(right.text(0))"
      return parts + ["<path class=\"axis\" d=\"\(frame)\"/>"]
    }
  }
}
