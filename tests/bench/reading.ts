import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Sql } from '../../dev/stack/postgres/postgres.ts';
import { type BenchStack, withBenchStack } from './bench_stack.ts';
import { makePart, type Part, type Round } from './figure.ts';
import type { Plan } from './plan.ts';
import { assertSamePlan } from './reading_plan.ts';
import { median } from './statistics.ts';

const REPETITIONS = 300;
/** The number of deployments, with 1,000 runs each. */
const SMALL = 10;
const LARGE = 1_000;
const FACTOR_GOAL = 1.15;
const GROWTH_GOAL = 1.2;

/** A reader with the settings that PostgREST makes for it. The superuser has no settings. */
export interface Reader {
  name: string;
  role: 'anon' | 'authenticated' | null;
  claims: object;
  headers: object;
  /** The number of rows that the reader sees among the newest 50. */
  rows: number;
  /** The milliseconds that checking the credential may take. */
  allowanceMs: number;
}

async function makeReaders({ owner, sql }: BenchStack, deploymentId: string): Promise<Reader[]> {
  const [token] = await sql`
    select private.run_token(r.id) as run_token from public.flow_run as r
    where r.deployment_id = ${deploymentId} order by r.id desc limit 1`;
  const nobody = { claims: {}, headers: {}, rows: 50, allowanceMs: 0 };
  const anon = { ...nobody, role: 'anon', claims: { role: 'anon' }, allowanceMs: 0.25 } as const;
  return [
    { ...nobody, name: 'superuser', role: null },
    {
      ...nobody,
      name: 'access token',
      role: 'authenticated',
      claims: { sub: owner.id, role: 'authenticated' },
      allowanceMs: 0.05,
    },
    { ...anon, name: 'API key', headers: { 'x-api-key': owner.apiKey } },
    { ...anon, name: 'run token', headers: { 'x-flow-run-token': token!.run_token }, rows: 1 },
  ];
}

/** Returns the median of many reads, in milliseconds. */
async function readTime(sql: Sql, deploymentId: string, reader: Reader): Promise<number> {
  const times = await sql.begin((tx) =>
    tx<{ ms: number; rows: string }[]>`
      select * from bench.read_times(
        ${deploymentId}, ${REPETITIONS}, ${reader.role}, ${tx.json(reader.claims as never)}, ${
      tx.json(reader.headers as never)
    })`
  );
  const other = times.find(({ rows }) => Number(rows) !== reader.rows);
  if (other !== undefined) throw new Error(`${reader.name} reads ${other.rows} rows, not ${reader.rows}`);
  return median(times.map(({ ms }) => ms));
}

/** Measures the rounds of every reader, by name. */
async function readAll(sql: Sql, deploymentId: string, readers: Reader[], rounds: number) {
  const times = new Map(readers.map(({ name }) => [name, [] as number[]]));
  for (const reader of readers) await readTime(sql, deploymentId, reader);
  for (let round = 0; round < rounds; round++) {
    for (const reader of readers) times.get(reader.name)!.push(await readTime(sql, deploymentId, reader));
  }
  return times;
}

/**
 * Measures how fast an owner reads a deployment's newest runs, in a small table and in a large one. The baseline is the
 * same read as superuser.
 */
export const measureReading = (plan: Plan): Promise<Part[]> =>
  withBenchStack('reading', async (bench) => {
    const { owner, sql } = bench;
    await sql.unsafe(await readFile(fileURLToPath(new URL('./reading.sql', import.meta.url)), 'utf8'));
    const parts: Part[] = [];
    const superuser: number[][] = [];
    let filled = 0;
    for (const deployments of [SMALL, Math.max(LARGE / plan.shrink, SMALL * 2)]) {
      await sql`select bench.add_runs(${owner.id}, ${filled}, ${deployments - filled})`;
      filled = deployments;
      await sql`vacuum analyze public.flow_run`;
      const [read] = await sql`select bench.deployment_id(${deployments - 1}) as id`;
      const readers = await makeReaders(bench, read!.id);
      await assertSamePlan(sql, read!.id, readers);
      const times = await readAll(sql, read!.id, readers, plan.rounds);
      const baseline = times.get('superuser')!;
      superuser.push(baseline);
      for (const { name, role, allowanceMs } of readers) {
        if (role === null) continue;
        const rounds: Round[] = times.get(name)!.map((measured, round) => ({
          measured,
          baseline: baseline[round]! * FACTOR_GOAL + allowanceMs,
        }));
        const rows = (deployments * 1_000).toLocaleString('en');
        const limit = `${FACTOR_GOAL} × the superuser's time + ${allowanceMs} ms`;
        parts.push(makePart({ name: `${name}, ${rows} rows, against ${limit}`, unit: 'ms', goal: 1, rounds }));
      }
    }
    const [small, large] = parts.map(({ rounds }) => rounds).filter((_, index) => index === 0 || index === 3);
    const growth = large!.map(({ measured }, round) => ({ measured, baseline: small![round]!.measured }));
    parts.push(
      makePart({ name: 'access token, larger table against smaller', unit: 'ms', goal: GROWTH_GOAL, rounds: growth }),
    );
    return parts;
  });
