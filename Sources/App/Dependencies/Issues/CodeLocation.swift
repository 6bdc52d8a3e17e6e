/// A location in the source code.
public struct CodeLocation: Hashable, Sendable {
  /// The module and the file, such as `AlertFeature/AlertFeature.swift`.
  public var fileID: String
  /// The file's path at compile time.
  public var filePath: String
  /// The line, from 1.
  public var line: Int
  /// The column, from 1.
  public var column: Int

  /// Makes a location; by default that of the caller.
  public init(
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    self.fileID = String(describing: fileID)
    self.filePath = String(describing: filePath)
    self.line = Int(line)
    self.column = Int(column)
  }
}
