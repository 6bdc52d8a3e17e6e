// Empty: the target exists to build the plug-in for telephone numbers beside the program. See Package.swift.
