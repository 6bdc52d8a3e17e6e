import Arguments
import Glibc
import SystemKit

exit(SimulateOptions.run(ProcessArguments.all))
