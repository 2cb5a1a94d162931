import { debugText } from '../../runner/rhai/display.ts';
import { RhaiError } from '../../runner/rhai/errors.ts';
import type { RhaiLimits } from '../../runner/rhai/limits.ts';
import { compileScript, type RunOptions } from '../../runner/rhai/script.ts';
import { typeName } from '../../runner/rhai/values.ts';

/** Returns a script's result as `debug` shows it. For a decimal, adds the type, because the text does not show it. */
export function evaluate(source: string, options?: RunOptions, limits?: Partial<RhaiLimits>): string {
  const { value } = compileScript(source, limits).run(options);
  return typeName(value) === 'decimal' ? `${debugText(value)} decimal` : debugText(value);
}

/**
 * Returns the failure of a script as `kind line:column reason`. Throws for other errors, and if the script does not
 * fail.
 */
export function failureOf(source: string, options?: RunOptions, limits?: Partial<RhaiLimits>): string {
  try {
    evaluate(source, options, limits);
  } catch (error) {
    if (!(error instanceof RhaiError)) throw error;
    return `${error.kind} ${error.line}:${error.column} ${error.reason}`;
  }
  throw new Error(`this script does not fail: ${source}`);
}
