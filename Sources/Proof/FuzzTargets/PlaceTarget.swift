import DeviceCore

extension FuzzTarget {
  /// What a gpsd sends, or something that pretends to be one. The first byte says in which pieces it comes.
  static let gpsd = FuzzTarget("gpsd") {
    [
      #"{"class":"TPV","device":"/dev/ttyS0","mode":3,"lat":46.5763,"lon":7.9905,"eph":7.5,"time":"2026-11-26T12:00:00Z"}"#,
      #"{"class":"TPV","mode":2,"lat":-1,"lon":2,"epx":3.1,"epy":9.2}"#, #"{"class":"TPV","mode":1}"#,
      #"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"#,
    ].map { [7] + Array($0.utf8) + [0x0D, 0x0A] }
  } run: { bytes in
    var (report, rest) = (PlaceReport(), bytes.dropFirst())
    let whole = report.take(rest)
    let size = Int(bytes.first ?? 1) + 1
    var pieces = PlaceReport()
    var found: FoundPlace?
    while !rest.isEmpty, found?.accuracyMeters == nil {
      found = pieces.take(rest.prefix(size)) ?? found
      rest = rest.dropFirst(size)
    }
    require(whole == found, "pieces change nothing")
    guard let found else { return }
    require(abs(found.location.latitude) <= 90 && abs(found.location.longitude) <= 180, "a place is on Earth")
    require(found.accuracyMeters.map { $0.isFinite && $0 >= 0 } ?? true, "an accuracy is a distance")
  }
}
