package import LocalStore
package import Model

/// Finds what would prevent an alert from being saved or sent, and how to fix it.
package struct Doctor: Sendable {
  private let home: HomeDirectory
  private let moment: Moment

  package init(home: HomeDirectory, at moment: Moment) {
    self.home = home
    self.moment = moment
  }

  /// Runs all checks, in the order in which an alert depends on them. Blocks on the network.
  package func examine() -> [Finding] {
    var findings: [Finding] = []
    let store = open(&findings)
    findings += StoreDoctor(home: home, store: store).findings()
    findings += LibraryDoctor.findings()
    let configuration = configuration(&findings)
    let server = configuration.map { configuration in
      ServerDoctor(configuration: configuration, now: { DeviceClock.now() }).findings()
    }
    findings += server ?? []
    let reachesServer = server?.contains { $0.check == "endpoint" && $0.state == .ok } ?? false
    if let store { findings += AccountDoctor(store: store, reachesServer: reachesServer).findings() }
    if let file = configuration?.certificateAuthorityFile {
      findings += WorkerDoctor(home: home, certificateAuthorityFile: file).findings()
    }
    return findings
  }

  private func open(_ findings: inout [Finding]) -> LocalStore? {
    do throws(LocalStoreError) {
      return try LocalStore.open(home, at: moment)
    } catch {
      findings.append(
        Finding(
          "store", .fail, DoctorTexts.storeClosed(error.message), fix: DoctorTexts.fixFolder(home.path))
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
          "endpoint", .fail, DoctorTexts.settingsUnreadable(error.message),
          fix: DoctorTexts.fixSettings(home.configurationPath)))
      return nil
    }
  }
}
