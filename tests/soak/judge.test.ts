import { expect, it } from 'vitest';
import { makeFindings } from './findings.ts';
import { DEFAULT_PRESSURE, readOptions, UsageError } from './options.ts';
import { makeRandom } from './random.ts';
import { makeReport } from './report.ts';
import { type Exchange, exchangeOf } from './traffic.ts';
import { type FaultWindow, judgeTraffic } from './windows.ts';

const exchange = (change: Partial<Exchange>): Exchange => ({
  kind: 'start',
  route: 'POST /functions/v1/deployment/start',
  from: 100,
  to: 110,
  status: 200,
  code: null,
  unclean: null,
  ...change,
});

const window = (from: number, to: number, excuses: RegExp | null = /deployment/): FaultWindow => ({
  fault: 'function_killed',
  detail: 'function deployment',
  from,
  to,
  excuses,
});

const judge = (asked: Exchange, ...windows: FaultWindow[]): string[] => {
  const findings = makeFindings();
  judgeTraffic([asked], windows, (kind) => kind === 'start' ? ['deployment_not_found'] : [], findings);
  return Object.keys(findings.counts());
};

const unavailable = { status: 503, code: 'service_unavailable' };
const lost = { status: null, code: 'ECONNRESET' };

it.each([
  ['a success', exchange({}), []],
  ['an error that is expected', exchange({ status: 404, code: 'deployment_not_found' }), []],
  ['one that is not', exchange({ status: 404, code: 'flow_not_found' }), ['error_unexpected']],
  ['one that another kind expects', exchange({ kind: 'stop', status: 404, code: 'deployment_not_found' }), [
    'error_unexpected',
  ]],
  ['an error without a body', exchange({ status: 404, code: 'deployment_not_found', unclean: 'no error body' }), [
    'error_unclean',
  ]],
  ['a 5xx', exchange(unavailable), ['server_error']],
  ['no answer', exchange(lost), ['no_answer']],
])('in calm %s is judged', (_what, asked, found) => {
  expect(judge(asked)).toEqual(found);
});

it.each([
  ['a 503', exchange(unavailable), []],
  ['no answer', exchange(lost), []],
  ['a 500', exchange({ status: 500, code: 'internal' }), ['error_not_retriable']],
  ['an answer that never came', exchange({ status: null, code: 'TimeoutError' }), ['no_answer']],
  ['a 503 of another part', exchange({ ...unavailable, route: 'GET /functions/v1/flow/output/x' }), ['server_error']],
  ['an unexpected refusal', exchange({ status: 401, code: 'token_invalid' }), ['error_unexpected']],
])('during a fault %s is judged', (_what, asked, found) => {
  expect(judge(asked, window(105, 200))).toEqual(found);
});

it('a fault excuses only requests that were under way during it', () => {
  const at = (from: number, to: number) => judge(exchange({ ...unavailable, from, to }), window(100, 200));
  expect([at(90, 100), at(200, 210), at(90, 210), at(150, 160)]).toEqual([[], [], [], []]);
  expect([at(80, 99), at(201, 210)]).toEqual([['server_error'], ['server_error']]);
});

it('a fault that hits only clients excuses no answer of the stack', () => {
  expect(judge(exchange(unavailable), window(0, 1_000, null))).toEqual(['server_error']);
});

it('the answer of PostgREST to a lost database is excused during a fault, and a finding in calm', () => {
  const asked = exchange({ kind: 'GET flows', route: 'GET /rest/v1/flows', status: 400, code: '' });
  expect(judge(asked, window(0, 1_000, /rest/))).toEqual([]);
  expect(judge(asked)).toEqual(['server_error']);
  // An Edge Function does not pass on this answer of PostgREST, so the same answer from it is a fault of the function.
  expect(judge({ ...asked, route: 'POST /functions/v1/flow/deploy/1' }, window(0, 1_000, /./))).toEqual([
    'error_unexpected',
  ]);
});

const FUNCTION_ROUTE = 'POST /functions/v1/deployment/start';

