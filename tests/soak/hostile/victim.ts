import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { StackStatus } from '../../../platform/local_stack/running_stacks.ts';
import type { StartResult } from '../../../types/deployment.ts';
import { textFlow } from '../../support/flow_builder.ts';

/** The service that an ordinary user got. */
export interface Experience {
  /** The milliseconds until a start was answered or given up. */
  starts: number[];
  /** The milliseconds from a start until its output arrived or was given up. */
  runs: number[];
  /** The faults: a status, or the reason for a missing answer. */
  troubles: string[];
}

/** An ordinary user who starts trivial runs, one after the other. */
interface Victim {
  /** Starts runs until the time is over or the signal is aborted. */
  live: (ms: number, signal: AbortSignal) => Promise<Experience>;
}

/** The pause between two runs, because an ordinary user does not load a machine. */
const PAUSE_MS = 100;

/** Signs up an ordinary user, who deploys a trivial flow. */
export async function makeVictim({ API_URL, PUBLISHABLE_KEY }: StackStatus): Promise<Victim> {
  const ask = async (path: string, init: RequestInit): Promise<Response> =>
    await fetch(`${API_URL}${path}`, {
      ...init,
      headers: { apikey: PUBLISHABLE_KEY, 'content-type': 'application/json', ...init.headers as object },
    });
  const must = async (path: string, body: object, headers = {}) => {
    const response = await ask(path, { method: 'POST', body: JSON.stringify(body), headers });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return await response.json();
  };
  const account = { email: `${randomUUID()}@example.com`, password: randomUUID() };
  const { access_token } = await must('/auth/v1/signup', account);
  const headers = { authorization: `Bearer ${access_token}` };
  const [{ id }] = await must('/rest/v1/flows?select=id', { name: 'trivial', ...textFlow().row() }, {
    ...headers,
    prefer: 'return=representation',
  });
  const { deployment_id } = await must(`/functions/v1/flow/deploy/${id}`, {}, headers);

  /** Sends a request, and records its duration whatever its outcome is. */
  const timed = async (path: string, init: RequestInit, times: number[], began: number): Promise<string> => {
    try {
      const response = await ask(path, { ...init, headers });
      const text = await response.text();
      if (response.status !== 200) throw new Error(`${path.split('?')[0]} answered ${response.status} ${text}`);
      return text;
    } finally {
      times.push(performance.now() - began);
    }
  };
  const runOnce = async ({ starts, runs }: Experience): Promise<void> => {
    const began = performance.now();
    const path = `/functions/v1/deployment/start?id=${deployment_id}`;
    // SAFETY: a start that was answered with 200.
    const { flow_run_id } = JSON.parse(await timed(path, { method: 'POST' }, starts, began)) as StartResult;
    await timed(`/functions/v1/flow/output/${flow_run_id}`, {}, runs, began);
  };
  return {
    async live(ms, signal) {
      const experience: Experience = { starts: [], runs: [], troubles: [] };
      const end = performance.now() + ms;
      for (; performance.now() < end && !signal.aborted; await pause(PAUSE_MS)) {
        await runOnce(experience).catch((error: Error) =>
          experience.troubles.push(String(error.cause ?? error.message))
        );
      }
      return experience;
    },
  };
}
