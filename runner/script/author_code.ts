import { scriptLimits } from '../../types/limits/scripts.ts';
import type { GuestAnswer, MachineHooks } from './machine_hooks.ts';
import { RecentSources } from './recent_sources.ts';
import { RESERVED_WORDS } from './reserved_words.ts';
import type { Sandbox } from './sandbox.ts';

/** The longest text of a script. */
const MAX_SOURCE_CHARACTERS = scriptLimits.script_source_characters.value;

/** A place in the author's source. Lines and columns count from 1. */
interface SourcePlace {
  line: number;
  column: number;
}

/** An error of the author's code. */
export class CodeError extends Error {
  override name = 'CodeError';
  /** The message without its place. */
  readonly reason: string;
  readonly place: SourcePlace | undefined;

  constructor(reason: string, place: SourcePlace | undefined) {
    super(place === undefined ? reason : `${reason} (line ${place.line}, column ${place.column})`);
    this.reason = reason;
    this.place = place;
  }
}

/**
 * Returns the names of the inputs that are variables of a script. A script can read other inputs only as members of
 * `inputs`.
 */
export const variablesOf = (names: readonly string[]): string[] => [
  ...new Set(names.filter((name) => /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name) && !RESERVED_WORDS.has(name))),
];

/**
 * Makes the text of a function around the author's source, which begins in the first line. `prefix` is the length of
 * the text before the source.
 */
function wrap(source: string, variables: readonly string[]): { code: string; prefix: number } {
  const head = `(log, ENV, inputs) => async function (${variables.join(', ')}) {"use strict";`;
  return { code: `${head}${source}\n}`, prefix: head.length };
}

/** Matches the place in the first stack frame that lies in the author's source. */
const FRAME = /\bscript:(\d{1,9}):(\d{1,9})/;

function placeIn(stack: string, prefix: number): SourcePlace | undefined {
  const [, line, column] = FRAME.exec(stack) ?? [];
  if (line === undefined || column === undefined) return undefined;
  const place = { line: Number(line), column: Number(column) - (line === '1' ? prefix : 0) };
  return place.column < 1 ? undefined : place;
}

/**
 * Makes the error that the guest reports. If the place of the error is behind the end of the source, the end of the
 * source becomes its place.
 */
function codeError(
  { error, stack }: { error: string; stack: string },
  source: string,
  prefix: number,
): CodeError {
  const place = placeIn(stack, prefix);
  const lines = source.split('\n');
  const isBehind = place !== undefined && place.line > lines.length;
  return new CodeError(error, isBehind ? { line: lines.length, column: lines.at(-1)!.length + 1 } : place);
}

/**
 * Tests whether a source that is valid JavaScript may have another meaning in TypeScript. For example, `f<T>(x)` is a
 * call in TypeScript, but two comparisons in JavaScript.
 */
function isAmbiguous(source: string): boolean {
  const first = source.indexOf('<');
  if (first === -1) return false;
  for (let at = source.indexOf('>', first); at !== -1; at = source.indexOf('>', at + 1)) {
    if (source[at - 1] === '=') continue;
    let next = at + 1;
    while (' \t\n\r'.includes(source[next] ?? '-')) next += 1;
    if ('(`'.includes(source[next] ?? '-')) return true;
  }
  return false;
}

/** Makes the error of a library. Drops the class name `Error`, which adds no information. */
export const libraryError = (error: string): CodeError => new CodeError(error.replace(/^Error: /, ''), undefined);

/** Parses a text with a library of the sandbox, and returns the outputs. Throws a CodeError if the library fails. */
export function askParser<Outputs>(
  sandbox: Sandbox,
  { library, call, outputs = [] }: { library: 'typescript' | 'jsonata'; call: string; outputs?: (keyof Outputs)[] },
  source: string,
  hooks: MachineHooks,
): Outputs {
  const task = JSON.stringify({
    o: {
      inputs: { o: { source } },
      parameters: ['source'],
      environment: { o: {} },
      outputs,
      maxCharacters: 8 * MAX_SOURCE_CHARACTERS,
      hasRandom: false,
    },
  });
  const answered = sandbox.run(library, `() => async (source) => ${call}`, task, hooks);
  if (!('answer' in answered)) throw new CodeError(answered.error, undefined);
  const parsed = JSON.parse(answered.answer) as { outputs?: Outputs; error?: string };
  if (parsed.outputs === undefined) throw libraryError(parsed.error ?? 'the source was not parsed');
  return parsed.outputs;
}

/** The outputs of the library that removes types. */
type WithoutTypes = { text?: string; message: string } & SourcePlace;

/** Removes the types from a source. Throws a CodeError with the place of a fault. */
function withoutTypes(sandbox: Sandbox, source: string, hooks: MachineHooks): string {
  const { text, message, line, column } = askParser<WithoutTypes>(
    sandbox,
    {
      library: 'typescript',
      call: 'library(source)',
      outputs: ['text', 'message', 'line', 'column'],
    },
    source,
    hooks,
  );
  if (text === undefined) throw new CodeError(`SyntaxError: ${message}`, { line, column });
  return text;
}

/** Caches the results of removing types by their sources, because a loop runs the same source again and again. */
const stripped = new RecentSources<string>(4 * MAX_SOURCE_CHARACTERS, MAX_SOURCE_CHARACTERS);

/**
 * Evaluates the author's source. Types are removed only if the source is not valid JavaScript, or if TypeScript may
 * give it another meaning. Throws a CodeError with the fault and its place.
 */
function evaluate(source: string, variables: readonly string[], sandbox: Sandbox, by: Evaluation): string {
  if (source.length > MAX_SOURCE_CHARACTERS) {
    throw new CodeError(`the script has more than ${MAX_SOURCE_CHARACTERS} characters`, undefined);
  }
  const known = stripped.get(source);
  if (known === undefined && !isAmbiguous(source)) {
    const { code, prefix } = wrap(source, variables);
    const answered = by.run(code);
    if ('answer' in answered) return answered.answer;
    if (answered.isParsed) throw codeError(answered, source, prefix);
  }
  const text = known ?? withoutTypes(sandbox, source, by.hooks);
  stripped.set(source, text);
  const { code, prefix } = wrap(text, variables);
  const answered = by.run(code);
  if ('answer' in answered) return answered.answer;
  throw codeError(answered, source, prefix);
}

/** The task for the code, and the hooks that the host provides. */
interface Evaluation {
  run: (code: string) => GuestAnswer;
  hooks: MachineHooks;
}

/** The libraries that author's code may need. */
export const CODE_LIBRARIES = ['none', 'typescript'] as const;

/** Parses the author's source. Throws a CodeError. */
export function checkCode(sandbox: Sandbox, source: string, variables: readonly string[], hooks: MachineHooks): void {
  evaluate(source, variables, sandbox, { run: (code) => sandbox.parse(code, hooks), hooks });
}

/** Runs the author's source with a task, and returns the guest's answer. Throws a CodeError. */
export function runCode(
  sandbox: Sandbox,
  { source, variables, task }: { source: string; variables: readonly string[]; task: string },
  hooks: MachineHooks,
): { answer: string; toError: (failure: { error: string; stack: string }) => CodeError } {
  const answer = evaluate(source, variables, sandbox, { run: (code) => sandbox.run('none', code, task, hooks), hooks });
  const { prefix } = wrap('', variables);
  return { answer, toError: (failure) => codeError(failure, source, prefix) };
}
