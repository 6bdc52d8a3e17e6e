import Arguments
import DeviceCore
import Glibc
import SystemKit

/// From the command line to the exit status.
enum Program {
  static let name = "lifesignal"

  /// Runs what `arguments` (without the program's name) ask for, and gives the exit status.
  static func run(_ arguments: [String]) -> Int32 {
    Descriptor.fillClosedStandardDescriptors()
    // Neither a reader that goes away nor a limit of file sizes may end an alert on its way out.
    ignoreSignalsOfWrites()
    _ = umask(0o077)
    let environment = Environment()
    let commandLine: ParsedCommandLine
    do throws(UsageError) {
      commandLine = try ArgumentParser.parse(
        EmergencyWords.replaced(in: arguments), root: CommandTable.root, globalOptions: GlobalOption.all)
    } catch {
      return report(error, isJSON: arguments.prefix { $0 != "--" }.contains("--json"))
    }
    switch commandLine {
    case .help(let path):
      return finish(HelpText.help(path, globalOptions: GlobalOption.all), environment)
    case .version:
      return finish("\(name) \(ProgramVersion.current)\n", environment)
    case .manual(let name):
      let text = ManualPage.answer(name, of: CommandTable.root, globalOptions: GlobalOption.all, section: 1)
      return text.map { finish($0, environment) } ?? ExitStatus.usage.rawValue
    case .run(let invocation):
      if let home = invocation.value(GlobalOption.home) { CommandName.set(home: home) }
      return run(Context(invocation: invocation, environment: environment))
    }
  }

  private static func run(_ context: Context) -> Int32 {
    let command = context.invocation.commandName
    guard let action = CommandActions.action(for: command) else { return ExitStatus.usage.rawValue }
    context.tellSetting()
    defer {
      context.tellReports()
      HomeOwner.giveBack()
    }
    do throws(Failure) {
      let status = try action(context)
      guard status == .done, context.console.outputError != 0, !CommandActions.isDurableBeforeOutput(command) else {
        return status.rawValue
      }
      return outputFailed(context.console.outputError, context.console)
    } catch {
      context.console.report(error)
      return error.status.rawValue
    }
  }

  private static func report(_ error: UsageError, isJSON: Bool) -> Int32 {
    let console = Console(isJSON: isJSON, noColor: true, environment: Environment())
    let message = error.path.last?.raisesAlert == true ? AlertTexts.notRaised + error.message : error.message
    if isJSON {
      console.report(Failure(.usage, "usage", message))
    } else {
      console.note("\(name): \(message)")
      console.note(error.advice)
      if error.path.last?.subcommands.isEmpty == false { console.note(AlertTexts.raiseNow) }
    }
    return ExitStatus.usage.rawValue
  }

  private static func finish(_ text: String, _ environment: Environment) -> Int32 {
    let console = Console(isJSON: false, noColor: true, environment: environment)
    console.write(text)
    return console.outputError == 0 ? ExitStatus.done.rawValue : outputFailed(console.outputError, console)
  }

  private static func outputFailed(_ error: Int32, _ console: Console) -> Int32 {
    let reason = String(cString: strerror(error))
    console.report(Failure(.outputFailed, "output_failed", AccountTexts.outputFailed(reason)))
    return ExitStatus.outputFailed.rawValue
  }
}
