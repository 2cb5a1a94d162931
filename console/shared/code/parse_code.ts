import { RhaiError } from '../../../runner/rhai/errors.ts';
import { DEFAULT_LIMITS } from '../../../runner/rhai/limits.ts';
import { CodeError } from '../../../runner/script/author_code.ts';
import { scriptClock } from '../../../runner/script/sandbox.ts';

/** A request of the page to the worker that parses code. */
export interface ParseTask {
  language: 'rhai' | 'javascript' | 'jsonata';
  source: string;
  /** The names of the node's inputs. */
  inputs: readonly string[];
}

/** A fault of a source. Lines and columns count from 1. */
export interface CodeFault {
  line: number;
  column: number;
  message: string;
}

/** The time limit for parsing one source. A deploy has the same limit. */
const MAX_PARSE_MS = 500;

/** Thrown when the time for parsing is over. */
class TimeOver extends Error {}

/** Parses a source with the runner's own parser. Throws a RhaiError or a CodeError. */
async function parse({ language, source, inputs }: ParseTask): Promise<void> {
  if (language === 'rhai') {
    const { parseScript } = await import('../../../runner/rhai/parsing/parser.ts');
    return void parseScript(source, DEFAULT_LIMITS);
  }
  const { openCodeParser, openExpressionParser } = await import('../../../runner/script/parse_code.ts');
  const timed = () => {
    const until = scriptClock() + MAX_PARSE_MS;
    return () => {
      if (scriptClock() > until) throw new TimeOver();
    };
  };
  if (language === 'javascript') (await openCodeParser())(source, inputs, timed());
  else (await openExpressionParser())(source, timed());
}

/** Converts the position in an error of JSONata to a line and a column. The position is a number of characters. */
function placeOfCharacter(source: string, reason: string): { line: number; column: number } {
  const end = Number(/ \(character (\d+)\)$/.exec(reason)?.[1] ?? 1);
  const before = source.slice(0, Math.max(0, end - 1)).split('\n');
  return { line: before.length, column: before.at(-1)!.length + 1 };
}

/** Returns the faults that the runner finds when it parses a source. The parsers stop at the first fault. */
export async function parseCode(task: ParseTask): Promise<CodeFault[]> {
  try {
    await parse(task);
    return [];
  } catch (error) {
    if (error instanceof TimeOver) return [];
    if (error instanceof RhaiError) return [{ line: error.line, column: error.column, message: error.reason }];
    if (!(error instanceof CodeError)) throw error;
    const place = task.language === 'jsonata'
      ? placeOfCharacter(task.source, error.reason)
      : error.place ?? { line: 1, column: 1 };
    return [{ ...place, message: error.reason }];
  }
}
