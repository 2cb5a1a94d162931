import { CodeError } from './author_code.ts';
import { MachineError } from './machine_hooks.ts';
import { markMembers } from './marked_json.ts';
import { openSandbox } from './sandbox.ts';

/** Parses the expression of an edge. Throws a CodeError with its fault, and what `onProgress` throws. */
export type ParseExpression = (expression: string, onProgress: () => void) => void;

const off = (): never => {
  throw new Error('an expression that is only parsed does nothing');
};

/** The task of the guest: to check one expression, and to return nothing. */
const taskOf = (expression: string): string =>
  JSON.stringify(markMembers([
    ['inputs', markMembers([['expression', expression]])],
    ['parameters', ['expression']],
    ['outputs', []],
    ['environment', markMembers([])],
    ['maxCharacters', 1_000],
    ['hasRandom', false],
  ]));

/** Loads the parser of the expressions on edges. */
export async function openExpressionParser(): Promise<ParseExpression> {
  const sandbox = await openSandbox(['jsonata']);
  return (expression, onProgress) => {
    const code = '() => async (expression) => { library.checkFixed(expression); }';
    try {
      // The library reads the clock when it parses. Expressions of edges have the same fixed time when they run.
      const hooks = { onProgress, onLog: () => {}, now: () => 0, random: off };
      const answered = sandbox.run('jsonata', code, taskOf(expression), hooks);
      const { error } = 'answer' in answered ? JSON.parse(answered.answer) as { error?: string } : answered;
      if (error !== undefined) throw new CodeError(error.replace(/^Error: /, ''), undefined);
    } catch (error) {
      throw error instanceof MachineError ? new CodeError(error.message, undefined) : error;
    }
  };
}
