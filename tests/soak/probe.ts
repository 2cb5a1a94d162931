import { setTimeout as pause } from 'node:timers/promises';
import { readJson } from './traffic.ts';
import type { World } from './world.ts';

const NOBODY = '00000000-0000-4000-8000-000000000000';
const POLL_MS = 50;
const PROBE_TIMEOUT_MS = 5_000;

/** After this time without recovery, the soak can't continue. */
const RECOVERY_TIMEOUT_MS = 60_000;

/**
 * Lists a request for each part, with the expected answer. If possible, the request makes the part call the database.
 */
const probesOf = ({ status, users }: World): { url: string; init: RequestInit; says: string }[] => {
  const { FUNCTIONS_URL, API_URL, PUBLISHABLE_KEY, SERVICE_ROLE_KEY } = status;
  const headers = { authorization: `Bearer ${users[0]!.token}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ id: 0, signature: '1'.repeat(64) });
  return [
    {
      url: `${API_URL}/rest/v1/flows?limit=0`,
      init: { headers: { ...headers, apikey: PUBLISHABLE_KEY } },
      says: '200',
    },
    {
      url: `${FUNCTIONS_URL}/deployment/start?id=${NOBODY}`,
      init: { method: 'POST', headers },
      says: 'deployment_not_found',
    },
    { url: `${FUNCTIONS_URL}/flow/output/${NOBODY}`, init: { headers }, says: 'flow_run_not_found' },
    {
      url: `${FUNCTIONS_URL}/signature/submit`,
      init: { method: 'POST', headers, body },
      says: 'signature_request_not_found',
    },
    { url: `${FUNCTIONS_URL}/wallets/upsert`, init: { headers }, says: 'method_not_allowed' },
    {
      url: `${FUNCTIONS_URL}/runner`,
      init: { method: 'POST', headers: { authorization: `Bearer ${SERVICE_ROLE_KEY}` } },
      says: '202',
    },
  ];
};

async function answers({ url, init, says }: ReturnType<typeof probesOf>[number]): Promise<boolean> {
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) });
    const body = readJson(await response.text()) as { code?: string } | null;
    return String(response.status) === says || body?.code === says;
  } catch {
    return false;
  }
}

/** Resolves when every part answers correctly, all the way to the database. */
export async function allAnswer(world: World): Promise<void> {
  const deadline = Date.now() + RECOVERY_TIMEOUT_MS;
  for (;;) {
    const probes = probesOf(world);
    const answered = await Promise.all(probes.map(answers));
    if (answered.every(Boolean)) return;
    if (Date.now() > deadline) {
      const silent = probes.filter((_, index) => !answered[index]).map(({ url }) => url);
      throw new Error(`After ${RECOVERY_TIMEOUT_MS / 1_000} s there is no answer yet from ${silent.join(', ')}`);
    }
    await pause(POLL_MS);
  }
}
