import { type Position, RhaiError } from '../errors.ts';
import { parseIntegerLiteral } from '../integers.ts';
import { KEYWORDS, MODULE_WORDS, RESERVED, RESERVED_SYMBOLS, SYMBOLS, type Token } from '../tokens.ts';
import { Char, countCharacters, Float } from '../values.ts';

const NAME = /[A-Za-z_]\w*/y;
/** A name may begin with underscores, but a letter must come before its first digit. */
const PROPER_NAME = /^_*[A-Za-z]/;
const NOT_IN = /!in\b/y;
/** As in Rhai, other blank characters of Unicode are not white space. */
const SPACE = /[ \t\n\f\r]+/y;
const LINE_COMMENT = /\/\/[^\r\n]*/y;
const COMMENT_EDGE = /\/\*|\*\//g;
const RADIX_NUMBER = /0(?:x[\da-f_]+|o[0-7_]+|b[01_]+)/iy;
// A point belongs to the number unless it begins a method call or a range.
const DIGIT = /\d/y;
const NUMBER = /\d[\d_]*(?:\.(?:\d[\d_]*|(?![.\w])))?(?:e[+-]?\d[\d_]*)?/iy;
/** The begin of a string without escapes: every character stands for itself. */
const RAW_STRING_START = /#+"/y;
const RAW_STRING_EDGE = /"#*/g;
/** A line break right after the opening back-tick is not part of the text. */
const LINE_END = /\r\n?|\n/y;
const TEMPLATE_EDGE = /`|\\?\$\{/g;
const ESCAPES: Record<string, string> = { '\\': '\\', t: '\t', r: '\r', n: '\n' };
/**
 * The most characters of a name. The limit is needed, because an error names the function of each call that it passed
 * through.
 */
export const MAX_NAME_LENGTH = 255;
const HEX_LENGTHS: Record<string, number> = { x: 2, u: 4, U: 8 };

/** Reads tokens one by one. The parser informs the lexer when a back-tick string continues after an expression. */
export class Lexer {
  readonly #source: string;
  readonly #maxTextLength: number;
  #offset = 0;
  #line = 1;
  #column = 1;

  /**
   * A string literal may have at most `maxTextLength` characters. The same limit applies to each piece of a literal
   * with expressions.
   */
  constructor(source: string, maxTextLength: number) {
    this.#source = source;
    this.#maxTextLength = maxTextLength;
  }

  get #at(): Position {
    return { line: this.#line, column: this.#column };
  }

  #fail(message: string, at: Position = this.#at): never {
    throw new RhaiError('Syntax', message, at);
  }

  /** Returns the text of a literal. Fails if it is longer than a string may be. */
  #bounded(text: string, at: Position): string {
    if (text.length > this.#maxTextLength && countCharacters(text) > this.#maxTextLength) {
      this.#fail(`The string has more than ${this.#maxTextLength} characters`, at);
    }
    return text;
  }

  /** Advances to an offset and updates line and column. */
  #moveTo(offset: number): void {
    for (; this.#offset < offset; this.#offset++) {
      const unit = this.#source.charCodeAt(this.#offset);
      if (unit === 10) {
        this.#line++;
        this.#column = 1;
      } else if (unit < 0xdc00 || unit > 0xdfff) {
        // The second half of a surrogate pair does not count as a character.
        this.#column++;
      }
    }
  }

  /**
   * Consumes the text that a pattern matches at the current position. Returns undefined if the pattern does not match.
   */
  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#offset;
    const text = pattern.exec(this.#source)?.[0];
    if (text !== undefined) this.#moveTo(this.#offset + text.length);
    return text;
  }

  #is(pattern: RegExp): boolean {
    pattern.lastIndex = this.#offset;
    return pattern.test(this.#source);
  }

  #skipBlanks(): void {
    while (this.#offset < this.#source.length) {
      if (this.#take(SPACE) !== undefined || this.#take(LINE_COMMENT) !== undefined) continue;
      if (!this.#source.startsWith('/*', this.#offset)) return;
      this.#skipBlockComment();
    }
  }

  /** Skips a block comment. Block comments nest. */
  #skipBlockComment(): void {
    const start = this.#at;
    COMMENT_EDGE.lastIndex = this.#offset;
    let depth = 0;
    do {
      const edge = COMMENT_EDGE.exec(this.#source);
      if (edge === null) this.#fail('The comment is not closed', start);
      depth += edge[0] === '/*' ? 1 : -1;
    } while (depth > 0);
    this.#moveTo(COMMENT_EDGE.lastIndex);
  }

  next(): Token {
    this.#skipBlanks();
    const at = this.#at;
    const first = this.#source[this.#offset];
    if (first === undefined) return { kind: 'end', at };
    if (first >= '0' && first <= '9') return this.number(at);
    if (first === '"') return { kind: 'string', value: this.#quoted('"', at), at };
    if (first === "'") return this.#character(at);
    if (first === '`') {
      this.#moveTo(this.#offset + 1);
      return this.templatePiece(at);
    }
    if (this.#is(RAW_STRING_START)) return this.#rawString(at);
    const name = this.#take(NAME);
    if (name === '_') return { kind: 'symbol', text: '_', at };
    if (name !== undefined) return this.#word(name, at);
    return this.#symbol(at);
  }

  #rawString(at: Position): Token {
    const { length } = this.#take(RAW_STRING_START) ?? '';
    RAW_STRING_EDGE.lastIndex = this.#offset;
    let edge = RAW_STRING_EDGE.exec(this.#source);
    while (edge !== null && edge[0].length < length) edge = RAW_STRING_EDGE.exec(this.#source);
    if (edge === null) this.#fail('The string is not closed', at);
    const value = this.#source.slice(this.#offset, edge.index);
    this.#moveTo(edge.index + length);
    return { kind: 'string', value: this.#bounded(value, at), at };
  }

  #word(text: string, at: Position): Token {
    if (text.length > MAX_NAME_LENGTH) this.#fail(`A name has more than ${MAX_NAME_LENGTH} characters`, at);
    if (KEYWORDS.has(text)) return { kind: 'keyword', text, at };
    if (MODULE_WORDS.has(text)) {
      this.#fail(`'${text}' is not available: a script can't import, export or evaluate code`, at);
    }
    if (RESERVED.has(text)) this.#fail(`'${text}' is a reserved keyword`, at);
    if (!PROPER_NAME.test(text)) {
      this.#fail(`'${text}' is not a valid name: a name needs a letter before its first digit`, at);
    }
    return { kind: 'name', text, at };
  }

  #symbol(at: Position): Token {
    if (this.#is(NOT_IN)) {
      this.#moveTo(this.#offset + 3);
      return { kind: 'symbol', text: '!in', at };
    }
    const text = SYMBOLS.find((symbol) => this.#source.startsWith(symbol, this.#offset));
    if (text === undefined) {
      const character = String.fromCodePoint(this.#source.codePointAt(this.#offset) ?? 0);
      this.#fail(`Unexpected character ${JSON.stringify(character)}`, at);
    }
    if (RESERVED_SYMBOLS.has(text)) this.#fail(`'${text}' is a reserved symbol`, at);
    this.#moveTo(this.#offset + text.length);
    return { kind: 'symbol', text, at };
  }

  /** True if a digit is next, so that a minus before it is part of the number. */
  get isBeforeDigit(): boolean {
    return this.#is(DIGIT);
  }

  /** Reads the number at the current position. `sign` is the sign before it. */
  number(at: Position, sign: '' | '-' = ''): Token & { kind: 'number' } {
    const text = sign + (this.#take(RADIX_NUMBER) ?? this.#take(NUMBER) ?? '');
    if (this.#take(NAME) !== undefined) this.#fail(`Malformed number`, at);
    const digits = text.replaceAll('_', '');
    const integer = parseIntegerLiteral(digits);
    if (integer !== undefined) return { kind: 'number', value: integer, at };
    if (/^-?0[xob]/i.test(digits)) this.#fail(`Malformed number: ${text}`, at);
    // As in Rhai, an integer beyond 64 bits is a float.
    return { kind: 'number', value: new Float(Number(digits)), at };
  }

  #character(at: Position): Token {
    const text = this.#quoted("'", at);
    if ([...text].length !== 1) this.#fail('A character literal must hold exactly one character', at);
    return { kind: 'char', value: new Char(text), at };
  }

  /** Reads a literal between quotes and resolves its escapes. A doubled quote means one quote. */
  #quoted(quote: '"' | "'", at: Position): string {
    const indentation = this.#column;
    this.#moveTo(this.#offset + 1);
    let text = '';
    for (;;) {
      const character = this.#source[this.#offset];
      if (character === undefined || character === '\n') this.#fail('The string is not closed', at);
      if (character === '\\') {
        text += this.#escape(quote, indentation);
        continue;
      }
      this.#moveTo(this.#offset + 1);
      if (character === quote) {
        if (this.#source[this.#offset] !== quote) return this.#bounded(text, at);
        this.#moveTo(this.#offset + 1);
      }
      text += character;
    }
  }

  #escape(quote: '"' | "'", indentation: number): string {
    const at = this.#at;
    const letter = this.#source[this.#offset + 1] ?? '';
    const simple = letter === quote ? quote : ESCAPES[letter];
    if (simple !== undefined) {
      this.#moveTo(this.#offset + 2);
      return simple;
    }
    if (letter === '\n' || this.#source.startsWith('\\\r\n', this.#offset)) {
      this.#moveTo(this.#source.indexOf('\n', this.#offset) + 1);
      // At the beginning of the next line, blanks are skipped only up to the column of the opening quote.
      while (this.#column <= indentation && /[^\S\n]/.test(this.#source[this.#offset] ?? '')) {
        this.#moveTo(this.#offset + 1);
      }
      return '';
    }
    const length = HEX_LENGTHS[letter] ?? 0;
    const digits = this.#source.slice(this.#offset + 2, this.#offset + 2 + length);
    const code = /^[\da-f]+$/i.test(digits) && digits.length === length ? Number.parseInt(digits, 16) : NaN;
    if (!(code <= 0x10ffff) || (code >= 0xd800 && code <= 0xdfff)) {
      this.#fail(`Invalid escape sequence: '\\${letter}${digits}'`, at);
    }
    this.#moveTo(this.#offset + 2 + length);
    return String.fromCodePoint(code);
  }

  /** Reads the next literal piece of a back-tick string, up to an expression or the end. */
  templatePiece(at: Position): Token & { kind: 'template' } {
    if (this.#source[this.#offset - 1] === '`') this.#take(LINE_END);
    let value = '';
    for (;;) {
      TEMPLATE_EDGE.lastIndex = this.#offset;
      const edge = TEMPLATE_EDGE.exec(this.#source);
      if (edge === null) this.#fail('The string is not closed', at);
      value += this.#source.slice(this.#offset, edge.index).replaceAll('\r\n', '\n');
      this.#moveTo(TEMPLATE_EDGE.lastIndex);
      if (edge[0] === '\\${') {
        value += '${';
        continue;
      }
      const isLast = edge[0] === '`';
      if (!isLast || this.#source[this.#offset] !== '`') {
        return { kind: 'template', value: this.#bounded(value, at), isLast, at };
      }
      value += '`';
      this.#moveTo(this.#offset + 1);
    }
  }
}
