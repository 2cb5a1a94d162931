import { type Automaton, makeAutomaton } from './automaton.ts';
import { type Decoded, decodeEscapes, joinLines } from './escapes.ts';
import { needlesOf } from './needles.ts';
import { beginStretch, type GiveWay, inPortions, makeGiveWay } from '../../platform/portions.ts';

const MARK = new TextEncoder().encode('[redacted]');

/** The most levels of nested encodings that are decoded. Percent-encoding in a JSON text has two levels. */
const MAX_ROUNDS = 3;

/**
 * The most bytes that are searched beside others. Longer answers wait for each other, because a search needs up to 22
 * times the memory of its bytes.
 */
const SHORT_BYTES = 65_536;

let line: Promise<unknown> = Promise.resolve();

/** Calls `work` after all earlier work of the line. */
function inLine<T>(work: () => Promise<T>): Promise<T> {
  const result = line.then(work);
  line = result.catch(() => {});
  return result;
}

/** For each place where a needle ends: the first place at which such a needle begins. */
type Begins = Int32Array;

const NONE = 2 ** 31 - 1;

/** Searches a view of the bytes, and notes the needles by their places in the original bytes. */
async function search(
  { bytes, begins, ends }: Decoded,
  automaton: Automaton,
  note: (begin: number, end: number) => void,
  giveWay: GiveWay,
): Promise<void> {
  const report = (end: number, length: number) => note(begins[end - length]!, ends[end - 1]!);
  let state = 0;
  await inPortions(bytes.length, giveWay, (from, to) => {
    state = automaton.search(bytes, from, to, state, report);
  });
}

/** Searches the bytes and all their decoded forms. Returns undefined if there is no needle. */
async function findAll(bytes: Uint8Array, automaton: Automaton, giveWay: GiveWay): Promise<Begins | undefined> {
  let found: Begins | undefined;
  const note = (begin: number, end: number) => {
    found ??= new Int32Array(bytes.length + 1).fill(NONE);
    if (begin < found[end]!) found[end] = begin;
  };
  const places = new Uint32Array(bytes.length + 1);
  for (let at = 0; at <= bytes.length; at++) places[at] = at;
  let decoded: Decoded | undefined = { bytes, begins: places.subarray(0, bytes.length), ends: places.subarray(1) };
  for (let round = 0; round <= MAX_ROUNDS && decoded !== undefined; round++) {
    await search(decoded, automaton, note, giveWay);
    const joined = await joinLines(decoded, giveWay);
    if (joined !== undefined) await search(joined, automaton, note, giveWay);
    decoded = await decodeEscapes(decoded, giveWay);
  }
  return found;
}

/** Joins needles that overlap. Returns the begin and the end of each range, the last range first. */
async function rangesOf(begins: Begins, giveWay: GiveWay): Promise<number[]> {
  const ranges: number[] = [];
  let from = NONE;
  let end = NONE;
  const last = begins.length - 1;
  await inPortions(begins.length, giveWay, (first, to) => {
    for (let at = last - first; at > last - to; at--) {
      const begin = begins[at]!;
      if (begin === NONE) continue;
      if (at <= from) {
        if (from !== NONE) ranges.push(from, end);
        from = begin;
        end = at;
      } else from = Math.min(from, begin);
    }
  });
  ranges.push(from, end);
  return ranges;
}

function replaceRanges(bytes: Uint8Array, ranges: number[]): Uint8Array {
  let size = bytes.length;
  for (let at = 0; at < ranges.length; at += 2) size += MARK.length - (ranges[at + 1]! - ranges[at]!);
  const redacted = new Uint8Array(size);
  let end = 0;
  let length = 0;
  const append = (part: Uint8Array) => {
    redacted.set(part, length);
    length += part.length;
  };
  for (let at = ranges.length - 2; at >= 0; at -= 2) {
    append(bytes.subarray(end, ranges[at]));
    append(MARK);
    end = ranges[at + 1]!;
  }
  append(bytes.subarray(end));
  return redacted;
}

/** Replaces a secret in texts and bytes that a server sends. */
interface Redaction {
  text: (text: string) => Promise<string>;
  /** Returns the given bytes themselves if they do not contain the secret. */
  bytes: (bytes: Uint8Array) => Promise<Uint8Array>;
}

/**
 * Makes the redaction of these secrets. The redaction finds a secret unchanged, in base64, hex or UTF-16,
 * percent-encoded, or escaped as in JSON or HTML, also across line breaks. It takes time in proportion to the bytes,
 * and gives way to other work.
 */
export function makeRedaction(secrets: readonly string[]): Redaction {
  let automaton: Promise<Automaton> | undefined;
  /** Many requests of a run may be answered at once, and their automata must not be made in one go. */
  const makeOwnAutomaton = async (): Promise<Automaton> => {
    await beginStretch();
    return await makeAutomaton(needlesOf(secrets), makeGiveWay());
  };
  const redact = async (bytes: Uint8Array): Promise<Uint8Array> => {
    const made = await (automaton ??= makeOwnAutomaton());
    const giveWay = makeGiveWay();
    const begins = await findAll(bytes, made, giveWay);
    return begins === undefined ? bytes : replaceRanges(bytes, await rangesOf(begins, giveWay));
  };
  const redactBytes = (bytes: Uint8Array) => bytes.length <= SHORT_BYTES ? redact(bytes) : inLine(() => redact(bytes));
  return {
    text: async (text) => {
      const given = new TextEncoder().encode(text);
      const redacted = await redactBytes(given);
      return redacted === given ? text : new TextDecoder().decode(redacted);
    },
    bytes: redactBytes,
  };
}
