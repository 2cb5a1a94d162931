import { base58 } from '@scure/base';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { FlowBuilder, textFlow } from '../support/flow_builder.ts';
import { findSecrets, makeKeypair, storeKeypair } from '../support/keypairs.ts';
import { call, deploy, type Person, signUp, storeFlow } from '../support/people.ts';

let owner: Person;
let other: Person;

beforeAll(async () => {
  [owner, other] = await Promise.all([signUp(), signUp()]);
});

const latest = async (flowId: number) => {
  const { data } = await owner.client.from('flow_deployments_tags').select('deployment_id').eq('entrypoint', flowId).eq(
    'tag',
    'latest',
  );
  return data?.[0]?.deployment_id;
};

describe('POST /flow/deploy/{flow_id}', () => {
  it('answers 200 with the id of a deployment that the owner can read', async () => {
    const flowId = await storeFlow(owner, textFlow());
    const response = await call(`flow/deploy/${flowId}`, { token: owner.token });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toContain('application/json');
    const body = await response.json();
    expect(body).toEqual({ deployment_id: expect.any(String), warnings: [] });

    const { data } = await owner.client.from('flow_deployments').select('*').eq('id', body.deployment_id).single();
    expect(data).toMatchObject({
      user_id: owner.id,
      entrypoint: flowId,
      start_permission: 'Owner',
      output_instructions: false,
      action_identity: null,
      fees: [],
      chain_network: { url: 'https://api.devnet.solana.com', cluster: 'devnet' },
    });
    const { data: seenByOther } = await other.client.from('flow_deployments').select('*').eq('id', body.deployment_id);
    expect(seenByOther).toEqual([]);
  });

  it('takes over the settings of the deployment that settings_from names', async () => {
    const flowId = await storeFlow(owner, textFlow());
    const former = await deploy(owner, flowId);
    const set = { start_permission: 'Authenticated', max_runs_in_flight: 3, fees: [[makeKeypair().publicKey, 7]] };
    await owner.client.from('flow_deployments').update(set).eq('id', former).throwOnError();
    const send = (settings_from: unknown) =>
      call(`flow/deploy/${flowId}`, {
        token: owner.token,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ settings_from }),
      });
    for (const name of [former, 'latest']) {
      const response = await send(name);
      expect(response.status).toBe(200);
      const { deployment_id } = await response.json();
      const { data } = await owner.client.from('flow_deployments').select('*').eq('id', deployment_id).single();
      expect(data).toMatchObject(set);
    }
    const foreign = await deploy(other, await storeFlow(other, textFlow()));
    for (
      const [name, status, code] of [
        ['stable', 404, 'deployment_not_found'],
        [foreign, 404, 'deployment_not_found'],
        ['', 400, 'request_invalid'],
        [7, 400, 'request_invalid'],
      ] as const
    ) {
      const response = await send(name);
      expect([response.status, (await response.json()).code]).toEqual([status, code]);
    }
  });

  it('keeps latest at the greatest id while many deploys and deletes of one flow run at once', async () => {
    const flowId = await storeFlow(owner, textFlow());
    const first = await Promise.all(Array.from({ length: 10 }, () => deploy(owner, flowId)));
    const [second] = await Promise.all([
      Promise.all(Array.from({ length: 20 }, () => deploy(owner, flowId))),
      Promise.all(first.map((id) => owner.client.from('flow_deployments').delete().eq('id', id))),
    ]);
    const { data } = await owner.client.from('flow_deployments').select('id, created_at').eq('entrypoint', flowId)
      .order('created_at');
    const ids = data?.map((row) => row.id) ?? [];
    expect(new Set(ids)).toEqual(new Set(second));
    expect(ids).toEqual(ids.toSorted());
    expect(await latest(flowId)).toBe(ids.at(-1));

    // Deletes begin with the newest deployment. Each delete moves latest back by one, and the last one removes the tag.
    for (const [index, id] of ids.toReversed().slice(0, 3).entries()) {
      await owner.client.from('flow_deployments').delete().eq('id', id);
      expect(await latest(flowId)).toBe(ids.at(-2 - index));
    }
    await owner.client.from('flow_deployments').delete().eq('entrypoint', flowId);
    expect(await latest(flowId)).toBeUndefined();
  });

  it('freezes the flow: a later edit changes neither deployment nor run', async () => {
    const flowId = await storeFlow(owner, textFlow());
    const deploymentId = await deploy(owner, flowId);
    const edited = new FlowBuilder();
    edited.output('other', edited.constant({ S: 'edited' }));
    await owner.client.from('flows').update(edited.row() as never).eq('id', flowId);
    const again = await deploy(owner, flowId);
    const { data } = await owner.client.from('flow_deployments').select('id, snapshot_hash').in('id', [
      deploymentId,
      again,
    ]);
    expect(new Set(data?.map((row) => row.snapshot_hash)).size).toBe(2);
  });

  it("answers the same 404 for another user's flow and for a missing one", async () => {
    const flowId = await storeFlow(owner, textFlow());
    const bodies = await Promise.all([flowId, 2_147_483_647].map(async (id) => {
      const response = await call(`flow/deploy/${id}`, { token: other.token });
      return [response.status, await response.text()];
    }));
    expect(bodies[0]).toEqual(bodies[1]);
    expect(bodies[0]?.[0]).toBe(404);
    expect(JSON.parse(String(bodies[0]?.[1]))).toMatchObject({ code: 'flow_not_found' });
  });

  it('answers 422 with every finding, and makes no deployment', async () => {
    const flow = textFlow();
    flow.edges.push({ ...flow.edges[0]!, source: '99999999-0000-4000-8000-000000000000' });
    flow.node('interflow', { form: { id: '2147483647' } });
    const flowId = await storeFlow(owner, flow);
    const response = await call(`flow/deploy/${flowId}`, { token: owner.token });
    expect(response.status).toBe(422);
    const { code, details } = await response.json();
    expect(code).toBe('flow_invalid');
    expect(details.map((finding: { code: string }) => finding.code).toSorted()).toEqual(
      ['edge_source_unknown', 'input_connected_twice', 'interflow_flow_unknown'],
    );
    const { data } = await owner.client.from('flow_deployments').select('id').eq('entrypoint', flowId);
    expect(data).toEqual([]);
  });

  it('answers 422 to a setting with a wrong value, and to a key pair without quoting it, like a start of the flow', async () => {
    const pair = makeKeypair();
    const bytes = JSON.stringify([...base58.decode(pair.keypair)]);
    const environment = (OVERWRITE_FEEPAYER: string) => ({ environment: { OVERWRITE_FEEPAYER, PRIORITY_FEE: 'high' } });
    const secrets = [pair.secretKey, base58.decode(pair.keypair)];
    for (const keypair of [pair.keypair, bytes]) {
      const flowId = await storeFlow(owner, textFlow(), environment(keypair));
      for (const route of ['deploy', 'start']) {
        const response = await call(`flow/${route}/${flowId}`, { token: owner.token });
        const text = await response.text();
        expect([response.status, JSON.parse(text).details.map((finding: { code: string }) => finding.code)]).toEqual([
          422,
          ['environment_key_pair', 'environment_value_invalid'],
        ]);
        expect(findSecrets(text, secrets)).toEqual([]);
      }
    }
    const flowId = await storeFlow(owner, textFlow(), { environment: { OVERWRITE_FEEPAYER: pair.publicKey } });
    expect((await call(`flow/deploy/${flowId}`, { token: owner.token })).status).toBe(422);
    await storeKeypair(owner, pair);
    await deploy(owner, flowId);
  });

  it("answers 401 without a credential, with the project's own public key, and with a malformed token", async () => {
    const { ANON_KEY, PUBLISHABLE_KEY, SERVICE_ROLE_KEY } = inject('stack');
    const codes = await Promise.all(
      [undefined, ANON_KEY, PUBLISHABLE_KEY, 'nonsense', `${owner.token}x`, SERVICE_ROLE_KEY].map(async (token) => {
        const response = await call('flow/deploy/1', { token });
        return [response.status, (await response.json()).code];
      }),
    );
    expect(codes).toEqual([
      [401, 'unauthenticated'],
      [401, 'unauthenticated'],
      [401, 'unauthenticated'],
      [401, 'token_invalid'],
      [401, 'token_invalid'],
      [401, 'token_invalid'],
    ]);
  });

  it('accepts the token with Bearer in any case, or without it', async () => {
    const flowId = await storeFlow(owner, textFlow());
    for (const authorization of [`bearer ${owner.token}`, `BEARER  ${owner.token}`, owner.token]) {
      expect((await call(`flow/deploy/${flowId}`, { headers: { authorization } })).status).toBe(200);
    }
  });
});
