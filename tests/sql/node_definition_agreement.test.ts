import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Sql } from '../../dev/stack/postgres/postgres.ts';
import { nodeDefinitionSchema } from '../../types/node_definition.ts';
import { cloneDatabase, type TestDatabase } from '../support/database.ts';
import {
  definitionColumns,
  definitionTexts,
  fixtureDefinitions,
  type JsonObject,
  sharedDefinitions,
} from '../support/node_definitions.ts';
import { fuzzCases } from '../support/fuzz_cases.ts';

const BATCHES = 3;
const BATCH_SIZE = fuzzCases(250);

let database: TestDatabase;
let sql: Sql;

beforeAll(async () => {
  database = await cloneDatabase();
  sql = database.connect();
});

afterAll(() => database.close());

/**
 * Returns two verdicts of SQL: on the record itself, and on the row that PostgREST makes from it. The second verdict is
 * null if the record has a member for which the table has no column.
 */
const sqlVerdicts = (texts: string[]) =>
  sql<{ record: boolean; row: boolean | null }[]>`
    select
      case when pg_input_is_valid(t.text, 'jsonb') then private.node_definition_faults(t.text::jsonb) = '[]' else false end as record,
      case when pg_input_is_valid(t.text, 'jsonb') then case
        when (select bool_and(name = any(${definitionColumns as unknown as string[]})) from jsonb_object_keys(t.text::jsonb) as name)
        then private.node_definition_faults(private.node_definition(json_populate_record(null::public.nodes, t.text::json))) = '[]'
      end end as row
    from unnest(${texts}::text[]) with ordinality as t (text, position)
    order by t.position`;

const zodVerdict = (text: string): boolean => nodeDefinitionSchema.safeParse(JSON.parse(text)).success;

async function expectAgreement(texts: string[]): Promise<{ accepted: number; refused: number }> {
  const verdicts = await sqlVerdicts(texts);
  const expected = texts.map(zodVerdict);
  const disagreed = texts.flatMap((text, index) => {
    const { record, row } = verdicts[index]!;
    return record === expected[index] && (row ?? record) === record
      ? []
      : [{ zod: expected[index], record, row, text }];
  });
  expect(disagreed).toEqual([]);
  const accepted = expected.filter((verdict) => verdict).length;
  return { accepted, refused: texts.length - accepted };
}

it(`zod and SQL agree on ${BATCHES * BATCH_SIZE} generated node definitions, good and bad ones`, async () => {
  const counts = { accepted: 0, refused: 0 };
  const batches = fc.asyncProperty(
    fc.array(definitionTexts, { minLength: BATCH_SIZE, maxLength: BATCH_SIZE }),
    async (texts) => {
      const { accepted, refused } = await expectAgreement(texts);
      counts.accepted += accepted;
      counts.refused += refused;
    },
  );
  // The samples are not shrunk, because the message lists all texts on which SQL and zod disagree.
  await fc.assert(batches, { numRuns: BATCHES, endOnFailure: true });
  console.log(`node definitions compared: ${counts.accepted} accepted, ${counts.refused} refused`);
  expect(counts.accepted + counts.refused).toBe(BATCHES * BATCH_SIZE);
  expect(Math.min(counts.accepted, counts.refused)).toBeGreaterThan(BATCHES * BATCH_SIZE / 5);
});

it('zod and SQL accept every fixture and every shared definition', async () => {
  const texts = [...fixtureDefinitions, ...sharedDefinitions].map(([, definition]) => JSON.stringify(definition));
  expect(await expectAgreement(texts)).toEqual({ accepted: texts.length, refused: 0 });
});

