import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { parse } from 'lossless-json';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Sql } from '../../dev/stack/postgres/postgres.ts';
import { fromWireJson } from '../../types/values/json/wire_json.ts';
import { fromReadableJson } from '../../types/values/json/readable_json.ts';
import { PORT_TYPES } from '../../types/values/port_types.ts';
import { decodeValue, type LosslessJson, type Value, ValueError } from '../../types/values/value.ts';
import { cloneDatabase, type TestDatabase } from '../support/database.ts';

const COUNT = 2_000;

let database: TestDatabase;
let sql: Sql;

beforeAll(async () => {
  database = await cloneDatabase();
  sql = database.connect();
});

afterAll(() => database.close());

/** Texts of numbers: whole numbers around the limits of the tags, and other numbers of up to 40 digits. */
const numberText = fc.oneof(
  fc.bigInt({ min: -(2n ** 130n), max: 2n ** 130n }).map(String),
  fc.constantFrom(7n, 8n, 31n, 32n, 63n, 64n, 127n, 128n).chain((bits) =>
    fc.bigInt({ min: -2n, max: 2n }).chain((near) => fc.constantFrom(2n ** bits + near, -(2n ** bits) + near))
  ).map(String),
  fc.double({ noDefaultInfinity: true, noNaN: true }).map((number) => JSON.stringify(number)),
  fc.tuple(fc.nat(), fc.bigInt({ min: 0n, max: 10n ** 32n })).map(([whole, fraction]) => `${whole}.${fraction}`),
);

/** Returns the canonical form of a value that the runner accepts; undefined for a value that it refuses. */
function canonical(text: string): Value | undefined {
  try {
    return decodeValue(JSON.parse(text));
  } catch (error) {
    expect(error).toBeInstanceOf(ValueError);
    return undefined;
  }
}

/** Texts of JSON with any numbers at any positions. */
const { jsonText } = fc.letrec<{ jsonText: string }>((tie) => ({
  jsonText: fc.oneof(
    { depthSize: 'small' },
    numberText,
    fc.constantFrom('null', 'true', 'false', '"x"', '"7"', '"\\"\\n ü"', '[]', '{}'),
    fc.array(tie('jsonText'), { maxLength: 3 }).map((members) => `[${members.join(',')}]`),
    fc.dictionary(fc.string({ maxLength: 3 }), tie('jsonText'), { maxKeys: 3 }).map((members) =>
      `{${Object.entries(members).map(([name, member]) => `${JSON.stringify(name)}:${member}`).join(',')}}`
    ),
  ),
}));

it('SQL converts wire JSON to the same value as types/values', async () => {
  const texts = fc.sample(jsonText, COUNT).filter((text) => !text.includes('\\u0000') && text.isWellFormed());
  // Read the JSON back as the database writes it: `1e2` becomes 100.
  const rows = await sql<{ kept: string; value: string }[]>`
    select t.text::jsonb::text as kept, private.value_of_json(t.text::jsonb)::text as value
    from unnest(${texts}::text[]) with ordinality as t (text, position) order by t.position`;
  for (const { kept, value } of rows) {
    const made: unknown = JSON.parse(value);
    expect([kept, made]).toEqual([kept, fromWireJson(parse(kept) as LosslessJson)]);
    // The canonical form, as the runner reads it.
    expect(decodeValue(made)).toEqual(made);
  }
});

it('SQL converts readable JSON to the same value as types/values', async () => {
  const key = '11111111111111111111111111111111';
  const texts = [
    ...fc.sample(jsonText, 200),
    ...fc.sample(numberText, 200).flatMap((text) => [text, `"${text}"`]),
    ...[key, '1'.repeat(64), '1'.repeat(33), 'AQI=', 'AQF=', 'AQI', '', 'x'].map((text) => `"${text}"`),
  ].filter((text) => !text.includes('\\u0000') && text.isWellFormed());
  const names = Object.keys(PORT_TYPES);
  const lists = [...names.map((name) => [name]), ...names.map((name) => [name, 'pubkey']), ['u8', 'decimal', 'f32']];
  for (const types of lists) {
    const rows = await sql<{ kept: string; value: string | null }[]>`
      select t.text::jsonb::text as kept, private.value_of_input(t.text::jsonb, ${types}::text[], true)::text as value
      from unnest(${texts}::text[]) with ordinality as t (text, position) order by t.position`;
    for (const { kept, value } of rows) {
      expect([types, kept, fromReadableJson(parse(kept) as LosslessJson, types, true)])
        .toEqual([types, kept, value === null ? undefined : canonical(value)]);
    }
  }
});

it('JSON that matches the JSON Schema of a type is a value of the type', async () => {
  const key = '11111111111111111111111111111111';
  const samples = [
    '0 1 255 256 65536 -1 -128 -129 1.5 1e-3 4294967295 2147483648 3e38 1e300',
    `"0" "12" "-12" "1.50" "18446744073709551615" "x" "${key}" "${'1'.repeat(64)}" "AQID" ""`,
    'true [] [1,"x"] {} {"a":null}',
  ].flatMap((line) => line.split(' '));
  const ajv = new Ajv2020({ strictTypes: false });
  const types = await sql<{ name: string; json_schema: object }[]>`
    select distinct t.name, t.json_schema from private.port_types() as t`;
  const refused: string[] = [];
  let taken = 0;
  for (const { name, json_schema } of types) {
    const validate = ajv.compile(json_schema);
    const valid = samples.filter((sample) => validate(JSON.parse(sample)));
    const rows = await sql<{ value: string | null }[]>`
      select private.value_of_input(s.sample::jsonb, array[${name}::text], true)::text as value
      from unnest(${valid}::text[]) with ordinality as s (sample, position) order by s.position`;
    for (const [index, { value }] of rows.entries()) {
      if (value === null) refused.push(`${name}: ${valid[index]}`);
      else {
        taken++;
        decodeValue(JSON.parse(value));
      }
    }
  }
  expect(taken).toBeGreaterThan(100);
  // A JSON Schema can't express which floats fit a decimal, which numbers fit a 32-bit float, and which texts are
  // base64.
  expect(refused.toSorted()).toEqual([
    'bytes: "-12"',
    'bytes: "0"',
    'bytes: "1.50"',
    'bytes: "12"',
    'bytes: "x"',
    'decimal: 1e300',
    'decimal: 3e38',
    'f32: 1e300',
  ]);
});
