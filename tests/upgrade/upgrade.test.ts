import { createServer, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDeclaredDatabase, diffDatabases } from '../../dev/database/schema.ts';
import { readReleases, unreleasedMigrations } from '../../dev/database/releases.ts';
import { withScratchCluster } from '../../dev/stack/postgres/cluster.ts';
import { applyMigrations } from '../../dev/stack/migrations.ts';
import type { Stack } from '../../dev/stack/stack.ts';
import { signNext } from '../support/actions.ts';
import { makeOwnStack, type OwnStack } from '../support/own_stack.ts';
import { startTestChain, type TestChain } from '../support/solana.ts';
import { waitFor } from '../support/wait.ts';
import { checkOutRelease, type FormerRelease, type FormerStack, startFormerStack } from './former_release.ts';
import { fillInstallation, type Installation, type Owner, post, readInstallation, resume } from './installation.ts';
import { fillOldQueue } from './old_queue.ts';

/** A server on loopback. It keeps requests for /silent open until they are released, and records credentials. */
async function startUpstream(): Promise<{ server: Server; url: string; seen: string[]; release: () => void }> {
  const seen: string[] = [];
  const held: ServerResponse[] = [];
  let isReleased = false;
  const server = createServer((request, response) => {
    seen.push(request.headers.authorization ?? '');
    if (request.url === '/silent' && !isReleased) held.push(response);
    else response.setHeader('content-type', 'text/plain').end('spoke');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    server,
    seen,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    release: () => {
      isReleased = true;
      for (const response of held) response.destroy();
    },
  };
}

// The newest release is upgraded to this checkout. If this checkout has no new migrations, both have the same schema,
// and the test shows that the former release's functions serve it.
const releases = readReleases();
const { version } = releases.at(-1)!;
const hasNewMigrations = Object.keys(unreleasedMigrations(releases)).length > 0;

let release: FormerRelease;
let chain: TestChain;
let upstream: Awaited<ReturnType<typeof startUpstream>>;
let own: OwnStack;
let former: FormerStack | undefined;
let installation: Installation;
let before: Record<string, object[]>;

beforeAll(async () => {
  [release, chain, upstream, own] = await Promise.all([
    checkOutRelease(version),
    // Slots are long, so that a message that a wallet was asked to sign stays valid during the upgrade.
    startTestChain({ slotMs: 2_000 }),
    startUpstream(),
    makeOwnStack('upgrade', null),
  ]);
  former = await startFormerStack(release, { port: own.port, dir: own.dir });
  installation = await fillInstallation(former.status, chain, upstream.url);
});
afterAll(async () => {
  await former?.stop();
  await Promise.all([own?.remove(), chain?.stop(), release?.remove()]);
  upstream?.release();
  upstream?.server.close();
});

const ownerOf = async (): Promise<Owner> => {
  const owner = await resume(former!.status, installation);
  installation.refreshToken = (await owner.db.auth.getSession()).data.session!.refresh_token;
  return owner;
};

it(`the functions of ${version} serve the schema of this checkout`, async () => {
  const owner = await ownerOf();
  before = await readInstallation(owner, installation);
  const inOldQueue = version === '0.3.0'
    ? await fillOldQueue(former!.status, owner, installation.deploymentId)
    : new Map<string, string>();
  const told: string[] = [];
  await applyMigrations(former!.status.DB_URL, { seed: false, log: (line) => told.push(line) });
  expect(told.length > 0).toBe(hasNewMigrations);
  // The started run wakes the runner of the former release, which also takes the queued run.
  const run = await owner.flows.start({ flow: installation.flowId, tag: 'stable' }, { value: 'between' });
  expect(await owner.flows.output(run)).toEqual({ text: 'between' });
  expect(await owner.flows.output(installation.runs.queued)).toEqual({ text: 'queued' });
  for (const [state, id] of inOldQueue) expect(await owner.flows.output(id), state).toEqual({ text: state });
  const { deployment_id } = await owner.flows.deploy(installation.connection.flowId);
  expect(await owner.flows.read(deployment_id)).toMatchObject({ outputs: [{ name: 'body' }] });
  await former!.stop();
  former = undefined;
});

describe('after the upgrade', () => {
  let stack: Stack;
  let owner: Owner;
  beforeAll(async () => {
    await own.serve('apikey', 'connections', 'deployment', 'flow', 'runner', 'signature', 'wallets');
    upstream.release();
    stack = await own.boot({ watch: false });
    owner = await resume(stack.status, installation);
  });

  it('reads give the rows of before', async () => {
    const after = await readInstallation(owner, installation);
    for (const [table, rows] of Object.entries(before)) {
      for (const row of rows) expect(after[table], table).toContainEqual(expect.objectContaining(row));
    }
  });

  it('the schema is that of sql/, with grants and policies', () =>
    withScratchCluster(async (cluster) => {
      await createDeclaredDatabase(cluster, 'declared');
      const [upgraded, declared] = [stack.status.DB_URL, cluster.url('postgres', 'declared')];
      expect(await diffDatabases(upgraded, declared)).toBe('');
      expect(await diffDatabases(declared, upgraded)).toBe('');
    }));

  it.each(['ended', 'sleeping', 'running'] as const)('the run that was %s ends', async (state) => {
    const output = await owner.flows.output(installation.runs[state]);
    expect(output).toEqual(
      { ended: { text: 'before' }, sleeping: { text: 'slept' }, running: { body: 'spoke' } }[state],
    );
  });

  it('the run that waited for an input takes the answer', async () => {
    const run = installation.runs.asking;
    const [input] = await owner.flows.pendingInputs(run);
    await owner.flows.submitInput(input!.url, 'yes');
    expect(await owner.flows.output(run)).toEqual({ answer: 'yes' });
  });

  it('the run that waited for a signature sends its transaction', async () => {
    const run = { ...installation.runs.signing, functionsUrl: stack.status.FUNCTIONS_URL };
    await signNext(run, installation.buyer);
    expect(await owner.flows.output(run)).toEqual({ signature: expect.any(String) });
  });

  it('the failed run can be redriven', async () => {
    const { flow_run_id } = await owner.flows.redrive(installation.runs.failed);
    await waitFor(async () => (await owner.flows.run(flow_run_id)).status === 'failed' || undefined);
  });

  it('old keys and tokens work', async () => {
    const { apiKey, accessToken, runs, idempotent, flowId } = installation;
    const { API_URL, FUNCTIONS_URL, PUBLISHABLE_KEY } = stack.status;
    const read = async (path: string, headers: Record<string, string>) =>
      (await fetch(`${API_URL}${path}`, { headers: { apikey: PUBLISHABLE_KEY, ...headers } })).json();
    const rows = [{ id: runs.ended.flow_run_id }];
    const path = `/rest/v1/flow_run?select=id&id=eq.${runs.ended.flow_run_id}`;
    expect(await read(path, { 'x-api-key': apiKey })).toEqual(rows);
    expect(await read(path, { authorization: `Bearer ${accessToken}` })).toEqual(rows);
    expect(await read(path, { 'x-flow-run-token': runs.ended.token })).toEqual(rows);
    const output = await fetch(`${FUNCTIONS_URL}/flow/output/${runs.ended.flow_run_id}`, {
      headers: { authorization: `Bearer ${runs.ended.token}` },
    });
    expect(await output.json()).toEqual({ M: { text: { S: 'before' } } });
    const again = await owner.flows.start({ flow: flowId }, { value: 'once' }, { idempotencyKey: idempotent.key });
    expect(again).toEqual(idempotent.run);
  });

  it('the webhook starts a run', async () => {
    const response = await fetch(installation.webhookUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '"by a webhook"',
    });
    const { flow_run_id } = await response.json() as { flow_run_id: string };
    expect(await owner.flows.output(flow_run_id)).toEqual({ text: 'by a webhook' });
  });

  it('the schedule starts a run', async () => {
    const run = await waitFor(async () => {
      const { data } = await owner.db.from('flow_run').select('id').not('schedule_id', 'is', null).limit(1)
        .throwOnError();
      return data![0];
    });
    expect(await owner.flows.output(run.id)).toEqual({ text: 'by the clock' });
  });

  it('stored keys sign, and stored secrets are sent', async () => {
    const { connection, payer } = installation;
    const startNow = async (flowId: number) =>
      (await post<{ flow_run_id: string }>(stack.status, `flow/start/${flowId}`, owner.token, {})).flow_run_id;
    expect(await owner.flows.output(await startNow(payer.flowId))).toEqual({ signature: expect.any(String) });
    expect(await owner.flows.output(await startNow(connection.flowId))).toEqual({ body: 'spoke' });
    expect(upstream.seen).toContain(`Bearer ${connection.secret}`);
  });

  it('stored files, pins and versions are there', async () => {
    const { data: { user } } = await owner.db.auth.getUser();
    const { data } = await owner.db.storage.from('user-storages').download(`${user!.id}/kept.txt`);
    expect(await data!.text()).toBe('kept');
    expect((await owner.db.from('flow_versions').select('name').not('name', 'is', null).throwOnError()).data)
      .toEqual([{ name: 'before the upgrade' }]);
  });

  it('the next boot finds nothing to apply', async () => {
    await own.stop();
    await own.boot({ watch: false });
    expect(own.logged().join('\n')).not.toContain('older version');
  });
});
