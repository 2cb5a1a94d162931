import { askParser, checkCode, CODE_LIBRARIES, CodeError, variablesOf } from './author_code.ts';
import { MachineError, type MachineHooks } from './machine_hooks.ts';
import { openSandbox } from './sandbox.ts';

/** Parses a script with these inputs. Throws a CodeError for a fault. Passes on the errors of `onProgress`. */
type ParseCode = (source: string, inputNames: readonly string[], onProgress: () => void) => void;

/** Parses the expression of an edge. Throws a CodeError for a fault. Passes on the errors of `onProgress`. */
type ParseExpression = (expression: string, onProgress: () => void) => void;

const off = (): never => {
  throw new Error('a script that is only parsed must not run');
};

/** Parses by `parse`. If the source breaks the sandbox, throws a CodeError, too. */
function parseBy(
  parse: (hooks: MachineHooks) => void,
  given: Pick<MachineHooks, 'onProgress'> & Partial<MachineHooks>,
) {
  try {
    parse({ onLog: () => {}, now: off, random: off, ...given });
  } catch (error) {
    throw error instanceof MachineError ? new CodeError(error.message, undefined) : error;
  }
}

/** Loads the parser of scripts in JavaScript. */
export async function openCodeParser(): Promise<ParseCode> {
  const sandbox = await openSandbox(CODE_LIBRARIES);
  return (source, inputNames, onProgress) =>
    parseBy((hooks) => checkCode(sandbox, source, variablesOf(inputNames), hooks), { onProgress });
}

/** Loads the parser of the expressions on edges. */
export async function openExpressionParser(): Promise<ParseExpression> {
  const sandbox = await openSandbox(['jsonata']);
  return (expression, onProgress) =>
    parseBy(
      (hooks) => askParser(sandbox, { library: 'jsonata', call: 'library.checkFixed(source)' }, expression, hooks),
      // The library reads the clock when it parses. The clock stands at 0, as it does when an expression of an edge
      // runs.
      { onProgress, now: () => 0 },
    );
}
