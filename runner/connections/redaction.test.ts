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
  ])('finds it %s', (_form, echo) => {
    expect(text(`before ${echo} after`)).toBe('before [redacted] after');
    expect(Buffer.from(redactBytes(Buffer.from(`{"a":"${echo}"}`))).toString()).toBe('{"a":"[redacted]"}');
  });

  it.each([0, 1, 2, 3])('finds it in base64 of a longer text, behind %i bytes', (before) => {
    const whole = Buffer.from(`${'x'.repeat(before)}${SECRET}yz`);
    for (const encoding of ['base64', 'base64url'] as const) {
      const redacted = text(`header: ${whole.toString(encoding)}`);
      const [head = '', tail = ''] = redacted.slice('header: '.length).split('[redacted]');
      expect(redacted).toContain('[redacted]');
      // At each end, at most one character of base64 that holds bits of the secret may remain.
      expect(Buffer.from(head, encoding).toString().length).toBeLessThanOrEqual(before + 1);
      expect(tail.length).toBeLessThanOrEqual(6);
    }
  });

  it.each(['utf-16le', 'utf-16be'])('finds it in %s', (charset) => {
    const given = Buffer.from(`a ${SECRET} b`, 'utf16le');
    const redacted = redactBytes(charset === 'utf-16be' ? given.swap16() : given);
    expect(new TextDecoder(charset).decode(redacted)).not.toContain('cr+t');
    expect(Buffer.from(redacted).toString('latin1')).toContain('[redacted]');
  });

  it('finds it in bytes that are no text', () => {
    const given = Buffer.concat([Buffer.from([0, 255, 254]), bytes, Buffer.from([200])]);
    expect(Buffer.from(redactBytes(given)).toString('latin1')).toBe('\0\xff\xfe[redacted]\xc8');
  });

  it('replaces every occurrence, and overlapping forms once', () => {
    const inner = makeRedaction(['user:password', 'password']);
    expect(inner.text('user:password, password, passwordpassword')).toBe(
      '[redacted], [redacted], [redacted][redacted]',
    );
  });

  it('leaves all other bytes as they are', () => {
    const given = Buffer.from(Array.from({ length: 512 }, (_, index) => index % 256));
    expect(redactBytes(given)).toBe(given);
    expect(text('50 % off &amp; \\u0041 naïve €')).toBe('50 % off &amp; \\u0041 naïve €');
  });

  it('takes linear time for text that looks like the secret', () => {
    const long = makeRedaction(['a'.repeat(4_000) + 'b']);
    const begin = performance.now();
    expect(long.text('%61'.repeat(300_000))).toHaveLength(900_000);
    expect(performance.now() - begin).toBeLessThan(10_000);
  });
});
