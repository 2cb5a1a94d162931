import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { functionNames, projectFunctionsDir, startFunction } from '../../dev/stack/functions.ts';
import { startCliDeploy } from '../hosted/cli_deploy.ts';
import { benchFunctionsDir } from './bench_stack.ts';
import { makePart, type Part } from './figure.ts';
import { npmGraphBytes } from './npm_graph.ts';
import { type Plan, takeRounds } from './plan.ts';
import { median } from './statistics.ts';

const GOAL = 1.3;
/** The number of starts in a round. The round's result is their median. */
const STARTS = 3;
/** The pause between two requests to a process that does not listen yet. */
const POLL_MS = 1;

/** The variables that the functions read when they are loaded. No server listens at these addresses. */
const env = {
  SUPABASE_URL: 'http://127.0.0.1:9',
  SUPABASE_ANON_KEY: 'anon',
  SUPABASE_SERVICE_ROLE_KEY: 'service_role',
};

/** Returns the status of an answer; undefined if nothing listens. */
const ask = (socketPath: string, path: string): Promise<number | undefined> =>
  new Promise((resolve) => {
    const sent = request({ socketPath, path, method: 'POST' }, (response) => {
      response.resume();
      response.once('end', () => resolve(response.statusCode));
    });
    sent.once('error', () => resolve(undefined));
    sent.end();
  });

/** Returns the milliseconds from the start of a function's process to its first answer. */
async function firstAnswer(name: string, functionsDir: string, path: string, status: number): Promise<number> {
  const dir = mkdtempSync(join(tmpdir(), 'flow-cold-'));
  const socketPath = join(dir, 'function.sock');
  const began = performance.now();
  const part = startFunction({ name, functionsDir, socketPath, env, watch: false, onLine: () => {} });
  try {
    for (;;) {
      const answered = await Promise.race([ask(socketPath, path), part.exited]);
      if (answered === status) return performance.now() - began;
      if (answered !== undefined) throw new Error(`function ${name} answered ${answered}, not ${status}`);
      await Promise.race([setTimeout(POLL_MS), part.exited.then(() => Promise.reject(new Error(part.describeExit())))]);
    }
  } finally {
    await part.stop();
    rmSync(dir, { recursive: true });
  }
}

async function medianOf(work: () => Promise<number>): Promise<number> {
  const times = [];
  for (let start = 0; start < STARTS; start++) times.push(await work());
  return median(times);
}

/**
 * Measures the bytes of each function's upload, and of the npm packages that it imports. The baseline is the npm
 * packages of an empty function, which imports supabase-js.
 */
async function measureSizes(): Promise<Part[]> {
  const baseline = await npmGraphBytes(join(benchFunctionsDir, 'empty/index.ts')) / 1_024;
  const cli = await startCliDeploy();
  const parts: Part[] = [];
  try {
    for (const name of functionNames()) {
      const [upload] = await cli.deploy(name);
      const bytes = [...upload!.files.values()].reduce((sum, file) => sum + file.byteLength, 0);
      const graph = await npmGraphBytes(join(projectFunctionsDir, name, 'index.ts'));
      const against = (what: string, measured: number) =>
        makePart({
          name: `${what} of ${name}, against the npm graph of supabase-js`,
          unit: 'KiB',
          rounds: [{ measured: measured / 1_024, baseline }],
        });
      parts.push(against('upload', bytes), against('npm graph', graph));
    }
  } finally {
    await cli.close();
  }
  return parts;
}

/**
 * Measures the sizes of the functions, and the time from the start of a process to its first answer. This answer needs
 * no database.
 */
export async function measureColdStart(plan: Plan): Promise<Part[]> {
  const deployment = () =>
    medianOf(() => firstAnswer('deployment', projectFunctionsDir, '/deployment/start?id=none', 400));
  const empty = () => medianOf(() => firstAnswer('empty', benchFunctionsDir, '/', 200));
  await deployment();
  await empty();
  const rounds = await takeRounds(plan.rounds, deployment, empty);
  return [
    makePart({ name: 'first answer of deployment against an empty function', unit: 'ms', goal: GOAL, rounds }),
    ...await measureSizes(),
  ];
}
