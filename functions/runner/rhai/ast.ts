import type { Position } from './errors.ts';
import type { RhaiValue } from './values.ts';

/** A variable, constant or parameter, as the parser found it. */
export interface Variable {
  readonly name: string;
  /** Its place among the variables of its function. */
  readonly slot: number;
  readonly isConstant: boolean;
  /** The script does not define it: the caller of the script may. */
  readonly isGiven: boolean;
  /** A closure shares it, so its value is kept in a cell. */
  isCaptured: boolean;
  /** How many variables of its function exist when it is defined, itself included. */
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
  /** How deep its nodes are nested. It bounds the depth of the evaluation. */
  readonly depth: number;
  readonly at: Position;
}

/** The names that are defined at one place. */
export interface VisibleNames {
  /** Finds a variable of the function itself, or one that a closure captured. */
  readonly find: (name: string) => Variable | undefined;
  /** Whether the function, or a function around a closure, defines a name. */
  readonly has: (name: string) => boolean;
  /** Variables that the caller of the script gives are visible too. */
  readonly seesGiven: boolean;
  /** How many blocks a search for a name looks at, with those of the functions around a closure. */
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
  /** A name that nothing defines here. */
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
  /** A whole chain of links, one of which may end it early. */
  | { readonly kind: 'chain'; readonly body: Node }
  | {
    readonly kind: 'call';
    readonly name: string;
    readonly args: readonly Node[];
    /** The names for `is_def_var`, or for a function that is called with the variables of its caller. */
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
  /** The whole chain ends here with unit when its base is unit. */
  readonly isOptional: boolean;
  /** It or a link before it is optional. */
  readonly mayEnd: boolean;
}

/** An expression or a statement. In Rhai both have a value. */
export type Node = Shape & {
  readonly at: Position;
  /** How deep nodes are nested from here on. */
  readonly depth: number;
};

export type NodeOf<Kind extends Node['kind']> = Extract<Node, { kind: Kind }>;

/** A parsed script. */
export interface Program {
  readonly main: FunctionNode;
  /** Names of the top level that the script does not define: the caller may. */
  readonly given: ReadonlyMap<string, Variable>;
  /** What the script defines at its top level, in order. */
  readonly declared: readonly Variable[];
  /** By `name/arity`; methods of one type by `type.name/arity`. */
  readonly functions: ReadonlyMap<string, FunctionNode>;
}

/** How a function is called that is a method of one type only. */
export const methodName = (type: string, name: string): string => `${type}.${name}`;

export const functionKey = (name: string, arity: number): string => `${name}/${arity}`;
