import { compileCall, compileClosure, compileMethod } from './compile_calls.ts';
import {
  compileArray,
  compileBinary,
  compileLiteral,
  compileLogic,
  compileMap,
  compileTemplate,
  compileUnary,
} from './compile_expressions.ts';
import { compileDo, compileFor, compileWhile } from './compile_loops.ts';
import {
  compileChain,
  compileGlobal,
  compileIndex,
  compileProperty,
  compileThis,
  compileUnknown,
  compileVariable,
} from './compile_places.ts';
import {
  catchControl,
  compileAssign,
  compileBlock,
  compileBreak,
  compileContinue,
  compileIf,
  compileLet,
  compileReturn,
  compileSwitch,
  compileTail,
  compileThrow,
  compileTry,
} from './compile_statements.ts';
import type { FunctionNode, Node, Program, Variable } from '../parsing/ast.ts';
import { type CompileNode, type Compiler, type Context, inExpression, isPlace } from './compiler.ts';
import { type CompiledFunction, type Evaluate, Signal } from '../run.ts';

const compilers: { [Kind in Node['kind']]: CompileNode<Kind> } = {
  literal: compileLiteral,
  template: compileTemplate,
  array: compileArray,
  map: compileMap,
  variable: compileVariable,
  unknown: compileUnknown,
  global: compileGlobal,
  this: compileThis,
  unary: compileUnary,
  binary: compileBinary,
  logic: compileLogic,
  index: compileIndex,
  property: compileProperty,
  chain: compileChain,
  call: compileCall,
  method: compileMethod,
  closure: compileClosure,
  block: compileBlock,
  if: compileIf,
  switch: compileSwitch,
  while: compileWhile,
  do: compileDo,
  for: compileFor,
  let: compileLet,
  assign: compileAssign,
  return: compileReturn,
  break: compileBreak,
  continue: compileContinue,
  throw: compileThrow,
  try: compileTry,
};

class ProgramCompiler implements Compiler {
  readonly program: Program;
  readonly functionNames: ReadonlySet<string>;
  readonly methodKeys: ReadonlySet<string>;
  readonly #globals: ReadonlySet<Variable>;

  constructor(program: Program) {
    const keys = [...program.functions.keys()];
    this.program = program;
    this.functionNames = new Set(keys.map((key) => key.slice(0, key.indexOf('/'))));
    this.methodKeys = new Set(keys.map((key) => key.slice(key.indexOf('.') + 1)));
    this.#globals = new Set(program.declared.filter(({ isConstant }) => isConstant));
  }

  isGlobal(variable: Variable): boolean {
    return this.#globals.has(variable);
  }

  compile(node: Node, context: Context): Evaluate {
    // SAFETY: the table maps each kind of node to a function for that kind. The type of a lookup can't express this.
    const compileNode = compilers[node.kind] as CompileNode<Node['kind']>;
    return compileNode(this, node, context);
  }

  operand(node: Node, context: Context): Evaluate {
    return this.compile(node, inExpression(context));
  }

  owned(node: Node, context: Context): Evaluate {
    const value = this.operand(node, context);
    return isPlace(node) ? (frame) => frame.run.copy(value(frame)) : value;
  }

  compileFunction(node: FunctionNode): CompiledFunction {
    const fn = { throwsReturn: false };
    const context = { signalsReturn: true, signalsLoop: false, fn, loop: { throwsControl: false } };
    const body = compileTail(this, node.body, context);
    return {
      name: node.name,
      params: node.params,
      captureSlots: node.captures.map(({ inner }) => inner.slot),
      slotCount: node.slotCount,
      depth: node.depth,
      body: fn.throwsReturn ? catchControl(body, [Signal.return]) : body,
    };
  }
}

/** The compiled functions of a program. `main` is the script itself. */
export interface CompiledProgram {
  readonly main: CompiledFunction;
  readonly functions: ReadonlyMap<string, CompiledFunction>;
}

/** Compiles a program to JavaScript closures. */
export function compileProgram(program: Program): CompiledProgram {
  const compiler = new ProgramCompiler(program);
  return {
    main: compiler.compileFunction(program.main),
    functions: new Map([...program.functions].map(([key, node]) => [key, compiler.compileFunction(node)])),
  };
}
