import Arguments
import DeviceCore
import LocalStore
import Model

/// What a command works with: its arguments, the console and the device.
struct Context {
  let invocation: Invocation
  let environment: Environment
  let console: Console
  /// When the command began.
  let moment: Moment
  /// For all times that it shows: the zone is shown only if it differs from the one before.
  let time: LocalTime
  let reports = StoreReports()

  init(invocation: Invocation, environment: Environment, moment: Moment = DeviceClock.now()) {
    self.invocation = invocation
    self.environment = environment
    self.moment = moment
    time = LocalTime(now: moment.wall)
    console = Console(
      isJSON: invocation.isJSON,
      isQuiet: invocation.has(GlobalOption.quiet) && !CommandActions.isAlwaysReported(invocation.commandName),
      isVerbose: invocation.has(GlobalOption.verbose), noColor: invocation.has(GlobalOption.noColor),
      environment: environment)
  }

  func home() throws(Failure) -> HomeDirectory {
    do throws(LocalStoreError) {
      let home = try HomeDirectory.resolve(option: invocation.value(GlobalOption.home)) { environment[$0] }
      HomeOwner.become(home)
      return home
    } catch {
      let failure = Failure(error)
      let message =
        invocation.path.last?.raisesAlert == true
        ? AlertTexts.notRaised(isDrill: invocation.has("drill"), failure.message)
        : CommandActions.isDurableBeforeOutput(invocation.commandName)
          ? AlertTexts.notEnded + failure.message : failure.message
      throw Failure(failure.status, failure.code, message)
    }
  }

  /// With `--verbose`, says which data and which server this command uses. Never fails the command.
  func tellSetting() {
    guard invocation.has(GlobalOption.verbose), let home = try? home() else { return }
    console.note(AccountTexts.data(home.path.printable))
    let endpoint: String?
    do throws(LocalStoreError) { endpoint = try Configuration.load(home).endpoint } catch { endpoint = nil }
    console.note(AccountTexts.server(endpoint?.printable))
  }

  /// Opens the store and reports what that found.
  /// - Parameter notSaved: whether something is to be saved.
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

  /// Reports what the store found, once.
  func tellReport(of store: LocalStore) {
    tell(reports.news(of: store))
  }

  /// Reports what the command's stores have found since; for the end of a command.
  func tellReports() {
    tell(reports.news())
  }

  private func tell(_ messages: [String]) {
    let prefix = console.isJSON ? "" : console.styled(.warning, AccountTexts.note)
    for message in messages { console.note(prefix + message) }
  }

  func configuration() throws(Failure) -> Configuration {
    let home = try home()
    do throws(LocalStoreError) { return try Configuration.load(home) } catch { throw Failure(error) }
  }

  /// Runs `work` on the store and converts its errors.
  func attempt<Result>(
    notSaved: Bool = false, _ work: () throws(LocalStoreError) -> Result
  ) throws(Failure) -> Result {
    do throws(LocalStoreError) { return try work() } catch { throw Failure(error, notSaved: notSaved) }
  }

  /// Checks a value that a person gave and converts the error.
  static func checked<Result>(_ check: () throws(InvalidInput) -> Result) throws(Failure) -> Result {
    do throws(InvalidInput) { return try check() } catch { throw Failure(error) }
  }
}
