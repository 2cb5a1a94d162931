import { base58 } from '@scure/base';
import { randomBytes } from 'node:crypto';
import { connect } from '../../dev/stack/postgres/postgres.ts';
import { textFlow } from '../support/flow_builder.ts';
import { withBenchStack } from './bench_stack.ts';
import { makePart, type Part } from './figure.ts';
import { runLoad, takeLoadRounds } from './load.ts';
import type { Plan } from './plan.ts';

const CONNECTIONS = 4;
const TURNS = 8;
const GOAL = 1.2;

/** Measures a read of a deployment's description. The baseline is the look-up and the permission check of a start. */
export const measureReadingDeployment = (plan: Plan): Promise<Part[]> =>
  withBenchStack('reading-deployment', async (bench) => {
    const { owner, sql, stack } = bench;
    const deploymentId = await bench.deploy(await bench.storeFlow(textFlow()));
    await sql`update public.flow_deployments set start_permission = 'Anonymous' where id = ${deploymentId}`;
    const callers = [
      { name: "the owner's access token", claims: { sub: owner.id, role: 'authenticated' }, publicKey: null },
      { name: 'a public key', claims: { role: 'anon' }, publicKey: base58.encode(randomBytes(32)) },
    ];
    const parts: Part[] = [];
    for (const { name, claims, publicKey } of callers) {
      // The superuser calls the look-up, because no other role may call it directly.
      const asCaller = connect(stack.superuserUrl, {
        max: CONNECTIONS,
        connection: { 'request.jwt.claims': JSON.stringify(claims), 'request.headers': '{}' } as never,
      });
      const read = () =>
        asCaller`select private.read_deployment(${deploymentId}::uuid, null, null, ${publicKey}::text)`;
      const lookUp = () =>
        asCaller`select (private.startable_deployment(
          ${deploymentId}::uuid, null, null, private.lock_caller(), ${publicKey}::text, true)).id`;
      // This look-up takes no locks. The look-up of a start locks rows. A lock writes to the row, so the commit of a
      // start waits for the disk.
      const look = () =>
        asCaller`select (private.startable_deployment(
          ${deploymentId}::uuid, null, null, private.caller(), ${publicKey}::text, false)).id`;
      try {
        // The description is computed only once.
        await read();
        const load = (statement: () => Promise<unknown>) => (durationMs: number) =>
          runLoad(CONNECTIONS, durationMs, statement);
        const loads = { read: load(read), lookUp: load(lookUp), look: load(look) };
        const results = await takeLoadRounds(plan, async () => {}, loads, TURNS);
        const time = ({ perSecond }: { perSecond: number }) => CONNECTIONS * 1e6 / perSecond;
        const against = (side: 'lookUp' | 'look') =>
          results.map((result) => ({ measured: time(result.read), baseline: time(result[side]) }));
        parts.push(makePart({ name, unit: 'µs', goal: GOAL, rounds: against('lookUp') }));
        parts.push(
          makePart({ name: `${name}, against the look-up without its locks`, unit: 'µs', rounds: against('look') }),
        );
      } finally {
        await asCaller.end();
      }
    }
    return parts;
  });
