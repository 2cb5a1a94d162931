import { base58 } from '@scure/base';
import { randomBytes } from 'node:crypto';
import { connect, type Sql } from '../../dev/stack/postgres/postgres.ts';
import { textFlow } from '../support/flow_builder.ts';
import { type BenchStack, withBenchStack } from './bench_stack.ts';
import { makePart, type Part } from './figure.ts';
import { type LoadResult, runLoad, takeLoadRounds } from './load.ts';
import type { Plan } from './plan.ts';

const CONNECTIONS = 16;
const GOAL = 0.45;
/**
 * The machine's speed changes within a second, and the result is close to the goal. So the bench runs many short turns,
 * and each load lasts longer than usual.
 */
const TURNS = 24;
const LONGER = 1.5;

/** A caller with the settings that PostgREST makes after it has checked the credential. */
interface Caller {
  name: string;
  role: 'authenticated' | 'anon';
  claims: object;
  headers: object;
  publicKey: string | null;
}

async function makeCallers({ owner, addUser, sql }: BenchStack): Promise<Caller[]> {
  const other = await addUser();
  const signedIn = (sub: string, more: object = {}) => ({ sub, role: 'authenticated', aud: 'authenticated', ...more });
  const [key] = await sql`select private.api_key_claims(${owner.apiKey}) as claims`;
  const named = { role: 'authenticated', headers: {}, publicKey: null } as const;
  return [
    { ...named, name: "the owner's access token", claims: signedIn(owner.id) },
    { ...named, name: "another user's access token", claims: signedIn(other.id) },
    { ...named, name: "the owner's API key", claims: key!.claims, headers: { 'x-api-key': owner.apiKey } },
    {
      name: 'a public key',
      role: 'anon',
      claims: { role: 'anon' },
      headers: {},
      publicKey: base58.encode(randomBytes(32)),
    },
  ];
}

/**
 * Sets the caller for the whole session. PostgREST sets the caller in every transaction and runs pre_request in it. In
 * the bench, both a start and the bare start would pay the same time for this work, which would hide the difference
 * between them.
 */
const connectAs = ({ role, claims, headers }: Caller, url: string): Sql =>
  connect(url, {
    max: CONNECTIONS,
    connection: {
      role,
      'request.jwt.claims': JSON.stringify(claims),
      'request.headers': JSON.stringify(headers),
    } as never,
  });

/** Measures starts per second in SQL. The baseline is the bare start. */
export const measureStartSql = (plan: Plan): Promise<Part[]> =>
  withBenchStack('start-sql', async (bench) => {
    const deploymentId = await bench.deploy(await bench.storeFlow(textFlow()));
    const inputs = { value: { D: '7' } };
    const parts: Part[] = [];
    for (const caller of await makeCallers(bench)) {
      const sql = connectAs(caller, bench.stack.superuserUrl);
      const start = () =>
        sql`select public.start_deployment(
          id => ${deploymentId}::uuid, inputs => ${sql.json(inputs)}, public_key => ${caller.publicKey}::text)`;
      const bare = () => sql`select bench.start(deployment_id => ${deploymentId}::uuid, inputs => ${sql.json(inputs)})`;
      try {
        const load = (statement: () => Promise<unknown>) => (durationMs: number): Promise<LoadResult> =>
          runLoad(CONNECTIONS, durationMs, statement);
        const longer = { ...plan, loadMs: plan.loadMs * LONGER };
        const loads = { start: load(start), bare: load(bare) };
        const results = await takeLoadRounds(longer, bench.clearRuns, loads, TURNS);
        const rounds = results.map(({ start, bare }) => ({ measured: start.perSecond, baseline: bare.perSecond }));
        parts.push(makePart({ name: caller.name, unit: 'a second', goalKind: 'at least', goal: GOAL, rounds }));
      } finally {
        await sql.end();
      }
    }
    return parts;
  });
