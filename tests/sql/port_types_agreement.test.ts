import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Sql } from '../../dev/stack/postgres/postgres.ts';
import { PORT_TYPES, type PortTypeName, typesMeet } from '../../types/values/port_types.ts';
import {
  ConversionError,
  type Convert,
  toDecimal,
  toF64,
  toInteger,
  toMap,
  toText,
} from '../../types/values/conversion.ts';
import { toBytes, toPubkey, toSignature, toWallet } from '../../types/values/keys.ts';
import { decodeValue } from '../../types/values/value.ts';
import { cloneDatabase, type TestDatabase } from '../support/database.ts';

const names = Object.keys(PORT_TYPES) as PortTypeName[];

let database: TestDatabase;
let sql: Sql;

beforeAll(async () => {
  database = await cloneDatabase();
  sql = database.connect();
});

afterAll(() => database.close());

it('a deploy and the editor find the same edges impossible', async () => {
  const bounds = [...names, 'kv'].flatMap((name) => [[name], [name, 'pubkey'], ['pubkey', name], [name, 'bool']]);
  const pairs = bounds.flatMap((given) => bounds.map((wanted) => ({ given, wanted })));
  for (const isPassedOn of [false, true]) {
    const rows = await sql<{ meets: boolean }[]>`
      select private.do_types_meet(p.pair -> 'given', p.pair -> 'wanted', ${isPassedOn}) as meets
      from jsonb_array_elements(${
      JSON.stringify(pairs)
    }::text::jsonb) with ordinality as p (pair, position) order by p.position`;
    const differing = pairs.filter(({ given, wanted }, index) =>
      rows[index]!.meets !== typesMeet({ types: given, isPassedOn }, wanted)
    );
    expect(differing).toEqual([]);
    expect(rows.some(({ meets }) => !meets)).toBe(true);
  }
});

/** The converters of the port types that an input of the flow may feed together. */
const converters: { [name in PortTypeName]?: Convert<unknown> } = {
  u64: toInteger('u64'),
  decimal: toDecimal,
  f64: toF64,
  string: toText,
  pubkey: toPubkey,
  keypair: toWallet,
  signature: toSignature,
  bytes: toBytes,
  object: toMap,
};

it('a value of the common type of several ports is accepted by each of them', async () => {
  const key = '11111111111111111111111111111111';
  const samples = ['0', '7', '1.5', '"7"', '"x"', `"${key}"`, `"${'1'.repeat(64)}"`, '"AQID"', '{}', 'true'];
  const ports = Object.keys(converters) as PortTypeName[];
  const rows = await sql<{ one: PortTypeName; other: PortTypeName; types: string[]; value: string }[]>`
    select p.one, p.other, c.types, private.value_of_input(s.sample::jsonb, c.types, true)::text as value
    from (select a.one, b.other from unnest(${ports}::text[]) as a (one), unnest(${ports}::text[]) as b (other)) as p
    cross join lateral (
      select private.types_of_mask(
        private.mask_of_bounds(to_jsonb(array[p.one])) & private.mask_of_bounds(to_jsonb(array[p.other]))
      ) as types
    ) as c
    cross join unnest(${samples}::text[]) as s (sample)
    where c.types <> '{free}' and private.value_of_input(s.sample::jsonb, c.types, true) is not null`;
  expect(rows.length).toBeGreaterThan(40);
  const fails = (name: PortTypeName, value: string): boolean => {
    try {
      converters[name]!(decodeValue(JSON.parse(value)));
      return false;
    } catch (error) {
      expect(error).toBeInstanceOf(ConversionError);
      return true;
    }
  };
  expect(rows.filter(({ one, other, value }) => fails(one, value) || fails(other, value))).toEqual([]);
});