it.each<[string, number, Record<string, string>, unknown, string | null, string?]>([
  ['the one form', 404, {}, { code: 'a', message: 'b', details: null, hint: null }, null],
  ['HTML', 502, {}, '<html>', 'no error body: "<html>"'],
  ['an object without a code', 401, {}, { message: 'b' }, 'no error body: {"message":"b"}'],
  ['503 without Retry-After', 503, {}, { code: 'a', message: 'b', details: null, hint: null }, 'no Retry-After'],
  ['429 without Retry-After', 429, {}, { code: 'a', message: 'b', details: null, hint: null }, 'no Retry-After'],
  ['503 with it', 503, { 'retry-after': '1' }, { code: 'a', message: 'b', details: null, hint: null }, null],
  ['a success of any form', 200, {}, 'text', null],
  ['a function', 404, {}, { code: 'a', message: 'b', details: null, hint: null, error: 'b' }, null, FUNCTION_ROUTE],
  [
    'a function that lacks `error`',
    404,
    {},
    { code: 'a', message: 'b', details: null, hint: null },
    'no error body: {"code":"a","message":"b","details":null,"hint":null}',
    FUNCTION_ROUTE,
  ],
])('an answer of %s is judged by its form', (_what, status, headers, body, unclean, route = 'GET /') => {
  expect(exchangeOf({ kind: 'x', route, from: 0 }, status, new Headers(headers), body).unclean).toBe(unclean);
});

it('a seed determines everything, with separate choices for each part', () => {
  const draw = (seed: number, part: string) => {
    const random = makeRandom(seed, part);
    return [random.next(), random.text(), random.shuffled([1, 2, 3, 4, 5]), random.weighted({ a: 1, b: 1 })];
  };
  expect(draw(1, 'a')).toEqual(draw(1, 'a'));
  expect(draw(1, 'a')).not.toEqual(draw(1, 'b'));
  expect(draw(1, 'a')).not.toEqual(draw(2, 'a'));
  const random = makeRandom(1, 'range');
  const drawn = Array.from({ length: 1_000 }, () => random.between(3, 5));
  expect(new Set(drawn)).toEqual(new Set([3, 4, 5]));
  const counts = Array.from({ length: 4_000 }, () => random.weighted({ rare: 1, often: 3, never: 0 }));
  const rare = counts.filter((name) => name === 'rare').length;
  expect(rare).toBeGreaterThan(850);
  expect(rare).toBeLessThan(1_150);
  expect(counts).not.toContain('never');
});

it('findings beyond the kept ones are counted', () => {
  const findings = makeFindings();
  for (let count = 0; count < 50; count++) findings.add('paid_twice', { count });
  expect(findings.counts()).toEqual({ paid_twice: 50 });
  expect(findings.list()).toHaveLength(20);
});

it('the report separates latencies during faults from those in calm', () => {
  const exchanges = [10, 20, 500].map((ms, index) => exchange({ from: index * 1_000, to: index * 1_000 + ms }));
  const given = { seed: 1, minutes: 1, drain_ms: 0, runs: {} };
  const report = makeReport(given, exchanges, [window(2_100, 2_200)], [], makeFindings());
  expect(report.start_latency_ms.calm).toEqual({ count: 2, p50: 20, p90: 20, p99: 20, max: 20 });
  expect(report.start_latency_ms.during_faults).toEqual({ count: 1, p50: 500, p90: 500, p99: 500, max: 500 });
  expect(report.faults).toEqual({
    function_killed: { count: 1, window_ms: { count: 1, p50: 100, p90: 100, p99: 100, max: 100 } },
  });
});

it.each([
  [['--minutes', '0'], /--minutes 0: must be/],
  [['--minutes', ''], /--minutes : must be/],
  [['--minutes', 'five'], /--minutes five: must be/],
  [['--minutes', '1441'], /--minutes 1441: must be/],
  [['--seed', '-1'], /--seed/],
  [['--seed', '1.5'], /--seed 1.5: must be/],
  [['--hostile', '--pressure', '1.5'], /--pressure 1.5: must be/],
  [['--pressure', '5'], /options of --hostile/],
  [['--hours', '1'], /Unknown option '--hours'/],
])('the command line %j is refused with the usage', (args, message) => {
  expect(() => readOptions(args)).toThrow(UsageError);
  expect(() => readOptions(args)).toThrow(message);
  expect(() => readOptions(args)).toThrow('npm run soak');
});

it('minutes may be fractions, and a seed is made by default', () => {
  expect(readOptions(['--minutes', '0.3', '--seed', '7', '--json', 'a.json'])).toEqual({
    isFailover: false,
    isHostile: false,
    pressure: DEFAULT_PRESSURE,
    minutes: 0.3,
    seed: 7,
    jsonFile: 'a.json',
  });
  const { minutes, seed } = readOptions([]);
  expect([minutes, Number.isInteger(seed)]).toEqual([5, true]);
  expect(readOptions(['--hostile'])).toMatchObject({ isHostile: true, minutes: 2 });
  expect(readOptions(['--hostile', '--pressure', '5', '--only', 'rows'])).toMatchObject({ pressure: 5, only: 'rows' });
});
