import { createClient } from '@supabase/supabase-js';
import { randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { projectDir } from '../../supabase/local/paths.ts';
import { findFreePort } from '../../supabase/local/ports.ts';
import { connect, type Sql } from '../../supabase/local/postgres.ts';
import { type Stack, startStack } from '../../supabase/local/stack.ts';
import '../../supabase/local/websocket.ts';
import type { Database } from '../../types/database.types.ts';
import type { DeployFlowResult, StartResult } from '../../types/deployment.ts';
import { editorFlowToRow } from '../../types/editor_flow.ts';

const ROUNDS = 5;
const STARTS_A_ROUND = 20;

/** One measured figure: what was measured, against the baseline of the same round. */
interface Figure {
  id: string;
  name: string;
  ratio: number;
  goal: number | null;
  held: boolean | null;
  rounds: { measuredMs: number; baselineMs: number }[];
}

const median = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

async function time(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

/** The demo's flow, deployed by a new user of the stack. */
async function deployExample({ status }: Stack) {
  const client = createClient<Database>(status.API_URL, status.PUBLISHABLE_KEY, { auth: { persistSession: false } });
  const { data } = await client.auth.signUp({ email: `${randomUUID()}@example.com`, password: randomUUID() });
  const exported = JSON.parse(await readFile(join(projectDir, 'docs/example_flow.json'), 'utf8'));
  const flow = await client.from('flows').insert(editorFlowToRow(exported)).select('id').single().throwOnError();
  const deployed = await client.functions.invoke<DeployFlowResult>(`flow/deploy/${flow.data.id}`, { method: 'POST' });
  return { token: data.session?.access_token ?? '', deploymentId: deployed.data?.deployment_id ?? '' };
}

/** Resolves when the run has ended; asks the database itself, so that the reading costs the stack next to nothing. */
async function ended(sql: Sql, runId: string): Promise<void> {
  for (;;) {
    const [run] = await sql`select from public.flow_run where id = ${runId} and end_time is not null`;
    if (run !== undefined) return;
  }
}

/** start → finished, one run at a time, against the HTTP start alone. */
async function measureLatency(stack: Stack): Promise<Figure> {
  const { token, deploymentId } = await deployExample(stack);
  const sql = connect(stack.superuserUrl);
  const start = async (): Promise<StartResult> => {
    const response = await fetch(`${stack.status.FUNCTIONS_URL}/deployment/start?id=${deploymentId}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
    });
    return await response.json() as StartResult;
  };
  try {
    for (let warmUp = 0; warmUp < STARTS_A_ROUND; warmUp++) await ended(sql, (await start()).flow_run_id);
    const rounds = [];
    for (let round = 0; round < ROUNDS; round++) {
      const starts: number[] = [];
      const finishes: number[] = [];
      for (let count = 0; count < STARTS_A_ROUND; count++) {
        let runId = '';
        const began = performance.now();
        starts.push(await time(async () => runId = (await start()).flow_run_id));
        await ended(sql, runId);
        finishes.push(performance.now() - began);
      }
      rounds.push({ measuredMs: median(finishes), baselineMs: median(starts) });
    }
    const ratio = median(rounds.map(({ measuredMs, baselineMs }) => measuredMs / baselineMs));
    return {
      id: 'P3',
      name: 'start → finished, five-node flow, p50 against the start alone',
      ratio,
      goal: 2,
      held: ratio <= 2,
      rounds,
    };
  } finally {
    await sql.end();
  }
}

/** A first boot and a second one on the same data. */
async function measureBoot(dir: string): Promise<{ figure: Figure; stack: Stack }> {
  const port = await findFreePort();
  const boot = () => startStack({ port, dir, watch: false });
  let stack = await boot();
  const rounds = [];
  for (let round = 0; round < ROUNDS; round++) {
    await stack.stop();
    const baselineMs = await time(async () => stack = await boot());
    await stack.remove();
    const measuredMs = await time(async () => stack = await boot());
    rounds.push({ measuredMs, baselineMs });
  }
  const ratio = median(rounds.map(({ measuredMs, baselineMs }) => measuredMs / baselineMs));
  return {
    figure: {
      id: 'boot',
      name: 'boot on no data (initdb, migrations) against boot on kept data',
      ratio,
      goal: null,
      held: null,
      rounds,
    },
    stack,
  };
}

function print(figures: Figure[]): void {
  for (const { id, name, ratio, goal, held, rounds } of figures) {
    const spread = rounds.map(({ measuredMs, baselineMs }) => `${measuredMs.toFixed(1)}/${baselineMs.toFixed(1)} ms`)
      .join(', ');
    const verdict = goal === null ? '' : `, goal ${goal}: ${held ? 'held' : 'MISSED'}`;
    console.log(`${id}  ${name}\n    ratio ${ratio.toFixed(2)}${verdict}\n    rounds ${spread}`);
  }
}

const { values } = parseArgs({ options: { json: { type: 'string' } } });
const dir = join(projectDir, '.stack', `bench-${process.pid}`);
const { figure, stack } = await measureBoot(dir);
try {
  const figures = [figure, await measureLatency(stack)];
  print(figures);
  if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify(figures, null, 2)}\n`);
} finally {
  await stack.remove();
}
process.exit();
