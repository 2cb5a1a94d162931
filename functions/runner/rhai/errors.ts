/** A place in a script; both count from 1, columns in characters. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** What went wrong, by the names of Rhai's own errors. */
export type RhaiErrorKind =
  | 'Syntax'
  | 'VariableNotFound'
  | 'FunctionNotFound'
  | 'DotExpr'
  | 'UnboundThis'
  | 'MismatchDataType'
  | 'IndexingType'
  | 'ArrayBounds'
  | 'StringBounds'
  | 'BitFieldBounds'
  | 'For'
  | 'Arithmetic'
  | 'NonPureMethodCallOnConstant'
  | 'AssignmentToConstant'
  | 'DataRace'
  | 'Runtime'
  | 'TooManyOperations'
  | 'TooManyVariables'
  | 'StackOverflow'
  | 'DataTooLarge';

/** What an error is about, by the names that a catch clause finds it under. */
export type ErrorDetails = Readonly<Record<string, string | number | bigint>>;

/** What ends a script for good: its own try … catch does not see it. */
const UNCATCHABLE: ReadonlySet<RhaiErrorKind> = new Set([
  'Syntax',
  'TooManyOperations',
  'TooManyVariables',
  'StackOverflow',
  'DataTooLarge',
]);

/** A script that can't be compiled, or failed. */
export class RhaiError extends Error {
  override name = 'RhaiError';
  readonly kind: RhaiErrorKind;
  /** The message without the place. */
  readonly reason: string;
  readonly line: number;
  readonly column: number;
  readonly details: ErrorDetails;
  /** What a `throw` statement threw: a value of the script. */
  readonly thrown: unknown;

  constructor(kind: RhaiErrorKind, reason: string, at: Position, details: ErrorDetails = {}, thrown?: unknown) {
    super(`${reason} (line ${at.line}, position ${at.column})`);
    this.kind = kind;
    this.reason = reason;
    this.line = at.line;
    this.column = at.column;
    this.details = details;
    this.thrown = thrown;
  }

  /** The same error at another place. */
  movedTo(at: Position): RhaiError {
    return new RhaiError(this.kind, this.reason, at, this.details, this.thrown);
  }

  get isCatchable(): boolean {
    return !UNCATCHABLE.has(this.kind);
  }
}
