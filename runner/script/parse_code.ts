import { checkCode, CODE_LIBRARIES, CodeError, variablesOf } from './author_code.ts';
import { MachineError } from './machine_hooks.ts';
import { openSandbox } from './sandbox.ts';

/** Parses a script with these inputs. Throws a CodeError, and what `onProgress` throws. */
export type ParseCode = (source: string, inputNames: readonly string[], onProgress: () => void) => void;

const off = (): never => {
  throw new Error('a script that is only parsed does nothing');
};

/** Loads the parser of scripts in JavaScript. */
export async function openCodeParser(): Promise<ParseCode> {
  const sandbox = await openSandbox(CODE_LIBRARIES);
  return (source, inputNames, onProgress) => {
    try {
      checkCode(sandbox, source, variablesOf(inputNames), { onProgress, onLog: () => {}, now: off, random: off });
    } catch (error) {
      throw error instanceof MachineError ? new CodeError(error.message, undefined) : error;
    }
  };
}
