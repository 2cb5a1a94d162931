import type { FunctionNode, Node, NodeOf, Program, Variable } from './ast.ts';
import type { CompiledFunction, Evaluate, Frame } from './run.ts';
import type { RhaiValue } from './values.ts';

/**
 * How what is being compiled can be left early. At the level of statements a signal in the frame does it, which each block looks
 * at; in the midst of an expression, where nothing looks, it is thrown.
 */
export interface Context {
  readonly signalsReturn: boolean;
  readonly signalsLoop: boolean;
  /** Of the function: told when it must catch returns that are thrown. */
  readonly fn: { throwsReturn: boolean };
  /** Of the loop: told when it must catch breaks that are thrown. */
  readonly loop: { throwsControl: boolean };
}

export type CompileNode<Kind extends Node['kind']> = (
  compiler: Compiler,
  node: NodeOf<Kind>,
  context: Context,
) => Evaluate;

/** What the parts of the compiler share: each kind of node has a function of its own. */
export interface Compiler {
  readonly program: Program;
  /** Of the script's functions for any type. */
  readonly functionNames: ReadonlySet<string>;
  /** The keys under which methods are found, those of one type without it. */
  readonly methodKeys: ReadonlySet<string>;
  /** Whether functions see it as one of `global`. */
  isGlobal: (variable: Variable) => boolean;
  /** Any node, whose value stays where it is: arrays and maps in variables are not copied. */
  compile: (node: Node, context: Context) => Evaluate;
  /** A node in the midst of an expression. */
  operand: (node: Node, context: Context) => Evaluate;
  /** As `operand`, for a value that will be stored elsewhere, and so must be its own copy. */
  owned: (node: Node, context: Context) => Evaluate;
  compileFunction: (node: FunctionNode) => CompiledFunction;
}

/** Whether a node's value lies in a variable or a part of one. */
export const isPlace = (node: Node): boolean =>
  node.kind === 'variable' || node.kind === 'this' || node.kind === 'index' || node.kind === 'property' ||
  node.kind === 'global' || node.kind === 'unknown' || (node.kind === 'chain' && isPlace(node.body)) ||
  (node.kind === 'logic' && node.operator === '??');

/** The context of an expression's operands. */
export const inExpression = (context: Context): Context => ({ ...context, signalsReturn: false, signalsLoop: false });

/** The values of nodes in order. A loop, not a map: that would take two more frames of the stack for each. */
export function evaluateAll(nodes: readonly Evaluate[], frame: Frame): RhaiValue[] {
  const values: RhaiValue[] = [];
  for (const node of nodes) values.push(node(frame));
  return values;
}
