import { Decimal } from '../../../types/values/decimal.ts';
import { RhaiError } from '../errors.ts';
import { parseIntegerLiteral } from '../integers.ts';
import { NativeSet } from '../native.ts';
import type { Run } from '../run.ts';
import { Blob, Char, Float, FnPointer, isInt, RhaiArray, RhaiMap, type RhaiValue, typeName } from '../values.ts';

/**
 * Writes a value as JSON. A value that JSON can't express is written as the name of its type. Each piece of the text is
 * charged when it is written. The script fails when the text exceeds the limit of a string.
 */
export function jsonText(run: Run, value: RhaiValue): string {
  const writer = new JsonWriter(run);
  writer.write(value);
  return run.newText(writer.pieces.join(''));
}

class JsonWriter {
  readonly pieces: string[] = [];
  readonly #run: Run;
  #length = 0;

  constructor(run: Run) {
    this.#run = run;
  }

  #put(piece: string): void {
    this.pieces.push(piece);
    this.#run.chargeText(piece.length);
    // A character has at most two UTF-16 units, so a text of more units than this is too long, and `newText` fails.
    if ((this.#length += piece.length) > 2 * this.#run.limits.stringLength) this.#run.newText(this.pieces.join(''));
  }

  #putText(text: string): void {
    this.#run.chargeText(text.length);
    this.#put(JSON.stringify(text));
  }

  #putList(values: Iterable<RhaiValue>, separator: string): void {
    let before = separator;
    for (const value of values) {
      this.#put(before);
      this.write(value);
      before = ',';
    }
    this.#put(']');
  }

  write(value: RhaiValue): void {
    this.#run.charge(1);
    if (value instanceof RhaiArray) {
      this.#put('[');
      this.#putList(value.items, '');
    } else if (value instanceof RhaiMap) this.#writeMap(value);
    else if (value instanceof Blob) {
      this.#run.charge(value.bytes.length >> 2);
      this.#put(`[${value.bytes.join(',')}]`);
    } else if (value instanceof FnPointer) {
      const { items } = value.curried;
      if (items.length > 0) this.#put('[');
      this.#putText(value.name);
      if (items.length > 0) this.#putList(items, ',');
    } else if (typeof value === 'string') this.#putText(value);
    else this.#put(scalarText(value));
  }

  #writeMap({ properties }: RhaiMap): void {
    let before = '{';
    for (const [key, member] of properties) {
      this.#put(before);
      this.#putText(key);
      this.#put(':');
      this.write(member);
      before = ',';
    }
    this.#put(properties.size === 0 ? '{}' : '}');
  }
}

/** Returns the JSON of a value that holds no other values. */
function scalarText(value: RhaiValue): string {
  if (value === null) return 'null';
  if (value instanceof Float) return Number.isFinite(value.value) ? JSON.stringify(value.value) : 'null';
  if (value instanceof Decimal) return String(value);
  if (isInt(value) || typeof value === 'boolean') return String(value);
  return JSON.stringify(value instanceof Char ? value.text : typeName(value));
}

type Json = null | boolean | string | Json[] | { [key: string]: Json };

/**
 * Matches the strings and numbers of JSON. A string without its closing quote matches up to the end of the text, so
 * that no text is read twice.
 */
const STRING_OR_NUMBER = /"(?:[^"\\]|\\[^])*(?:"|\\?$)|-?\d[\d.eE+-]*/g;

/**
 * Parses JSON without losing digits of numbers. In the result, a string begins with `s`, and a number is a string that
 * begins with `n`. Throws the SyntaxError of JSON.parse.
 */
function parseExactly(text: string): Json {
  JSON.parse(text);
  return JSON.parse(
    text.replace(STRING_OR_NUMBER, (token) => token.startsWith('"') ? `"s${token.slice(1)}` : `"n${token}"`),
  );
}

function parseText(run: Run, text: string): Json {
  try {
    return parseExactly(text);
  } catch (error) {
    const message = `the text is not JSON: ${error instanceof Error ? error.message : error}`;
    throw new RhaiError('Runtime', `Runtime error: ${message}`, run.at, { thrown: message });
  }
}

/** Converts a whole number that fits 64 bits to an integer, and any other number to a float. */
function jsonNumber(text: string): RhaiValue {
  const size = parseIntegerLiteral(text.replace('-', ''));
  if (size === undefined) return new Float(Number(text));
  return text.startsWith('-') && size !== 0 ? -size : size;
}

function jsonValue(run: Run, json: Json, depth: number): RhaiValue {
  run.tick(run.at);
  if (depth > run.limits.dataDepth) {
    run.fail('DataTooLarge', `Data too deep: more than ${run.limits.dataDepth} arrays and maps within each other`);
  }
  if (typeof json === 'string') return json.startsWith('n') ? jsonNumber(json.slice(1)) : json.slice(1);
  if (json === null || typeof json !== 'object') return json;
  if (Array.isArray(json)) return run.newArray(json.map((item) => jsonValue(run, item, depth + 1)));
  const members = Object.entries(json).map(([key, member]) =>
    [key.slice(1), jsonValue(run, member, depth + 1)] as const
  );
  return run.newMap(new Map(members));
}

export const jsonParsers = new NativeSet<string>().method('parse_json json_decode', 0, (run, self) => {
  // Charges more than for one reading, because the text is read several times.
  run.charge(self.length >> 3);
  return jsonValue(run, parseText(run, self), 0);
});

export const jsonWriters = new NativeSet().method('json_encode', 0, jsonText);
