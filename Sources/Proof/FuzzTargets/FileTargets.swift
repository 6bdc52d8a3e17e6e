import Glibc
import Model
import TestSupport
import Wire

@testable import LocalStore

extension FuzzTarget {
  /// The file `config`: a readable one can be written, and then reads the same.
  static let configuration = FuzzTarget("configuration") {
    [
      "# ours\nendpoint = https://alerts.example.org\nsecond_endpoint=https://b.example\n\nca_file = /etc/ca.pem\nregion = US\nother = 1\n",
      "endpoint = https://a.example\r\nregion = DE\r\n",
    ].map { Array($0.utf8) }
  } run: { bytes in
    let home = ScratchHome.shared.home
    writeFile(bytes, home.configurationPath)
    guard let configuration = try? Configuration.load(home) else { return require(false, "a small file can be read") }
    do throws(LocalStoreError) {
      try configuration.save(home)
      let again = try Configuration.load(home)
      require(again.endpoint == configuration.endpoint && again.region == configuration.region, "a setting reads back")
      require(again == configuration, "a configuration reads back as what it was")
    } catch {
      require(false, "what was read can be written")
    }
  }

  /// A file in `spool` is an alert, or it stays and is reported. A file in memory may also be an end.
  static let spool = FuzzTarget("spool") {
    let bodies = [Sample.activation].map(MutationBody.text)
    let end =
      #"{"alert_id":"\#(Sample.identifier(1) as AlertID)","mutation_id":"\#(Sample.identifier(2) as MutationID)","notification_id":"\#(Sample.identifier(3) as NotificationID)","received":false,"calls":["\#(Sample.identifier(1) as AlertID)"],"body":{"ended_at":"2026-07-01T12:00:00.000Z","seen_updates":[]}}"#
    return [Array(end.utf8)]
      + bodies.map { body in
        Array(
          #"{"id":"\#(Sample.identifier(1) as AlertID)","mutation_id":"\#(Sample.identifier(2) as MutationID)","notification_id":"\#(Sample.identifier(3) as NotificationID)","started_monotonic":5,"body":\#(body)}"#
            .utf8)
      }
  } run: { bytes in
    let home = ScratchHome.shared.home
    _ = mkdir(home.spoolPath, 0o700)
    writeFile(bytes, home.spoolPath + "/fuzz.json")
    guard let (alerts, unreadable) = try? Spool.read(home) else { return require(false, "the spool can be read") }
    require(alerts.count + unreadable == 1, "a file in the spool is an alert, or is told of")
    let shown = Spool.alerts(home)
    require(shown.count == alerts.count && shown.allSatisfy(\.isActive), "what lies in the spool is shown")
    guard let end = UnsavedEnd.read(in: home.spoolPath).first?.end else { return }
    let folder = home.path + "/ends"
    guard (try? end.write(to: folder)) != nil else { return require(false, "an end that was read can be written") }
    require(UnsavedEnd.read(in: folder).map(\.end) == [end], "an end that was written can be read")
    unlink(UnsavedEnd.path(of: end.alertID, in: folder))
  }
}
