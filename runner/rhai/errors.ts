/** A position in a script. Lines and columns count from 1; columns count characters. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** The kind of an error, by the name of Rhai's own error. */
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

/** The facts of an error. A catch clause reads them under these names. */
export type ErrorDetails = Readonly<Record<string, string | number | bigint>>;

/** Kinds of errors that a script can't catch with its own try … catch. */
const UNCATCHABLE: ReadonlySet<RhaiErrorKind> = new Set([
  'Syntax',
  'TooManyOperations',
  'TooManyVariables',
  'StackOverflow',
  'DataTooLarge',
]);

/** A call of a function of the script. */
export interface Call {
  readonly name: string;
  readonly at: Position;
}

/** The names of closures begin with this, followed by a number. */
export const CLOSURE_PREFIX = 'anon$';

interface ErrorInit {
  readonly details?: ErrorDetails;
  /** The value of the script that a `throw` statement threw. */
  readonly thrown?: unknown;
  /** The calls that the error passed through, the innermost first. */
  readonly calls?: readonly Call[];
}

/**
 * The most characters of an error's reason. A limit is needed, because a script may throw a long text, and the reason
 * may contain long names.
 */
const MAX_REASON = 10_000;

const bounded = (text: string): string => text.length > MAX_REASON ? `${text.slice(0, MAX_REASON)}…` : text;

const placeText = ({ line, column }: Position): string => ` (line ${line}, position ${column})`;

const callText = ({ name }: Call): string =>
  name.startsWith(CLOSURE_PREFIX) ? '\nin closure call' : `\nin call to function '${name}'`;

/**
 * A script can't be compiled, or has failed. The message ends with the position of the outermost call that the error
 * passed through.
 */
export class RhaiError extends Error {
  override name = 'RhaiError';
  readonly kind: RhaiErrorKind;
  /** The message without positions and calls. */
  readonly reason: string;
  /** The position of the error. */
  readonly line: number;
  readonly column: number;
  readonly details: ErrorDetails;
  readonly thrown: unknown;
  readonly calls: readonly Call[];

  constructor(kind: RhaiErrorKind, reason: string, at: Position, { details = {}, thrown, calls = [] }: ErrorInit = {}) {
    const text = bounded(reason);
    super([`${text}${placeText(at)}`, ...calls.map((call) => callText(call) + placeText(call.at))].join(''));
    this.kind = kind;
    this.reason = text;
    this.line = at.line;
    this.column = at.column;
    this.details = details;
    this.thrown = thrown;
    this.calls = calls;
  }

  /** The position at the end of the message. */
  get outermost(): Position {
    return this.calls.at(-1)?.at ?? this;
  }

  /** The message without the position at its end. */
  get text(): string {
    return this.message.slice(0, -placeText(this.outermost).length);
  }

  /** Returns this error after it has passed through more calls, the innermost first. */
  within(calls: readonly Call[]): RhaiError {
    return new RhaiError(this.kind, this.reason, this, { ...this, calls: [...this.calls, ...calls] });
  }

  /** Returns this error at another position. */
  movedTo(at: Position): RhaiError {
    const calls = this.calls.map((call, index) => index === this.calls.length - 1 ? { ...call, at } : call);
    return new RhaiError(this.kind, this.reason, calls.length === 0 ? at : this, { ...this, calls });
  }

  get isCatchable(): boolean {
    return !UNCATCHABLE.has(this.kind);
  }
}
