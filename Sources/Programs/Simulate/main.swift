import Arguments
import Glibc
import SQLiteKit
import SystemKit

Connection.startSmall()
exit(SimulateOptions.run(ProcessArguments.all))
