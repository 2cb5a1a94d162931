import type { FunctionNode, Node, NodeOf, Program, Variable } from '../parsing/ast.ts';
import type { CompiledFunction, Evaluate, Frame } from '../run.ts';
import type { RhaiValue } from '../values.ts';

/**
 * The ways in which code around a node can end early. Statements set a signal in the frame, which each block checks.
 * Within an expression no code checks the frame, so the signal is thrown.
 */
export interface Context {
  readonly signalsReturn: boolean;
  readonly signalsLoop: boolean;
  /** The function around the node; `throwsReturn` is set if the function must catch thrown returns. */
  readonly fn: { throwsReturn: boolean };
  /** The loop around the node; `throwsControl` is set if the loop must catch thrown breaks. */
  readonly loop: { throwsControl: boolean };
}

export type CompileNode<Kind extends Node['kind']> = (
  compiler: Compiler,
  node: NodeOf<Kind>,
  context: Context,
) => Evaluate;

/** The functions that the parts of the compiler share. Each kind of node has a compile function of its own. */
export interface Compiler {
  readonly program: Program;
  /** The names of the script's functions that take any type. */
  readonly functionNames: ReadonlySet<string>;
  /**
   * The keys `name/arity` of the script's functions that can be called as methods. For a method of one type, the key
   * here lacks the type.
   */
  readonly methodKeys: ReadonlySet<string>;
  /** True if functions see a variable as a member of `global`. */
  isGlobal: (variable: Variable) => boolean;
  /**
   * Compiles any node. If the node reads an array or map from a variable, the compiled node returns the variable's own
   * value and not a copy.
   */
  compile: (node: Node, context: Context) => Evaluate;
  /** Compiles a node within an expression. */
  operand: (node: Node, context: Context) => Evaluate;
  /** Like `operand`, but the compiled node returns a copy, which can be stored in another place. */
  owned: (node: Node, context: Context) => Evaluate;
  compileFunction: (node: FunctionNode) => CompiledFunction;
}

/** True if a node's value is in a variable or in a part of one. */
export const isPlace = (node: Node): boolean =>
  node.kind === 'variable' || node.kind === 'this' || node.kind === 'index' || node.kind === 'property' ||
  node.kind === 'global' || node.kind === 'unknown' || (node.kind === 'chain' && isPlace(node.body)) ||
  (node.kind === 'logic' && node.operator === '??');

/** Returns the context of an expression's operands. */
export const inExpression = (context: Context): Context => ({ ...context, signalsReturn: false, signalsLoop: false });

/** Evaluates nodes in order. Uses a loop, because `map` would take two more stack frames for each level of nesting. */
export function evaluateAll(nodes: readonly Evaluate[], frame: Frame): RhaiValue[] {
  const values: RhaiValue[] = [];
  for (const node of nodes) values.push(node(frame));
  return values;
}
