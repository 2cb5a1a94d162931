import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectFunctionsDir } from '../../dev/stack/functions.ts';
import { projectDir } from '../../dev/stack/paths.ts';
import { connect } from '../../dev/stack/postgres/postgres.ts';
import type { Stack } from '../../dev/stack/stack.ts';
import { databasePort, findFreePort } from '../../dev/stack/ports.ts';
import { makeOwnStack } from '../support/own_stack.ts';
import { type Standby, startStandby } from '../support/standby.ts';
import { auditChain } from './audit_chain.ts';
import { auditReading, type Reader } from './audit_reading.ts';
import { auditRows } from './auditor.ts';
import { drain } from './drain.ts';
import { expectedCodes } from './edits.ts';
import { breakThings } from './faults.ts';
import { makeFindings } from './findings.ts';
import { generateLoad } from './load.ts';
import type { SoakOptions } from './options.ts';
import { makeRandom } from './random.ts';
import { makeReport, type Report } from './report.ts';
import { makeStarts } from './starts.ts';
import { makeTraffic } from './traffic.ts';
import { judgeTraffic } from './windows.ts';
import { runnerEnvironment, startWorkers } from './workers.ts';
import { bearer, makeWorld, type World } from './world.ts';

/** The seconds for which the tokens of users are valid after the end of the load. */
const SPARE_SECONDS = 1_800;

/** Lists the readers who try to read everything. */
function readersOf(world: World, runToken: { id: string; token: string } | undefined): Reader[] {
  return [
    { label: 'nobody', headers: {}, userId: null, runId: null },
    ...world.users.map(({ label, id, token }) => ({ label, headers: bearer(token), userId: id, runId: null })),
    ...world.users.filter(({ apiKey }) => apiKey !== undefined).map(({ label, id, apiKey }) => ({
      label: `API key of ${label}`,
      headers: { 'x-api-key': apiKey! },
      userId: id,
      runId: null,
    })),
    ...(runToken === undefined ? [] : [{
      label: 'holder of a run token',
      headers: { 'x-flow-run-token': runToken.token },
      userId: null,
      runId: runToken.id,
    }]),
  ];
}

async function soakStack(
  stack: Stack,
  standby: Standby | undefined,
  options: SoakOptions,
  signal: AbortSignal,
  note: (line: string) => void,
): Promise<Report> {
  const { seed, minutes } = options;
  const findings = makeFindings();
  const traffic = makeTraffic();
  const workers = startWorkers(stack);
  // Two connections: after a restart of Postgres, the next statement opens another one.
  const sql = connect(stack.superuserUrl, { max: 2 });
  let world: World | undefined;
  try {
    world = await makeWorld(stack.status, sql, traffic, makeRandom(seed, 'world'), minutes * 60 + SPARE_SECONDS);
    const endAt = Date.now() + minutes * 60_000;
    let areFaultsOver = false;
    const isOver = () => areFaultsOver || signal.aborted;
    const starts = makeStarts(world, findings, isOver);
    const breaking = breakThings({ stack, world, workers, starts, standby }, seed, () => Date.now() >= endAt, signal)
      .finally(() => areFaultsOver = true);
    const [windows] = await Promise.all([breaking, generateLoad(world, starts, seed, isOver)]);

    const { landed } = world.chain.ledger;
    const deployments = world.flows.flatMap(({ deployments }) =>
      deployments.map(({ id, isGoing, isGone }) => ({ id, isGoing, isGone }))
    );
    const facts = { starts: starts.records, deployments, watched: world.watched, landed, webhookIds: [] };
    // Pause the schedules, so that they start no more runs.
    await sql`update public.flow_schedules set is_active = false`;
    const drain_ms = await drain(sql, facts);
    const drainedAt = new Date();
    const codes = await workers.end();
    if (codes.some((code) => code !== 0)) findings.add('worker_ended_otherwise', { codes });
    judgeTraffic(traffic.exchanges, windows, expectedCodes, findings);
    await auditRows(sql, { ...facts, webhookIds: [...world.webhooks.takenIds], drainedAt }, findings);
    await auditChain(sql, facts, findings);
    await auditReading(sql, stack.status, readersOf(world, starts.lastRun()), findings);
    const runs = await sql<{ status: string; count: number }[]>`
      select status, count(*)::integer as count from public.flow_run group by 1 order by 1`;
    const counts = Object.fromEntries(runs.map(({ status, count }) => [status, count]));
    return makeReport({ seed, minutes, drain_ms, runs: counts }, traffic.exchanges, windows, starts.records, findings);
  } finally {
    workers.kill();
    for (const event of workers.complaints()) note(`[worker] ${JSON.stringify(event)}`);
    await sql.end();
    await world?.chain.stop();
    await world?.webhooks.close();
  }
}

/** The file with the log of the stack and its workers. It is from the last soak with this seed. */
export const soakLogFile = (seed: number): string => join(projectDir, `.stack/soak-${seed}.log`);

/**
 * Boots a stack, soaks it, and returns the report. The stack is deleted afterwards. Aborting the signal ends the load
 * early.
 */
export async function soak(options: SoakOptions, signal: AbortSignal): Promise<Report> {
  const own = await makeOwnStack('soak', null);
  // The ports after those of the stack.
  const standbyPort = options.isFailover ? await findFreePort(own.port + 4) : undefined;
  let standby: Standby | undefined;
  const lines: string[] = [];
  const note = (line: string) => void lines.push(`${new Date().toISOString()} ${line}`);
  try {
    const stack = await own.boot({
      functionsDir: projectFunctionsDir,
      watch: false,
      functionEnv: runnerEnvironment,
      // The faults kill only processes, not the machine, so written data is safe without fsync. All other settings are
      // those of users.
      postgresSettings: { fsync: 'off' },
      ...(standbyPort !== undefined && { standbyPort }),
      log: note,
      onCrash: (description) => {
        note(description);
        console.error(`A part of the stack ended by itself: ${description}`);
      },
    });
    if (standbyPort !== undefined) standby = await startStandby(stack, own.dir, databasePort(own.port), standbyPort);
    return await soakStack(stack, standby, options, signal, note);
  } finally {
    await own.remove();
    await standby?.remove();
    await writeFile(soakLogFile(options.seed), `${lines.join('\n')}\n`);
  }
}
