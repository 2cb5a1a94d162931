import { Cron } from 'croner';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Sql } from '../../dev/stack/postgres/postgres.ts';
import { cloneDatabase, type TestDatabase } from '../support/database.ts';

let database: TestDatabase;
let sql: Sql;
beforeAll(async () => {
  database = await cloneDatabase();
  sql = database.connect();
});
afterAll(() => database.close());

const DAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];
const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];

/**
 * The zones, each tested for ten years. Some have special changes of their clocks: half an hour in summer, a skipped
 * day, abolished summer time.
 */
const ZONES: [zone: string, from: string][] = [
  ['UTC', '2026-01-01'],
  ['Europe/Berlin', '2026-01-01'],
  ['America/New_York', '2026-01-01'],
  ['Australia/Lord_Howe', '2026-01-01'],
  ['Asia/Kathmandu', '2026-01-01'],
  ['Pacific/Apia', '2009-01-01'],
  ['America/Sao_Paulo', '2011-01-01'],
  ['Africa/Cairo', '2023-01-01'],
];
const TEN_YEARS_MS = 10 * 365.25 * 86_400_000;

const value = (low: number, high: number, names?: string[]) =>
  fc.integer({ min: low, max: high }).chain((n) =>
    fc.constantFrom(
      String(n),
      ...(names?.[n - low] === undefined ? [] : [names[n - low]!, names[n - low]!.toLowerCase()]),
    )
  );
const range = (low: number, high: number, names?: string[]) =>
  fc.tuple(fc.integer({ min: low, max: high }), fc.integer({ min: low, max: high })).map((ends) => {
    const [from, to] = ends.sort((a, b) => a - b);
    // At the end of a range that begins later, SUN would mean 0.
    return names === undefined || to! - low >= names.length
      ? `${from}-${to}`
      : `${names[from! - low]}-${names[to! - low]}`;
  }).filter((text) => !text.startsWith('SUN-SUN'));
const field = (low: number, high: number, names?: string[]) => {
  const step = fc.integer({ min: 1, max: Math.min(high, 30) });
  const part = fc.oneof(
    { weight: 3, arbitrary: value(low, high, names) },
    { weight: 1, arbitrary: range(low, high, names) },
    { weight: 1, arbitrary: fc.tuple(range(low, high), step).map(([text, every]) => `${text}/${every}`) },
  );
  return fc.oneof(
    { weight: 4, arbitrary: fc.constant('*') },
    { weight: 1, arbitrary: step.map((every) => `*/${every}`) },
    { weight: 4, arbitrary: value(low, high, names) },
    { weight: 2, arbitrary: fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join()) },
  );
};
// The hours at which clocks change. With these hours, most cron texts have a time that a change of the clocks affects.
const hour = fc.oneof({ weight: 2, arbitrary: fc.constantFrom('0', '1', '2', '3', '23') }, {
  weight: 1,
  arbitrary: field(0, 23),
});
const text = fc.tuple(field(0, 59), hour, field(1, 31), field(1, 12, MONTHS), field(0, 7, DAYS)).map((fields) =>
  fields.join(' ')
);

/**
 * Makes croner's form of a cron text. In it, `+` means that both day fields must match. In Vixie cron, both must match
 * if one of them begins with `*`.
 */
function cronerText(cron: string): string {
  const [minute, hours, day, month, weekday] = cron.split(' ');
  const needsBoth = [day, weekday].some((field) => field!.startsWith('*') && field !== '*');
  return [minute, hours, day, month, needsBoth ? `+${weekday}` : weekday].join(' ');
}
const cronerTimes = (cron: string, zone: string, after: Date, count: number): string[] =>
  new Cron(cronerText(cron), { timezone: zone, mode: '5-part' }).nextRuns(count, after).map((time) =>
    time.toISOString()
  );

interface Question {
  cron: string;
  zone: string;
  after: Date;
  count: number;
}

const ourTimes = async (questions: Question[]): Promise<string[][]> => {
  const asked = questions.map(({ cron, zone, after, count }) => ({ cron, zone, after, count }));
  const rows = await sql<{ times: Date[] }[]>`
    with recursive asked as (
      select a.position, (private.read_cron(a.value ->> 'cron')).read as cron, a.value ->> 'zone' as zone, (a.value ->> 'after')::timestamptz as after,
        (a.value ->> 'count')::integer as count
      from jsonb_array_elements(${sql.json(asked as never)}) with ordinality as a (value, position)
    ), times as (
      select position, cron, zone, count, 1 as n, private.next_time_of_cron(cron, zone, after) as at from asked
      union all
      select position, cron, zone, count, n + 1, private.next_time_of_cron(cron, zone, at) from times where n < count and at is not null
    )
    select array_agg(at order by n) as times from times group by position order by position`;
  return rows.map(({ times }) => times.map((time) => time?.toISOString()));
};

