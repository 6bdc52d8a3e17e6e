import Arguments
import CLinux
import Glibc
import SQLiteKit
import SystemKit

lifesignal_forbid_core_dumps()
Connection.startSmall()
exit(Program.run(ProcessArguments.all))
