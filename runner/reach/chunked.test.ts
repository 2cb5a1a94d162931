import fc from 'fast-check';
import { expect, it } from 'vitest';
import { makeChunkedDecoder } from './chunked.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);

/** Decodes a body that comes in pieces. Returns the body's text, and the bytes after the body. */
function decode(pieces: Uint8Array[], maxFraming = 10_000): { text: string; rest: string } {
  const decoder = makeChunkedDecoder(maxFraming);
  let text = '';
  for (const [index, piece] of pieces.entries()) {
    const { data, used } = decoder.decode(piece);
    text += new TextDecoder().decode(data);
    if (used === undefined) continue;
    const rest = [piece.subarray(used), ...pieces.slice(index + 1)];
    return { text, rest: rest.map((bytes) => new TextDecoder().decode(bytes)).join('') };
  }
  throw new Error('no last chunk');
}

it('chunks are read the same, whatever pieces they come in', () => {
  const coded = bytesOf('3\r\nabc\r\n00A ; name="x"\r\n0123456789\r\n1\nd\n0\r\n\r\n');
  fc.assert(fc.property(fc.array(fc.integer({ min: 0, max: coded.length })), (cuts) => {
    const ends = [...cuts.toSorted((a, b) => a - b), coded.length];
    const pieces = ends.map((end, index) => coded.subarray(ends[index - 1] ?? 0, end));
    expect(decode(pieces)).toEqual({ text: 'abc0123456789d', rest: '\r\n' });
  }));
});

it('the data of a piece is returned in one array, however many chunks it has', () => {
  const { data } = makeChunkedDecoder(1_000_000).decode(bytesOf('1\r\nx\r\n'.repeat(10_000)));
  expect(new TextDecoder().decode(data)).toBe('x'.repeat(10_000));
});

it.each([
  '\r\n',
  ';x\r\n',
  ' 3\r\nabc',
  '-3\r\n',
  '3 4\r\n',
  '3\rx',
  '123456789\r\n',
  '3\r\nabcd',
  '3\r\nabc\rx',
  'g\r\n',
])(
  'a malformed chunk is refused: %j',
  (text) => expect(() => decode([bytesOf(text)])).toThrow('the response has a malformed chunk'),
);

it('more framing than allowed is refused', () => {
  expect(() => decode([bytesOf('1\r\nx\r\n'.repeat(100))], 400)).toThrow(
    'the response has too many small chunks or too long chunk headers',
  );
  expect(() => decode([bytesOf(`1;${'x'.repeat(500)}`)], 400)).toThrow(
    'the response has too many small chunks or too long chunk headers',
  );
});
