import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeRedaction } from './redaction.ts';

const SECRET = 's3cr+t/ €"key';
const bytes = Buffer.from(SECRET);
const { text, bytes: redactBytes } = makeRedaction([SECRET]);
/** Encodes every character as `\u` and four hex digits. */
const inUnits = [...SECRET].map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');

describe('the redaction of a secret', () => {
  it.each([
    ['as it is', SECRET],
    ['percent-encoded', encodeURIComponent(SECRET)],
    ['percent-encoded, every byte', [...bytes].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')],
    ['percent-encoded twice', encodeURIComponent(encodeURIComponent(SECRET))],
    ['as a form field', new URLSearchParams({ a: SECRET }).toString().slice(2)],
    ['as JSON', JSON.stringify(SECRET).slice(1, -1)],
    ['as JSON with an escaped slash', JSON.stringify(SECRET).slice(1, -1).replace('/', '\\/')],
    ['as JSON in JSON', JSON.stringify(JSON.stringify(SECRET)).slice(3, -3)],
    ['as units of JSON', inUnits],
    ['as HTML', SECRET.replace('"', '&quot;').replace('€', '&#x20ac;').replace('+', '&#43;')],
    ['in hex', bytes.toString('hex')],
    ['in hex, upper case', bytes.toString('hex').toUpperCase()],
    ['as HTML without semicolons', [...SECRET].map((letter) => `&#${letter.codePointAt(0)}`).join('')],
    [
      'as HTML with zeros',
      [...SECRET].map((letter) => `&#x${letter.codePointAt(0)!.toString(16).padStart(12, '0')};`).join(''),
    ],
    ['as HTML with a name without a semicolon', SECRET.replace('"', '&quot')],
    ['as HTML with names', SECRET.replace('"', '&quot;').replace('/', '&sol;').replace('+', '&plus;')],
    [
      'as code points of JavaScript',
      [...SECRET].map((letter) => `\\u{${letter.codePointAt(0)!.toString(16)}}`).join(''),
    ],
    ['broken into lines', SECRET.replace(/.{3}/g, '$&\r\n')],
    ['in indented lines of hex', bytes.toString('hex').replace(/.{6}(?=.)/g, '$&\n    ')],
  ])('finds it %s', async (_form, echo) => {
    expect(await text(`before ${echo} after`)).toBe('before [redacted] after');
    expect(Buffer.from(await redactBytes(Buffer.from(`{"a":"${echo}"}`))).toString()).toBe('{"a":"[redacted]"}');
  });

  it.each([0, 1, 2, 3])('finds it in base64 of a longer text, behind %i bytes', async (before) => {
    const whole = Buffer.from(`${'x'.repeat(before)}${SECRET}yz`);
    for (const encoding of ['base64', 'base64url'] as const) {
      const redacted = await text(`header: ${whole.toString(encoding)}`);
      const [head = '', tail = ''] = redacted.slice('header: '.length).split('[redacted]');
      expect(redacted).toContain('[redacted]');
      // At each end, at most one character of base64 that holds bits of the secret may remain.
      expect(Buffer.from(head, encoding).toString().length).toBeLessThanOrEqual(before + 1);
      expect(tail.length).toBeLessThanOrEqual(6);
    }
  });

  it.each(['utf-16le', 'utf-16be'])('finds it in %s', async (charset) => {
    const given = Buffer.from(`a ${SECRET} b`, 'utf16le');
    const redacted = await redactBytes(charset === 'utf-16be' ? given.swap16() : given);
    expect(new TextDecoder(charset).decode(redacted)).not.toContain('cr+t');
    expect(Buffer.from(redacted).toString('latin1')).toContain('[redacted]');
  });

  it('finds it in bytes that are no text', async () => {
    const given = Buffer.concat([Buffer.from([0, 255, 254]), bytes, Buffer.from([200])]);
    expect(Buffer.from(await redactBytes(given)).toString('latin1')).toBe('\0\xff\xfe[redacted]\xc8');
  });

  it('replaces every occurrence, and overlapping forms once', async () => {
    const inner = makeRedaction(['user:password', 'password']);
    expect(await inner.text('user:password, password, passwordpassword')).toBe(
      '[redacted], [redacted], [redacted][redacted]',
    );
  });

  it('leaves all other bytes as they are', async () => {
    const given = Buffer.from(Array.from({ length: 512 }, (_, index) => index % 256));
    expect(await redactBytes(given)).toBe(given);
    expect(await text('50 % off &amp; \\u0041 naïve €')).toBe('50 % off &amp; \\u0041 naïve €');
  });

  it.each(['\r\n', '\n', '\n  '])('finds it in base64 whose lines end in %j, also in JSON', async (end) => {
    const lines = Buffer.from(`user:${SECRET}${'x'.repeat(100)}`).toString('base64').replaceAll(/.{7}/g, `$&${end}`);
    for (const echo of [lines, JSON.stringify({ lines })]) {
      const redacted = await text(echo);
      expect(redacted).toContain('[redacted]');
      const rest = redacted.replaceAll(/\\[rn]|\s/g, '');
      expect(Buffer.from(rest.split('[redacted]')[0]!.slice(-8), 'base64').toString()).not.toContain('s3c');
    }
  });

  it('finds a character that JSON escapes as a surrogate pair', async () => {
    const units = (letters: string) =>
      letters.split('').map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
    expect(await makeRedaction(['🦀 and 🦞']).text(`<${units('🦀 and 🦞')}>`)).toBe('<[redacted]>');
  });

  it('joins the forms that overlap, and no others', async () => {
    const two = makeRedaction(['abcdefgh'.repeat(50), 'cdef']);
    const given = `${'abcdefgh'.repeat(51)} cdefcdef ab${'cdefgh'}`;
    expect(await two.text(given)).toBe('[redacted] [redacted][redacted] ab[redacted]gh');
    expect(await makeRedaction(['aaaa']).text(`${'a'.repeat(9)}b`)).toBe('[redacted]b');
  });

  it('finds what a plain search finds, for secrets and texts of few letters', async () => {
    const generated = fc.array(fc.constantFrom('a', 'b', '-'), { maxLength: 60 }).map((letters) => letters.join(''));
    const secret = fc.array(fc.constantFrom('a', 'b'), { minLength: 4, maxLength: 7 }).map((letters) =>
      letters.join('')
    );
    await fc.assert(fc.asyncProperty(fc.array(secret, { maxLength: 4 }), generated, async (secrets, given) => {
      const isCovered = Array.from(given, () => false);
      for (const needle of secrets) {
        for (let at = given.indexOf(needle); at >= 0; at = given.indexOf(needle, at + 1)) {
          isCovered.fill(true, at, at + needle.length);
        }
      }
      const expected = [...given].map((letter, at) => isCovered[at] ? '*' : letter).join('').replaceAll(/\*+/g, '*');
      const redacted = await makeRedaction(secrets).text(given);
      expect(redacted.replaceAll(/(\[redacted\])+/g, '*')).toBe(expected);
    }));
  });

  it('lets other work proceed while it searches an answer that looks like the secret', async () => {
    const long = makeRedaction([`b${'a'.repeat(8_000)}`]);
    const answers = ['61'.repeat(500_000), 'a'.repeat(1_000_000), '%61'.repeat(300_000), 'YWFh'.repeat(250_000)];
    let turns = 0;
    const timer = setInterval(() => turns++, 0);
    const redacted = await Promise.all(answers.map((answer) => long.text(answer)));
    clearInterval(timer);
    expect(redacted).toEqual(answers);
    expect(turns).toBeGreaterThanOrEqual(answers.length);
  });
});

it('the searches of many answers that come at once begin in turns of their own', async () => {
  let turns = 0;
  const count = () => {
    turns += 1;
    counting = setImmediate(count);
  };
  let counting = setImmediate(count);
  const ends = await Promise.all(
    Array.from({ length: 10 }, () => makeRedaction([SECRET]).text(`<${SECRET}>`).then((text) => [text, turns])),
  );
  clearImmediate(counting);
  expect(new Set(ends.map(([text]) => text))).toEqual(new Set(['<[redacted]>']));
  expect(new Set(ends.map(([, turn]) => turn)).size).toBe(10);
});
