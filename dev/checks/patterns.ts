import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type Argument, parseSync, Visitor } from 'oxc-parser';
import { runCommand } from '../stack/command.ts';
import { projectDir } from '../stack/paths.ts';
import { StackError } from '../stack/stack_error.ts';
import { toolsDir } from '../tools/tools.ts';

/** A regular expression in a source file. */
interface Pattern {
  /** Path and line. */
  place: string;
  source: string;
  flags: string;
}

/**
 * Folders whose patterns are matched against texts of callers and servers. Tests are excluded, because their patterns
 * match only the project's own answers.
 */
const CHECKED_FILES = [
  'functions/*.ts',
  'types/*.ts',
  'runner/*.ts',
  'platform/*.ts',
  'client/*.ts',
  'dev/*.ts',
  'sql/*.sql',
  'dev/*.sql',
];

/** What recheck says of a pattern. */
type Analysis =
  | { status: 'safe' }
  | { status: 'vulnerable'; complexity: { summary: string }; attack: { pattern: string } }
  | { status: 'unknown'; error: { kind: string } };

/** The part of the package recheck that analyses a pattern. */
interface Recheck {
  check: (source: string, flags: string, options: { timeout: number }) => Promise<Analysis>;
}

/** Time limit for the analysis of one pattern; most take some milliseconds. */
const TIMEOUT_MS = 120_000;

const uncheckable = (place: string, what: string): StackError =>
  new StackError(`${place}: ${what} can't be checked: write the pattern as a literal.`);

/** Returns the text of a constant expression; undefined if it is computed at run time. */
function textOf(expression: Argument | undefined): string | undefined {
  if (expression?.type === 'Literal') return typeof expression.value === 'string' ? expression.value : undefined;
  if (expression?.type !== 'TemplateLiteral' || expression.expressions.length > 0) return undefined;
  return expression.quasis[0]?.value.cooked ?? undefined;
}

/**
 * Lists the regular expressions of a TypeScript file: literals, and `RegExp` of a text. Throws for a pattern that is
 * computed at run time.
 */
export function typeScriptPatterns(file: string, text: string): Pattern[] {
  const { program, errors } = parseSync(file, text);
  if (errors.length > 0) throw new StackError(`${file} can't be read: ${errors[0]!.message}`);
  const patterns: Pattern[] = [];
  const placeOf = (start: number) => `${file}:${text.slice(0, start).split('\n').length}`;
  const readCall = (start: number, [given, flags]: Argument[]) => {
    const [source, flagText] = [textOf(given), flags === undefined ? '' : textOf(flags)];
    if (source === undefined || flagText === undefined) {
      throw uncheckable(placeOf(start), 'a RegExp that is computed at run time');
    }
    patterns.push({ place: placeOf(start), source, flags: flagText });
  };
  const isRegExp = (callee: { type: string; name?: string }) =>
    callee.type === 'Identifier' && callee.name === 'RegExp';
  new Visitor({
    Literal(node) {
      if ('regex' in node) {
        patterns.push({ place: placeOf(node.start), source: node.regex.pattern, flags: node.regex.flags });
      }
    },
    NewExpression: ({ callee, start, arguments: args }) => void (isRegExp(callee as never) && readCall(start, args)),
    CallExpression: ({ callee, start, arguments: args }) => void (isRegExp(callee as never) && readCall(start, args)),
  }).visit(program);
  return patterns;
}

/** Character classes of the project's patterns that Postgres and JavaScript write differently. */
const POSIX_CLASSES: Record<string, string> = {
  '[:space:]': '\\s',
  '[:digit:]': '\\d',
  '[:alpha:]': 'A-Za-z',
  '[:alnum:]': 'A-Za-z0-9',
};

const toJavaScript = (pattern: string): string =>
  Object.entries(POSIX_CLASSES).reduce((text, [posix, script]) => text.replaceAll(posix, script), pattern);

/** Replaces the comments of a SQL text by blanks, so that positions stay the same. */
export const withoutComments = (sql: string): string =>
  sql.split('\n').map((line) => line.trimStart().startsWith('--') ? ' '.repeat(line.length) : line).join('\n');

/**
 * Lists the regular expressions of a SQL file in JavaScript's syntax: those of `~` and similar operators, and of
 * `substring(… from '…')`. Throws for a pattern that is not a literal, and for SQL functions whose patterns are not
 * read here.
 */
export function sqlPatterns(file: string, text: string): Pattern[] {
  const sql = withoutComments(text);
  const placeOf = (index: number) => `${file}:${sql.slice(0, index).split('\n').length}`;
  const unread = /\b(?:regexp_\w+|similar to|like_regex)\b/i.exec(sql);
  if (unread !== null) throw uncheckable(placeOf(unread.index), unread[0]);
  const operators = [...sql.matchAll(/!?~\*? |\bfrom (?=')/g)]
    .filter(({ 0: operator, index }) => operator !== 'from ' || !sql.slice(0, index).endsWith('distinct '));
  return operators.map(({ 0: operator, index }) => {
    const literal = /^'((?:[^']|'')*)'/.exec(sql.slice(index + operator.length))?.[1];
    if (literal === undefined) throw uncheckable(placeOf(index), operator.trim());
    return {
      place: placeOf(index),
      source: toJavaScript(literal.replaceAll("''", "'")),
      flags: operator.includes('*') ? 'i' : '',
    };
  });
}

/** Lists the regular expressions of a file. */
export function filePatterns(file: string): Pattern[] {
  const text = readFileSync(join(projectDir, file), 'utf8');
  return file.endsWith('.sql') ? sqlPatterns(file, text) : typeScriptPatterns(file, text);
}

/**
 * Throws a StackError if a pattern needs more than linear time on some text. The error names all such patterns and
 * texts.
 */
export async function checkPatterns(patterns: Pattern[]): Promise<void> {
  const faults: string[] = [];
  // SAFETY: dev/tools/package-lock.json pins the version.
  const { check } = createRequire(join(await toolsDir(), 'package.json'))('recheck') as Recheck;
  for (const { place, source, flags } of patterns) {
    const result = await check(source, flags, { timeout: TIMEOUT_MS });
    if (result.status === 'safe') continue;
    const why = result.status === 'vulnerable'
      ? `${result.complexity.summary}, as on ${result.attack.pattern}`
      : `the analysis can't tell how long it takes (${result.error.kind})`;
    faults.push(`${place}: /${source}/${flags}: ${why}`);
  }
  if (faults.length > 0) {
    throw new StackError(`Patterns must take linear time on every text:\n${faults.join('\n')}`);
  }
}

/** Lists the files whose patterns are checked, by `git ls-files`. */
export async function filesWithPatterns(): Promise<string[]> {
  const listed = await runCommand('git', ['ls-files', '--cached', '--others', '--exclude-standard', ...CHECKED_FILES], {
    name: 'git ls-files',
    cwd: projectDir,
  });
  return listed.trim().split('\n').filter((file) =>
    !file.endsWith('.test.ts') && !file.startsWith('supabase/migrations/')
  );
}
