import type { FunctionNode, Node, NodeOf, Program, Variable } from './ast.ts';
import type { CompiledFunction, Evaluate, Frame } from './run.ts';
import type { RhaiValue } from './values.ts';

/**
 * How the code around a node can be left early. Statements set a signal in the frame, which each block looks at. Within an
 * expression nothing looks at the frame, so the signal is thrown.
 */
export interface Context {
  readonly signalsReturn: boolean;
  readonly signalsLoop: boolean;
  /** The function around the node. It is told when it must catch returns that are thrown. */
  readonly fn: { throwsReturn: boolean };
  /** The loop around the node. It is told when it must catch breaks that are thrown. */
  readonly loop: { throwsControl: boolean };
}

export type CompileNode<Kind extends Node['kind']> = (
  compiler: Compiler,
  node: NodeOf<Kind>,
  context: Context,
) => Evaluate;

/** What the parts of the compiler share. Each kind of node has a function of its own. */
export interface Compiler {
  readonly program: Program;
  /** The names of the script's functions that take any type. */
  readonly functionNames: ReadonlySet<string>;
  /** The keys of the script's functions as methods, without the type of those for one type. */
  readonly methodKeys: ReadonlySet<string>;
  /** Whether functions see a variable as a member of `global`. */
  isGlobal: (variable: Variable) => boolean;
  /** Compiles any node. Its value stays where it is: arrays and maps in variables are not copied. */
  compile: (node: Node, context: Context) => Evaluate;
  /** Compiles a node within an expression. */
  operand: (node: Node, context: Context) => Evaluate;
  /** Like `operand`, for a value that will be stored elsewhere and so must be its own copy. */
  owned: (node: Node, context: Context) => Evaluate;
  compileFunction: (node: FunctionNode) => CompiledFunction;
}

/** Whether a node's value is in a variable or in a part of one. */
export const isPlace = (node: Node): boolean =>
  node.kind === 'variable' || node.kind === 'this' || node.kind === 'index' || node.kind === 'property' ||
  node.kind === 'global' || node.kind === 'unknown' || (node.kind === 'chain' && isPlace(node.body)) ||
  (node.kind === 'logic' && node.operator === '??');

/** The context of an expression's operands. */
export const inExpression = (context: Context): Context => ({ ...context, signalsReturn: false, signalsLoop: false });

/** The values of nodes in order. A loop instead of a map saves two frames of the stack for each level of nesting. */
export function evaluateAll(nodes: readonly Evaluate[], frame: Frame): RhaiValue[] {
  const values: RhaiValue[] = [];
  for (const node of nodes) values.push(node(frame));
  return values;
}
