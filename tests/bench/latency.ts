import { createClient } from '@supabase/supabase-js';
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectDir } from '../../supabase/local/paths.ts';
import { connect, type Sql } from '../../supabase/local/postgres.ts';
import type { Stack } from '../../supabase/local/stack.ts';
import '../../supabase/local/websocket.ts';
import type { Database } from '../../types/database.types.ts';
import type { DeployFlowResult, StartResult } from '../../types/deployment.ts';
import { editorFlowToRow } from '../../types/editor_flow.ts';
import { type Figure, makeFigure, median, ROUNDS, time } from './figure.ts';

const STARTS_A_ROUND = 20;

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
export async function measureLatency(stack: Stack): Promise<Figure> {
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
    return makeFigure('P3', 'start → finished, five-node flow, p50 against the start alone', rounds, 2);
  } finally {
    await sql.end();
  }
}
