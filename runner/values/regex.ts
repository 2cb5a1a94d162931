import { type Matcher, RE2JS } from 're2js';
import { nodeLimits } from '../../types/limits/nodes.ts';
import { ConversionError } from '../../types/values/conversion.ts';
import { NodeError } from '../engine/node.ts';

/** The most characters of a pattern. Compiling a pattern of this length takes up to a few hundred milliseconds. */
const MAX_PATTERN_CHARACTERS = nodeLimits.pattern_characters.value;
/** The most steps of one search. A simple pattern of ten instructions can thus search 400,000 characters. */
const MAX_SEARCH_STEPS = nodeLimits.search_steps.value;
const MAX_SEARCH_MS = nodeLimits.search_ms.value;

/**
 * A match, and the texts of its groups. Group 0 is the match itself. The text is null for a group that took no part in
 * the match.
 */
interface Match {
  start: number;
  end: number;
  groups: (string | null)[];
}

/** A compiled pattern, and its groups by name. */
interface CompiledPattern {
  re: RE2JS;
  names: { [name: string]: number };
}

/** Compiles a regular expression in the syntax of RE2, which takes linear time. Throws a ConversionError. */
export function compilePattern(pattern: string, ignoreCase: boolean): CompiledPattern {
  if (pattern.length > MAX_PATTERN_CHARACTERS) {
    throw new ConversionError(`must have at most ${MAX_PATTERN_CHARACTERS} characters`, 'pattern');
  }
  try {
    const re = RE2JS.compile(pattern, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
    return { re, names: { ...re.namedGroups() } };
  } catch (error) {
    throw new ConversionError(`is not a regular expression of RE2: ${(error as Error).message}`, 'pattern');
  }
}

const groupsOf = (matcher: Matcher): (string | null)[] =>
  Array.from({ length: matcher.groupCount() + 1 }, (_, index) => matcher.group(index));

/**
 * Finds the matches in order, including empty ones. Throws a ConversionError if the text is too long for the pattern,
 * and a NodeError if all searches together take too long.
 */
export function* findMatches({ re }: CompiledPattern, text: string): Generator<Match> {
  if (text.length * re.programSize() > MAX_SEARCH_STEPS) {
    const most = Math.floor(MAX_SEARCH_STEPS / re.programSize());
    throw new ConversionError(`must have at most ${most} characters for this pattern`, 'string');
  }
  const end = performance.now() + MAX_SEARCH_MS;
  const matcher = re.matcher(text);
  while (matcher.find()) {
    yield { start: matcher.start(), end: matcher.end(), groups: groupsOf(matcher) };
    if (performance.now() > end) {
      throw new NodeError(`pattern: finding all matches takes longer than ${MAX_SEARCH_MS} ms`);
    }
  }
}

/** A replacement in parts: texts, and numbers of groups. */
type Replacement = (string | number)[];

/** Matches a reference that begins with `$`: a second dollar sign, a number, or a number or name in braces. */
const REFERENCE = /\$(?:(\$)|(\d{1,3})|\{(\w{1,100})\})?/g;

/** Reads a replacement such as `$1, ${2}0, ${name}`. Throws a ConversionError for a group that the pattern lacks. */
export function readReplacement(text: string, { re, names }: CompiledPattern): Replacement {
  const parts: Replacement = [];
  let end = 0;
  for (const { 0: whole, 1: dollar, 2: digits, 3: name, index } of text.matchAll(REFERENCE)) {
    parts.push(text.slice(end, index));
    end = index + whole.length;
    const number = digits ?? (name !== undefined && /^\d{1,3}$/.test(name) ? name : undefined);
    const group = number !== undefined
      ? Number(number)
      : name !== undefined && Object.hasOwn(names, name)
      ? names[name]
      : undefined;
    if (dollar !== undefined) parts.push('$');
    else if (group !== undefined && group <= re.groupCount()) parts.push(group);
    else {throw new ConversionError(
        '$ must be followed by a group of the pattern, as in $1, ${1} or ${name}, or by $',
        'replacement',
      );}
  }
  return [...parts, text.slice(end)];
}

/**
 * Fills the groups of a match into a replacement. A group that took no part in the match counts as empty. Returns
 * undefined, before making the text, if the text would be longer than `maxCharacters`.
 */
export function fillReplacement(
  replacement: Replacement,
  { groups }: Match,
  maxCharacters: number,
): string | undefined {
  const texts = replacement.map((part) => typeof part === 'string' ? part : groups[part] ?? '');
  const length = texts.reduce((sum, text) => sum + text.length, 0);
  return length > maxCharacters ? undefined : texts.join('');
}
