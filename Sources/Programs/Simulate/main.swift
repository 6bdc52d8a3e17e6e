import Arguments
import Glibc

exit(SimulateOptions.run(ProcessArguments.all))