it('zod and SQL accept a ui_schema alone, which defines no form, but no json_schema alone', async () => {
  const [json, ui] = ['targets_form.json_schema', 'targets_form.ui_schema'];
  const withForms = (forms: JsonObject) => JSON.stringify({ ...minimal, ...forms });
  const good: JsonObject[] = [{ [ui!]: {} }, { [ui!]: {}, [json!]: null }, { [ui!]: {}, [json!]: {} }, { [ui!]: null }];
  expect(await expectAgreement(good.map(withForms))).toEqual({ accepted: good.length, refused: 0 });
  const bad: JsonObject[] = [{ [json!]: {} }, { [json!]: {}, [ui!]: null }, { [ui!]: [] }];
  expect(await expectAgreement(bad.map(withForms))).toEqual({ accepted: 0, refused: bad.length });
});

const [, minimal] = fixtureDefinitions.find(([name]) => name === 'minimal')!;
const withOption = (json: string): string =>
  JSON.stringify({ ...minimal, data: { ...minimal.data as JsonObject, options: { x: '@' } } }).replace('"@"', json);

it('zod and SQL apply the limit of 256 KiB at the same byte for every content', async () => {
  const fill: Record<string, (count: number) => string> = {
    ascii: (count) => JSON.stringify('x'.repeat(count)),
    umlauts: (count) => JSON.stringify('ü'.repeat(count)),
    emoji: (count) => JSON.stringify('🦕'.repeat(count)),
    numbers: (count) => JSON.stringify(Array(count).fill(Math.PI * -1e-300)),
    'empty arrays': (count) => JSON.stringify(Array.from({ length: count }, () => [])),
    members: (count) => JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, n) => [`${n}ß`, n]))),
  };
  for (const make of Object.values(fill)) {
    // The greatest count that zod accepts, found by bisection around the count with the longest allowed text.
    const [bytes, more] = [0, 1_000].map((count) => Buffer.byteLength(withOption(make(count)))) as [number, number];
    const guess = Math.floor((262_144 - bytes) / (more - bytes) * 1_000);
    const isAround = ([least, most]: number[]) =>
      zodVerdict(withOption(make(least!))) && !zodVerdict(withOption(make(most!)));
    const around = [0.001, 0.1].map((part) => [
      Math.floor(guess * (1 - part)),
      Math.min(Math.ceil(guess * (1 + part)), 262_144),
    ]);
    let [low, high] = (around.find(isAround) ?? [1, 262_144]) as [number, number];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (zodVerdict(withOption(make(middle)))) low = middle;
      else high = middle - 1;
    }
    const texts = [low, low + 1].map((count) => withOption(make(count)));
    expect(await expectAgreement(texts)).toEqual({ accepted: 1, refused: 1 });
  }
});

it('zod and SQL apply the limit of 64 levels at the same level', async () => {
  // data.options.x is the third level; the content of an array is one level deeper.
  const texts = [61, 62, 63, 64].map((arrays) => withOption('['.repeat(arrays) + ']'.repeat(arrays)));
  expect(await expectAgreement(texts)).toEqual({ accepted: 2, refused: 2 });
  const values = [60, 61, 62].map((arrays) => withOption('['.repeat(arrays) + '1' + ']'.repeat(arrays)));
  expect(await expectAgreement(values)).toEqual({ accepted: 2, refused: 1 });
});

it('zod and SQL both refuse what is not I-JSON, in values and in names', async () => {
  const bad = [
    '"\\u0000"',
    '"\\ud800"',
    '"\\udfff\\ud800"',
    '{"a\\u0000": 1}',
    '{"\\ud800": 1}',
    '1e309',
    '-1e400',
    '[[1e999]]',
  ];
  expect(await expectAgreement(bad.map(withOption))).toEqual({ accepted: 0, refused: bad.length });
  const good = [
    '"\\ud83e\\udd95"',
    '"\\uffff\\ufffe"',
    '1.7976931348623158e308',
    '-1.7976931348623157e308',
    '5e-324',
    '-0',
  ];
  expect(await expectAgreement(good.map(withOption))).toEqual({ accepted: good.length, refused: 0 });
});
