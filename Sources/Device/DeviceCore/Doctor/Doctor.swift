package import LocalStore
package import Model

/// Looks for whatever would keep an alert from being saved or sent, and says how to mend it.
package struct Doctor: Sendable {
  private let home: HomeDirectory
  private let moment: Moment

  package init(home: HomeDirectory, at moment: Moment) {
    self.home = home
    self.moment = moment
  }

  /// Everything, in the order in which an alert depends on it. Blocks for as long as the network takes.
  package func examine() -> [Finding] {
    var findings: [Finding] = []
    let store = open(&findings)
    findings += StoreDoctor(home: home, store: store).findings()
    findings += LibraryDoctor.findings()
    let configuration = configuration(&findings)
    if let configuration {
      findings += ServerDoctor(configuration: configuration, now: { DeviceClock.now() }).findings()
    }
    if let store { findings += AccountDoctor(store: store).findings() }
    return findings
  }

  private func open(_ findings: inout [Finding]) -> LocalStore? {
    do throws(LocalStoreError) {
      return try LocalStore.open(home, at: moment)
    } catch {
      findings.append(
        Finding(
          "store", .fail, "the store cannot be opened: \(error.message)",
          mend: "it is not certain that an alert can be saved; mend the folder \(home.path) or use another with --home")
      )
      return nil
    }
  }

  private func configuration(_ findings: inout [Finding]) -> Configuration? {
    do throws(LocalStoreError) {
      return try Configuration.load(home)
    } catch {
      findings.append(
        Finding(
          "endpoint", .fail, "the configuration cannot be read: \(error.message)",
          mend: "mend or remove \(home.configurationPath)"))
      return nil
    }
  }
}
