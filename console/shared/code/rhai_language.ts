import { LanguageSupport, StreamLanguage, type StringStream } from '@codemirror/language';

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

const KEYWORDS = words(
  'let const if else switch do while until loop for in continue break return throw try catch fn private',
);
const ATOMS = words('true false this');
/** Names that Rhai reserves, so that scripts can't define them. */
const RESERVED = words(
  'import export as eval var static shared goto match case public protected new use with is module package super ' +
    'thread spawn go await async sync yield default void null nil',
);

/** The most levels of expressions in back-tick strings. An expression at a deeper level is coloured like the string. */
const MAX_DEPTH = 32;

/** A part of the text that is not plain code, such as a comment, a string, or an expression in a back-tick string. */
type Frame =
  | { kind: 'comment'; depth: number }
  | { kind: 'raw'; hashes: number }
  | { kind: 'template' }
  /** An expression `${…}`, and the number of braces that are open in it. */
  | { kind: 'expression'; braces: number }
  /** A string in double quotes. A backslash at the end of a line continues it in the next line. */
  | { kind: 'string' };

/**
 * The parts that have not ended yet, the innermost last. Frames are never changed in place, because the states of
 * several lines share them.
 */
export interface RhaiState {
  open: readonly Frame[];
}

const innermost = ({ open }: RhaiState): Frame | undefined => open.at(-1);
const enter = (state: RhaiState, frame: Frame): void => {
  state.open = [...state.open, frame];
};
const leave = (state: RhaiState): void => {
  state.open = state.open.slice(0, -1);
};
const replace = (state: RhaiState, frame: Frame): void => {
  state.open = [...state.open.slice(0, -1), frame];
};

/** Reads a block comment. Comments nest; the depth is kept as a number, so that deep nesting takes no memory. */
function readComment(stream: StringStream, state: RhaiState, depth: number): string {
  let open = depth;
  while (open > 0 && !stream.eol()) {
    if (stream.match('/*')) open += 1;
    else if (stream.match('*/')) open -= 1;
    else stream.next();
  }
  if (open === 0) leave(state);
  else replace(state, { kind: 'comment', depth: open });
  return 'comment';
}

/** Reads a raw string. It ends at a quote that is followed by as many hashes as the string began with. */
function readRaw(stream: StringStream, state: RhaiState, hashes: number): string {
  while (!stream.eol()) {
    if (stream.next() !== '"') continue;
    let found = 0;
    while (found < hashes && stream.eat('#')) found += 1;
    if (found === hashes) {
      leave(state);
      break;
    }
  }
  return 'string';
}

function readTemplate(stream: StringStream, state: RhaiState): string {
  if (state.open.length < MAX_DEPTH && stream.match('${')) {
    enter(state, { kind: 'expression', braces: 0 });
    return 'brace';
  }
  while (!stream.eol()) {
    if (state.open.length < MAX_DEPTH && stream.match('${', false)) return 'string';
    // In a back-tick string, a backslash escapes only the beginning of an expression.
    if (stream.match('\\${')) continue;
    if (stream.next() === '`') {
      leave(state);
      break;
    }
  }
  return 'string';
}

/**
 * Reads a string or a character. A string without a closing quote continues in the next line only after a backslash.
 */
function readQuoted(stream: StringStream, state: RhaiState, quote: string, isOpen: boolean): string {
  if (isOpen) leave(state);
  let character = stream.next();
  while (character !== undefined && character !== quote) {
    if (character === '\\' && stream.next() === undefined && quote === '"') enter(state, { kind: 'string' });
    character = stream.next();
  }
  return 'string';
}

function readBrace(state: RhaiState, brace: string): string {
  const frame = innermost(state);
  if (frame?.kind !== 'expression') return 'brace';
  if (brace === '{') replace(state, { kind: 'expression', braces: frame.braces + 1 });
  else if (frame.braces === 0) leave(state);
  else replace(state, { kind: 'expression', braces: frame.braces - 1 });
  return 'brace';
}

function readCode(stream: StringStream, state: RhaiState): string | null {
  if (stream.eatSpace()) return null;
  if (stream.match('//')) {
    stream.skipToEnd();
    return 'comment';
  }
  if (stream.match('/*')) {
    enter(state, { kind: 'comment', depth: 1 });
    return readComment(stream, state, 1);
  }
  const raw = stream.match(/^#+"/);
  if (Array.isArray(raw)) {
    const hashes = raw[0]!.length - 1;
    enter(state, { kind: 'raw', hashes });
    return readRaw(stream, state, hashes);
  }
  if (stream.match(/^0(?:x[\da-f_]+|o[0-7_]+|b[01_]+)/i)) return 'number';
  // A point after digits belongs to the number, except at the beginning of a method call or a range.
  if (stream.match(/^\d[\d_]*(?:\.(?:\d[\d_]*|(?![.\w])))?(?:e[+-]?\d[\d_]*)?/i)) return 'number';
  const name = stream.match(/^[A-Za-z_]\w*/);
  if (Array.isArray(name)) return readName(stream, name[0]!);
  return readSymbol(stream, state, stream.next() ?? '');
}

function readName(stream: StringStream, name: string): string {
  if (KEYWORDS.has(name)) return 'keyword';
  if (ATOMS.has(name)) return 'atom';
  if (RESERVED.has(name)) return 'invalid';
  return stream.match(/^\s*\(/, false) ? 'variableName.function' : 'variableName';
}

function readSymbol(stream: StringStream, state: RhaiState, first: string): string | null {
  switch (first) {
    case '"':
    case "'":
      return readQuoted(stream, state, first, false);
    case '`':
      enter(state, { kind: 'template' });
      return 'string';
    case '{':
    case '}':
      return readBrace(state, first);
  }
  if ('()[]'.includes(first)) return 'bracket';
  if (',;'.includes(first)) return null;
  // Hashes that begin no raw string are read together as one token.
  if (first === '#') stream.eatWhile('#');
  else stream.eatWhile(/[-+*%&|^!<>=?.:~]/);
  return 'operator';
}

/**
 * Reads the next token of a script and returns its kind. Each step reads at least one new character and never looks
 * back, so reading a line takes linear time.
 */
export function readRhai(stream: StringStream, state: RhaiState): string | null {
  const frame = innermost(state);
  switch (frame?.kind) {
    case 'comment':
      return readComment(stream, state, frame.depth);
    case 'raw':
      return readRaw(stream, state, frame.hashes);
    case 'template':
      return readTemplate(stream, state);
    case 'string':
      return readQuoted(stream, state, '"', true);
    default:
      return readCode(stream, state);
  }
}

/** The highlighting of Rhai. Deploys and runs report the faults of a script. */
export const rhai = (): LanguageSupport =>
  new LanguageSupport(StreamLanguage.define<RhaiState>({
    name: 'rhai',
    startState: () => ({ open: [] }),
    copyState: ({ open }) => ({ open }),
    token: readRhai,
    languageData: { commentTokens: { line: '//', block: { open: '/*', close: '*/' } } },
  }));
