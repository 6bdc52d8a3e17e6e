// Nothing is here: the target has the plug-in for telephone numbers built beside the program. See Package.swift.
