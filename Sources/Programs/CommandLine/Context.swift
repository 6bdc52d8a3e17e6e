import Arguments
import DeviceCore
import LocalStore
import Model

/// What a command works with: what was asked, where to speak, and which device.
struct Context {
  let invocation: Invocation
  let environment: Environment
  let console: Console
  /// When the command began.
  let moment: Moment
  let reports = StoreReports()

  init(invocation: Invocation, environment: Environment, moment: Moment = DeviceClock.now()) {
    self.invocation = invocation
    self.environment = environment
    self.moment = moment
    console = Console(
      isJSON: invocation.isJSON,
      isQuiet: invocation.has(GlobalOption.quiet) && !CommandActions.isAlwaysReported(invocation.commandName),
      isVerbose: invocation.has(GlobalOption.verbose), noColor: invocation.has(GlobalOption.noColor),
      environment: environment)
  }

  var time: LocalTime { LocalTime(now: moment.wall) }

  func home() throws(Failure) -> HomeDirectory {
    do throws(LocalStoreError) {
      let home = try HomeDirectory.resolve(option: invocation.value(GlobalOption.home)) { environment[$0] }
      HomeOwner.become(home)
      return home
    } catch {
      let failure = Failure(error)
      let start =
        invocation.path.last?.raisesAlert == true
        ? "NOT raised: " : CommandActions.isDurableBeforeOutput(invocation.commandName) ? "NOT ended: " : ""
      throw Failure(failure.status, failure.code, start + failure.message)
    }
  }

  /// With `--verbose`: which data and which server this command uses. Never keeps the command from running.
  func tellSetting() {
    guard invocation.has(GlobalOption.verbose), let home = try? home() else { return }
    console.note("Data: \(home.path.printable)")
    let endpoint: String?
    do throws(LocalStoreError) { endpoint = try Configuration.load(home).endpoint } catch { endpoint = nil }
    console.note("Server: \(endpoint?.printable ?? "not set")")
  }

  /// Opens the store, and tells what opening it found. `notSaved`: something was to be stored.
  func openStore(notSaved: Bool = false) throws(Failure) -> LocalStore {
    let home = try home()
    do throws(LocalStoreError) {
      let store = try LocalStore.open(home, at: moment)
      tellReport(of: store)
      return store
    } catch {
      throw Failure(error, notSaved: notSaved)
    }
  }

  /// Tells what the store found, once.
  func tellReport(of store: LocalStore) {
    tell(reports.news(of: store))
  }

  /// At the end of a command: what its stores have found since.
  func tellReports() {
    tell(reports.news())
  }

  private func tell(_ messages: [String]) {
    let prefix = console.isJSON ? "" : console.styled(.warning, "note: ")
    for message in messages { console.note(prefix + message) }
  }

  func configuration() throws(Failure) -> Configuration {
    let home = try home()
    do throws(LocalStoreError) { return try Configuration.load(home) } catch { throw Failure(error) }
  }

  /// Runs a piece of work on the store, with its errors made into the command's.
  func attempt<Result>(
    notSaved: Bool = false, _ work: () throws(LocalStoreError) -> Result
  ) throws(Failure) -> Result {
    do throws(LocalStoreError) { return try work() } catch { throw Failure(error, notSaved: notSaved) }
  }

  /// Checks a value that a person gave, with the fault made into the command's.
  static func checked<Result>(_ check: () throws(InvalidInput) -> Result) throws(Failure) -> Result {
    do throws(InvalidInput) { return try check() } catch { throw Failure(error) }
  }
}
