import { parse, TomlError } from 'smol-toml';
import { UsageError } from '../usage_error.ts';

const BEGIN = '# begin flow-deployments: `npx flows install` writes the lines down to `end flow-deployments`.';
const END = '# end flow-deployments';

/** A config.toml, divided at the lines of an installation. The parts in their order are the whole text. */
interface DividedConfig {
  before: string;
  /** The lines of the installation without the last line break; undefined if there are none. */
  lines: string | undefined;
  after: string;
}

/** Makes the entries of the functions in config.toml, with the comments that mark them. */
export const configLines = (functions: string[]): string =>
  [
    BEGIN,
    '# verify_jwt is off, because the functions also accept API keys, public keys and run tokens.',
    ...functions.flatMap((name, index) => [
      ...index === 0 ? [] : [''],
      `[functions.${name}]`,
      'verify_jwt = false',
      `entrypoint = "./functions/${name}/index.js"`,
    ]),
    END,
  ].join('\n');

/** Finds the lines of an installation. */
export function divideConfig(text: string): DividedConfig {
  const places = (marker: RegExp) => [...text.matchAll(marker)];
  const [begin, ...otherBegins] = places(/^# begin flow-deployments\b.*$/gm);
  const [end, ...otherEnds] = places(/^# end flow-deployments\b[^\r\n]*/gm);
  if (begin === undefined && end === undefined) return { before: text, lines: undefined, after: '' };
  if (
    begin === undefined || end === undefined || end.index < begin.index || otherBegins.length + otherEnds.length > 0
  ) {
    throw new UsageError(
      'supabase/config.toml must have one line "# begin flow-deployments", and after it one line ' +
        '"# end flow-deployments", around the entries that `flows install` wrote.',
    );
  }
  const stop = end.index + end[0].length;
  return { before: text.slice(0, begin.index), lines: text.slice(begin.index, stop), after: text.slice(stop) };
}

/** Parses a config.toml. Throws a UsageError that names the faulty line. */
function parseConfig(text: string): { functions?: unknown } {
  try {
    return parse(text.replace(/^\ufeff/, ''));
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [what = ''] = error.message.split('\n');
    throw new UsageError(`supabase/config.toml, line ${error.line}, column ${error.column}: ${what}`);
  }
}

/** Lists the functions that a config.toml has entries of. */
export function functionsInConfig(text: string): string[] {
  const { functions } = parseConfig(text);
  return typeof functions === 'object' && functions !== null ? Object.keys(functions) : [];
}

/** Puts lines at their place in a config.toml, or at its end. All other text stays as it is. */
export function withConfigLines({ before, lines: former, after }: DividedConfig, lines: string): string {
  const lineBreak = before.includes('\r\n') || after.includes('\r\n') ? '\r\n' : '\n';
  const written = lines.replaceAll('\n', lineBreak);
  if (former !== undefined) return before + written + after;
  const gap = before === '' ? '' : before.endsWith('\n') ? lineBreak : lineBreak + lineBreak;
  const text = before + gap + written + lineBreak;
  try {
    parseConfig(text);
  } catch {
    // The text before was valid. So `functions` is no table that later lines can extend.
    throw new UsageError(
      'supabase/config.toml has its functions in one value, to which no entries can be added. Write each of them as ' +
        '[functions.<name>].',
    );
  }
  return text;
}
