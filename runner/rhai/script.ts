import type { Variable } from './parsing/ast.ts';
import type { RunHooks } from './budget.ts';
import { type CompiledProgram, compileProgram } from './compiling/compile.ts';
import { RhaiError } from './errors.ts';
import { standardLibrary } from './library/table.ts';
import { DEFAULT_LIMITS, type RhaiLimits } from './limits.ts';
import { parseScript } from './parsing/parser.ts';
import { Frame, Run, ScriptExit } from './run.ts';
import { Cell, type RhaiValue } from './values.ts';

export interface RunOptions extends Partial<RunHooks> {
  /**
   * Variables of the script's top level, by name. The run may change them, so the caller must not use them afterwards.
   */
  variables?: Iterable<readonly [string, RhaiValue]>;
  constants?: Iterable<readonly [string, RhaiValue]>;
}

export interface EvaluatedScript {
  /** The value of the script's last statement, or the returned value. */
  value: RhaiValue;
  /** The variables and constants of the top level, with their final values. */
  variables: Map<string, RhaiValue>;
}

/** A script that can be run any number of times. */
export interface RhaiScript {
  /** Runs the script. Throws a RhaiError if the script fails, and any error that `onProgress` throws. */
  run: (options?: RunOptions) => EvaluatedScript;
}

const nothing = (): void => {};

const DEFAULT_HOOKS: RunHooks = {
  onPrint: nothing,
  onDebug: nothing,
  onProgress: nothing,
  now: Date.now,
  random: Math.random,
};

/**
 * Compiles a script of the Rhai language (https://rhai.rs/book), version 1.26: the language and its standard library,
 * without modules, `eval` and custom types. Throws a RhaiError of kind Syntax with the fault and its position.
 */
export function compileScript(source: string, limits: Partial<RhaiLimits> = {}): RhaiScript {
  const allLimits = { ...DEFAULT_LIMITS, ...limits };
  const program = parseScript(source, allLimits);
  const compiled = compileProgram(program);
  return {
    run: (options = {}) => runProgram(compiled, program, allLimits, options),
  };
}

function runProgram(
  { main, functions }: CompiledProgram,
  { given, declared, main: { at } }: ReturnType<typeof parseScript>,
  limits: RhaiLimits,
  { variables = [], constants = [], ...hooks }: RunOptions,
): EvaluatedScript {
  const constantValues = new Map(constants);
  const values = new Map([...variables, ...constantValues]);
  const run = new Run({
    limits,
    hooks: { ...DEFAULT_HOOKS, ...hooks },
    functions,
    natives: standardLibrary,
    given: new Set(values.keys()),
    constants: constantValues,
    at,
  });
  const frame = new Frame(run, main.slotCount, undefined, true);
  for (const [name, variable] of given) {
    const value = values.get(name);
    if (value !== undefined) frame.define(variable, value);
  }
  const value = evaluate(run, () => main.body(frame));
  for (const variable of [...given.values(), ...declared]) {
    const final = valueIn(frame, variable);
    if (final !== undefined) values.set(variable.name, final);
  }
  return { value, variables: values };
}

function valueIn({ slots }: Frame, { slot }: Variable): RhaiValue | undefined {
  const value = slots[slot];
  return value instanceof Cell ? value.value : value;
}

function evaluate(run: Run, body: () => RhaiValue): RhaiValue {
  try {
    return body();
  } catch (error) {
    if (error instanceof ScriptExit) return error.value;
    // Normally the depth limit is reached first. But the caller of the script may already have used most of the stack.
    if (error instanceof RangeError) {
      throw new RhaiError('StackOverflow', 'Stack overflow: too many calls within each other', run.at);
    }
    throw error instanceof RhaiError ? run.traced(error) : error;
  }
}
