import Arguments
import CLinux
import CMainQueue
import Glibc
import SQLiteKit
import SystemKit

lifesignal_forbid_core_dumps()
Connection.startSmall()
do throws(UsageError) {
  let specification = ScreenOptions.specification
  switch try ArgumentParser.parse(
    ProcessArguments.all, root: specification, globalOptions: ScreenOptions.standardOptions)
  {
  case .help:
    print(HelpText.help([specification], globalOptions: ScreenOptions.standardOptions), terminator: "")
    exit(0)
  case .version:
    print("lifesignal-screen \(ProgramVersion.current)")
    exit(0)
  case .manual(let name):
    let text = ManualPage.answer(
      name, of: specification, globalOptions: ScreenOptions.standardOptions, section: 1)
    print(text ?? "", terminator: "")
    exit(text == nil ? 64 : 0)
  case .run(let invocation):
    ScreenProgram.start(
      ScreenOptions(invocation, environment: { name in getenv(name).map { String(cString: $0) } }))
  }
} catch {
  StandardError.write("lifesignal-screen: \(error.message)\n\(error.advice)\n")
  exit(64)
}
lifesignal_run_main_queue()