/** Returns the times around which a zone's clocks change within ten years. */
function changes(zone: string, from: number): number[] {
  const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
  const offset = (at: number) => format.formatToParts(at).find(({ type }) => type === 'timeZoneName')!.value;
  const days = Array.from({ length: 3_654 }, (_, day) => from + day * 86_400_000);
  const offsets = days.map(offset);
  return days.slice(0, -1).filter((_, day) => offsets[day] !== offsets[day + 1]);
}

it("the next times of random texts equal croner's, in ten years of each of several zones", async () => {
  const texts = fc.sample(text, { numRuns: 192 });
  const moments = fc.sample(
    fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true })),
    {
      numRuns: 192,
    },
  );
  const changesOf = new Map(ZONES.map(([zone, from]) => [zone, changes(zone, Date.parse(from))]));
  const asked = texts.flatMap((cron, n) => {
    const [zone, from] = ZONES[n % ZONES.length]!;
    const changing = changesOf.get(zone)!;
    const [first, second] = moments[n]!;
    const start = Math.floor(Date.parse(from) / 60_000) * 60_000;
    const near = changing.length === 0
      ? []
      : Array.from({ length: 6 }, (_, k) =>
        changing[Math.floor(second * changing.length + k) % changing.length]! - Math.floor(first * 7_200_000));
    return [start + Math.floor(first * TEN_YEARS_MS), start + Math.floor(second * TEN_YEARS_MS), ...near].map((
      after,
    ) => ({
      cron,
      zone,
      after: new Date(after),
      count: 3,
    }));
  });
  // Some texts name days that no month has; croner then returns no time.
  const possible = asked.map((question) => ({
    ...question,
    theirs: cronerTimes(question.cron, question.zone, question.after, question.count),
  })).filter(({ theirs }) => theirs.length > 0);
  expect(possible.length).toBeGreaterThan(1_000);
  const ours = await ourTimes(possible);
  const differing = possible.flatMap((question, n) =>
    JSON.stringify(question.theirs) === JSON.stringify(ours[n]) ? [] : [{ ...question, ours: ours[n] }]
  );
  expect(differing).toEqual([]);
});

it.each([
  ['30 2 * * *', 'America/New_York', 3_660],
  ['0 0 * * *', 'America/Sao_Paulo', 3_660],
  ['45 1 * * *', 'Australia/Lord_Howe', 3_660],
  ['0 2,14 * * MON-FRI', 'Europe/Berlin', 5_230],
  ['0 0 29 FEB *', 'Asia/Kathmandu', 4],
  ['0 12 30 12 *', 'Pacific/Apia', 12],
])("%s in %s is due at croner's times for ten years", async (cron, zone, most) => {
  const from = new Date(ZONES.find(([name]) => name === zone)![1]);
  const theirs = cronerTimes(cron, zone, from, most).filter((time) => Date.parse(time) < from.getTime() + TEN_YEARS_MS);
  expect(theirs.length).toBeLessThan(most);
  const [ours] = await ourTimes([{ cron, zone, after: from, count: theirs.length }]);
  expect(ours).toEqual(theirs);
});

it('a text is refused if and only if croner refuses it or it is never due', async () => {
  const texts = [
    ...fc.sample(text, { numRuns: 300 }),
    '0 0 30 2 *',
    '0 0 31 4,6,9,11 *',
    '0 0 30 FEB */2',
    '0 0 31 2 MON',
    '0 0 29 2 */7',
    '5-1 * * * *',
    '* * * * 8',
    '60 * * * *',
    '*/0 * * * *',
    '* * * * MON-',
    '* * * JANUARY *',
    '5/15 * * * *',
    '* * 0 * *',
    '1,,2 * * * *',
    '-1 * * * *',
    '* * * * FRI-SUN',
  ];
  const rows = await sql<{ cron: string; is_refused: boolean }[]>`
    select t.cron, (private.read_cron(t.cron)).faults <> '[]' as is_refused from unnest(${texts}::text[]) as t (cron)`;
  const refusals = (cron: string): boolean => {
    try {
      return cronerTimes(cron, 'UTC', new Date('2026-01-01'), 1).length === 0;
    } catch {
      return true;
    }
  };
  expect(rows.map(({ cron, is_refused }) => [cron, is_refused])).toEqual(texts.map((cron) => [cron, refusals(cron)]));
});

it('the next time of the rarest expression is found fast', async () => {
  // The rarest day is a 29 February on a Sunday. The search passes the year 2100, which has no 29 February.
  expect(await ourTimes([{ cron: '0 0 29 2 */7', zone: 'UTC', after: new Date('2088-03-01'), count: 1 }])).toEqual([
    ['2128-02-29T00:00:00.000Z'],
  ]);
});
