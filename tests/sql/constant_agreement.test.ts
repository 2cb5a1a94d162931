import { parse } from 'lossless-json';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Sql } from '../../dev/stack/postgres/postgres.ts';
import { constNode } from '../../runner/nodes/const/index.ts';
import type { LosslessJson } from '../../types/values/value.ts';
import { cloneDatabase, type TestDatabase } from '../support/database.ts';
import { makeNodeCall } from '../support/node_call.ts';

let database: TestDatabase;
let sql: Sql;

beforeAll(async () => {
  database = await cloneDatabase();
  sql = database.connect();
});

afterAll(() => database.close());

const TYPES = ['text', 'number', 'decimal', 'boolean', 'JSON', 'null', 'bytes', 'key', 'String', 'File'];
const KEY = '11111111111111111111111111111111';
const VALUES = [
  '',
  'a',
  '3',
  '2.50',
  '.5',
  '5.',
  '+1',
  '-0.1',
  '1e5',
  '79228162514264337593543950335',
  '79228162514264337593543950336',
  KEY,
  `${KEY}${KEY}`,
  `${KEY}1`,
  'AQID',
  'AQI=',
  'AQI',
  'A*==',
  '[1, 2.50]',
  '{',
  '"a"',
  3,
  -1.5,
  1e30,
  true,
  false,
  null,
  [],
  ['a'],
  {},
  { S: 'a' },
  { S: 1 },
  { B: true },
  { S: 'a', B: true },
  { X: 1 },
];

const runs = (form: unknown): boolean => {
  try {
    // SAFETY: JSON without loss.
    constNode.run(makeNodeCall(constNode, { formData: parse(JSON.stringify(form)) as LosslessJson }));
    return true;
  } catch {
    return false;
  }
};

it('SQL finds a fault in those forms of a constant that a run can not read', async () => {
  const forms: unknown[] = ['text', null, [], {}, { type: 3, value: 'a' }, { value: { S: 'a' } }];
  for (const type of TYPES) forms.push({ type }, ...VALUES.map((value) => ({ type, value })));
  const rows = await sql<{ fault: string | null }[]>`
    select private.constant_fault(t.form::jsonb) as fault
    from unnest(${forms.map((form) => JSON.stringify(form))}::text[]) with ordinality as t (form, position)
    order by t.position`;
  const bySql = forms.filter((_, index) => rows[index]!.fault === null);
  expect(bySql).toEqual(forms.filter(runs));
  expect(new Set(rows.map(({ fault }) => fault)).size).toBeGreaterThan(8);
});
