import type { Position } from '../errors.ts';
import type { RhaiValue } from '../values.ts';

/** A variable, constant or parameter, as the parser found it. */
export interface Variable {
  readonly name: string;
  /** The variable's index among the variables of its function. */
  readonly slot: number;
  readonly isConstant: boolean;
  /** True if the script does not define the variable. Only the caller of the script can then define it. */
  readonly isGiven: boolean;
  /** True if a closure shares the variable. The variable's value is then kept in a cell. */
  isCaptured: boolean;
  /** How many variables of the function exist when this variable is defined, including this variable. */
  readonly count: number;
}

export interface Capture {
  /** The variable in the function that makes the closure. */
  readonly outer: Variable;
  /** The variable in the closure. */
  readonly inner: Variable;
}

export interface FunctionNode {
  readonly name: string;
  readonly params: readonly Variable[];
  readonly captures: readonly Capture[];
  readonly body: Node;
  readonly slotCount: number;
  /** The depth to which the function's nodes are nested. The evaluation can't nest deeper. */
  readonly depth: number;
  readonly at: Position;
}

/** The names that are defined at one position of the source. */
export interface VisibleNames {
  /** Finds a variable of the function itself, or one that a closure captured. */
  readonly find: (name: string) => Variable | undefined;
  /** True if the name is defined by the function or, for a closure, by a function around it. */
  readonly has: (name: string) => boolean;
  /** If true, variables that the caller of the script gives are visible too. */
  readonly seesGiven: boolean;
  /** Number of blocks that a search for a name reads, including the blocks of the functions around a closure. */
  readonly blockCount: number;
}

export interface MapEntry {
  readonly key: string;
  readonly value: Node;
}

export interface SwitchCase {
  /** Literals or ranges, one of which must match. Empty for the default case. */
  readonly patterns: readonly RhaiValue[];
  readonly guard: Node | undefined;
  readonly body: Node;
}

export type BinaryOperator =
  | '+'
  | '-'
  | '*'
  | '/'
  | '%'
  | '**'
  | '<<'
  | '>>'
  | '&'
  | '|'
  | '^'
  | '=='
  | '!='
  | '<'
  | '<='
  | '>'
  | '>='
  | 'in'
  | '!in'
  | '..'
  | '..=';

type Shape =
  | { readonly kind: 'literal'; readonly value: RhaiValue }
  | { readonly kind: 'template'; readonly parts: readonly (string | Node)[] }
  | { readonly kind: 'array'; readonly items: readonly Node[] }
  | { readonly kind: 'map'; readonly entries: readonly MapEntry[] }
  | { readonly kind: 'variable'; readonly variable: Variable }
  /** A name that is not defined at this position. */
  | { readonly kind: 'unknown'; readonly name: string }
  /** A constant of the top level, reached from a function. */
  | { readonly kind: 'global'; readonly name: string }
  | { readonly kind: 'this' }
  | { readonly kind: 'unary'; readonly operator: '-' | '+' | '!'; readonly operand: Node }
  | { readonly kind: 'binary'; readonly operator: BinaryOperator; readonly left: Node; readonly right: Node }
  | { readonly kind: 'logic'; readonly operator: '&&' | '||' | '??'; readonly left: Node; readonly right: Node }
  | ({ readonly kind: 'index'; readonly index: Node } & Link)
  | ({ readonly kind: 'property'; readonly name: string } & Link)
  | ({ readonly kind: 'method'; readonly name: string; readonly args: readonly Node[] } & Link)
  /** A whole chain of links. An optional link may end it early. */
  | { readonly kind: 'chain'; readonly body: Node }
  | {
    readonly kind: 'call';
    readonly name: string;
    readonly args: readonly Node[];
    /**
     * The names that are defined at the call. `is_def_var` checks them. A function that gets its caller's variables may
     * use them.
     */
    readonly names: VisibleNames | undefined;
    readonly isLending: boolean;
  }
  | { readonly kind: 'closure'; readonly closure: FunctionNode }
  | { readonly kind: 'block'; readonly body: readonly Node[] }
  | {
    readonly kind: 'if';
    readonly branches: readonly { test: Node; body: Node }[];
    readonly otherwise: Node | undefined;
  }
  | { readonly kind: 'switch'; readonly subject: Node; readonly cases: readonly SwitchCase[] }
  | { readonly kind: 'while'; readonly test: Node | undefined; readonly body: Node }
  | { readonly kind: 'do'; readonly body: Node; readonly test: Node; readonly isUntil: boolean }
  | {
    readonly kind: 'for';
    readonly variable: Variable;
    readonly counter: Variable | undefined;
    readonly source: Node;
    readonly body: Node;
  }
  | { readonly kind: 'let'; readonly variable: Variable; readonly initial: Node | undefined }
  | {
    readonly kind: 'assign';
    readonly target: Node;
    readonly operator: BinaryOperator | undefined;
    readonly value: Node;
  }
  | { readonly kind: 'return'; readonly value: Node | undefined }
  | { readonly kind: 'break'; readonly value: Node | undefined }
  | { readonly kind: 'continue' }
  | { readonly kind: 'throw'; readonly value: Node | undefined; readonly rethrows: Variable | undefined }
  | { readonly kind: 'try'; readonly body: Node; readonly variable: Variable; readonly handler: Node };

/** One link of a chain of properties, indexes and methods. */
interface Link {
  readonly base: Node;
  /** If true, the whole chain evaluates to unit when this link's base is unit. */
  readonly isOptional: boolean;
  /** If true, this link or one before it is optional. */
  readonly mayEnd: boolean;
}

/** An expression or a statement. In Rhai both have a value. */
export type Node = Shape & {
  readonly at: Position;
  /** The depth to which nodes are nested in this node. */
  readonly depth: number;
};

export type NodeOf<Kind extends Node['kind']> = Extract<Node, { kind: Kind }>;

/** A parsed script. */
export interface Program {
  readonly main: FunctionNode;
  /** Names of the top level that the script uses but does not define. The caller may define them. */
  readonly given: ReadonlyMap<string, Variable>;
  /** The variables that the script defines at its top level, in order. */
  readonly declared: readonly Variable[];
  /** The script's functions by `name/arity`. Methods for one type have the key `type.name/arity`. */
  readonly functions: ReadonlyMap<string, FunctionNode>;
}

/** Returns the key of a function that is a method of one type only. */
export const methodName = (type: string, name: string): string => `${type}.${name}`;

export const functionKey = (name: string, arity: number): string => `${name}/${arity}`;
