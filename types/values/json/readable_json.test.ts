import fc from 'fast-check';
import { LosslessNumber } from 'lossless-json';
import { describe, expect, it } from 'vitest';
import { valuesOf } from '../../../tests/support/values.ts';
import { type Kind, PORT_TYPES, type PortTypeName, type Tag, TAGS } from '../port_types.ts';
import type { LosslessJson, Value } from '../value.ts';
import { fromReadableJson, type ReadableJson, toReadableJson } from './readable_json.ts';

const KEY = 'So11111111111111111111111111111111111111112';

describe('toReadableJson', () => {
  it.each<[Value, ReadableJson]>([
    [{ N: 0 }, null],
    [{ S: 'tea' }, 'tea'],
    [{ B: false }, false],
    [{ U: '9007199254740991' }, 9007199254740991],
    [{ U: '9007199254740992' }, '9007199254740992'],
    [{ I: '-9007199254740991' }, -9007199254740991],
    [{ I: '-9007199254740992' }, '-9007199254740992'],
    [{ U1: '7' }, 7],
    [{ D: '2.20' }, '2.20'],
    [{ F: '1e-7' }, 1e-7],
    [{ F: 'inf' }, null],
    [{ B3: KEY }, KEY],
    [{ BY: 'AQI=' }, 'AQI='],
    [{ A: [{ U: '1' }, { BY: 'AQI=' }] }, [1, 'AQI=']],
    [{ M: JSON.parse('{"__proto__": {"D": "1"}}') }, JSON.parse('{"__proto__": "1"}')],
  ])('writes %j as %j', (value, json) => expect(toReadableJson(value)).toEqual(json));
});

it('bytes of a port of bytes are base64, whatever their length', () => {
  expect(toReadableJson({ B3: '1'.repeat(32) }, ['bytes'])).toBe(`${'A'.repeat(43)}=`);
  expect(toReadableJson({ B3: '1'.repeat(32) }, ['bytes', 'pubkey'])).toBe('1'.repeat(32));
});

describe('fromReadableJson', () => {
  const parsed = (json: ReadableJson): LosslessJson =>
    typeof json === 'number' ? new LosslessNumber(String(json)) : json as LosslessJson;

  it.each<[ReadableJson, PortTypeName[], Value | undefined]>([
    [7, ['u8'], { U: '7' }],
    [7, ['i8'], { I: '7' }],
    [256, ['u8'], undefined],
    [256, ['u8', 'decimal'], { D: '256' }],
    [1.5, ['u8'], undefined],
    [1e30, ['u128'], { U1: '1000000000000000000000000000000' }],
    [1e300, ['u128'], undefined],
    [1e300, ['f32'], undefined],
    [1e300, ['f64'], { F: '1e300' }],
    ['18446744073709551615', ['u64'], { U: '18446744073709551615' }],
    ['7', ['f64'], undefined],
    ['2.20', ['decimal'], { D: '2.20' }],
    ['7', ['u8', 'string'], { S: '7' }],
    [KEY, ['string', 'pubkey'], { B3: KEY }],
    [KEY, ['keypair'], { M: { public_key: { B3: KEY } } }],
    [KEY, ['address'], { S: KEY }],
    ['AQI=', ['bytes'], { BY: 'AQI=' }],
    ['AQI', ['bytes'], undefined],
    [null, ['u8'], undefined],
    ['7', ['free'], { S: '7' }],
    [['7'], ['array'], { A: [{ S: '7' }] }],
    [['7'], ['object'], undefined],
    ['x\0', ['string'], undefined],
  ])('reads %j for %j as %j', (json, types, value) => {
    expect(fromReadableJson(parsed(json), types, true)).toEqual(value);
  });

  it('takes null where an input is not required', () => {
    expect(fromReadableJson(null, ['u8'], false)).toEqual({ N: 0 });
  });

  it("reads a written value back unchanged, with a type that has the value's tag", () => {
    // The tags whose values always come back unchanged. Values of other tags may change: a float may be written as a
    // whole number, and members of maps and lists have no declared types.
    const whole: Tag[] = ['S', 'B', 'U', 'I', 'D', 'B3', 'B6', 'BY'];
    for (const [name, { gives }] of Object.entries(PORT_TYPES) as [PortTypeName, { gives: readonly Kind[] }][]) {
      if (name === 'free' || name === 'json') continue;
      for (const tag of TAGS.filter((one) => gives[0] === one && whole.includes(one))) {
        fc.assert(
          fc.property(valuesOf[tag], (value) => {
            const back = fromReadableJson(parsed(toReadableJson(value, [name])), [name], true);
            if (back !== undefined) expect([name, back]).toEqual([name, value]);
            else expect([name, PORT_TYPES[name].field]).toEqual([name, 'integer']);
          }),
          { numRuns: 50 },
        );
      }
    }
  });
});
