/// A location in the source code.
public struct CodeLocation: Hashable, Sendable {
  /// The module and the file, such as `AlertFeature/AlertFeature.swift`.
  public var fileID: String
  /// The file's path at compile time; nil from code that is part of a program, which keeps no path of its build.
  public var filePath: String?
  /// The line, from 1.
  public var line: Int
  /// The column, from 1.
  public var column: Int

  /// Makes a location; by default that of the caller, without its path. A test passes `#filePath` too, for its editor.
  public init(
    fileID: StaticString = #fileID, filePath: StaticString? = nil, line: UInt = #line, column: UInt = #column
  ) {
    self.fileID = String(describing: fileID)
    self.filePath = filePath.map { String(describing: $0) }
    self.line = Int(line)
    self.column = Int(column)
  }
}
