import CLinux
import Foundation
import Glibc
import SystemKit

lifesignal_forbid_core_dumps()
guard
  let options = ScreenOptions(
    ProcessArguments.all,
    environment: { name in
      getenv(name).map { String(cString: $0) }
    })
else {
  StandardError.write("usage: lifesignal screen [--home DIR] [--no-color]\n")
  exit(64)
}
ScreenProgram.start(options)
RunLoop.main.run()
