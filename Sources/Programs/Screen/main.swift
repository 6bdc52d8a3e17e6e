import Arguments
import CLinux
import Foundation
import Glibc
import SystemKit

lifesignal_forbid_core_dumps()
do throws(UsageError) {
  let specification = ScreenOptions.specification
  switch try ArgumentParser.parse(
    ProcessArguments.all, root: specification, globalOptions: ScreenOptions.standardOptions)
  {
  case .help:
    print(HelpText.help([specification], globalOptions: ScreenOptions.standardOptions), terminator: "")
    exit(0)
  case .version:
    print("lifesignal-screen 0.1.0")
    exit(0)
  case .run(let invocation):
    ScreenProgram.start(
      ScreenOptions(invocation, environment: { name in getenv(name).map { String(cString: $0) } }))
  }
} catch {
  StandardError.write("lifesignal-screen: \(error.message)\n\(error.advice)\n")
  exit(64)
}
RunLoop.main.run()
