import { base58 } from '@scure/base';
import { createPrivateKey, createPublicKey, pbkdf2Sync } from 'node:crypto';
import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { NativeNodes } from '../../runner/engine/node.ts';
import { nodeRegistry } from '../../runner/nodes/registry.ts';
import type { SnapshotNode } from '../../types/flow.ts';
import { decodeValue, type ValueMap } from '../../types/values/value.ts';
import { fromWireJsonText } from '../../types/values/json/wire_json.ts';
import { executeFlow, type ExecuteFlowOptions, testNode } from '../support/execute_flow.ts';
import type { FlowBuilder } from '../support/flow_builder.ts';
import { ownFlows, readFlow, sharedFlows } from '../support/saved_flows.ts';
import { startTestChain, type TestChain } from '../support/solana.ts';

/**
 * A registry in which every key has the same balance. A real chain could not give a balance, because the called flow
 * gets no key.
 */
const withoutChain: NativeNodes = (nodeId) =>
  nodeId === 'get_balance' ? testNode(['pubkey'], ['balance'], () => ({ balance: { U: '5' } })) : nodeRegistry(nodeId);

const settingsOf = (node: SnapshotNode) => node.data.targets_form.form_data as { type: string; value: unknown };

const constantOf = (flow: FlowBuilder): SnapshotNode => flow.nodes.find(({ data }) => data.node_id === 'const')!;

/** Derives the 64 bytes of a key pair from a BIP-39 phrase, without the code under test. */
function deriveKeypair({ s: phrase, p: passphrase }: { s: string; p: string }): { B6: string } {
  const seed = pbkdf2Sync(phrase, `mnemonic${passphrase}`, 2048, 64, 'sha512').subarray(0, 32);
  const pkcs8 = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]);
  const { x } = createPublicKey(createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' })).export({
    format: 'jwk',
  });
  return { B6: base58.encode(Buffer.concat([seed, Buffer.from(x!, 'base64url')])) };
}

/** A balance that a float can't hold exactly. */
const BALANCE = 2n ** 53n + 1n;

const publicKeyOf = (keypair: { B6: string }): string => base58.encode(base58.decode(keypair.B6).subarray(32));

let chain: TestChain;
beforeAll(async () => {
  chain = await startTestChain();
});
afterAll(() => chain.stop());

const own = { folder: ownFlows, calledOutput: { S: '{\n  "N": 0\n}' } };
const shared = { folder: sharedFlows, calledOutput: { U: '5' } };

describe.each([own, shared].filter(({ folder }) => existsSync(folder)))(
  'flows of $folder',
  ({ folder, calledOutput }) => {
    const run = async (name: string, inputs: ValueMap = {}, options: ExecuteFlowOptions = {}) => {
      const flow = readFlow(folder, name);
      return { flow, result: await executeFlow(flow, inputs, options) };
    };
    const success = { status: 'succeeded', errors: null, not_run: [] };

    it('add outputs the sum of its inputs', async () => {
      const { result } = await run('add', { a: { D: '1' }, b: { D: '2' } });
      expect(result).toMatchObject({ ...success, output: { M: { c: { D: '3' } } } });
    });

    it.each([['6', '3'], ['7', '22'], ['1', '4']])('collatz_core of %s gives %s', async (n, next) => {
      const { result } = await run('collatz_core', { n: { D: n } });
      expect(result).toMatchObject({ ...success, output: { M: { out: { D: next } } } });
    });

    it('loop converts each element of its constant to text and collects the texts', async () => {
      const { flow, result } = await run('loop');
      const elements: unknown[] = JSON.parse(settingsOf(constantOf(flow)).value as string);
      expect(result).toMatchObject({ ...success, output: { M: {} } });
      const collect = flow.nodes.find(({ data }) => data.node_id === 'collect')!;
      expect(result.nodeRuns.filter((row) => row.node_id === collect.id)).toMatchObject([
        {
          times: 0,
          output: { M: { array: { A: elements.map((element) => ({ S: String(element) })) } } },
          errors: null,
        },
      ]);
    });

    it.each(['consts', 'const_form_data'])('%s outputs its twelve constants', async (name) => {
      const { flow, result } = await run(name);
      expect(result).toMatchObject({ ...success, output: { M: {} } });
      expect(result.nodeRuns).toHaveLength(12);
      for (const node of flow.nodes) {
        const { type, value } = settingsOf(node);
        expect(result.nodeRuns.find((row) => row.node_id === node.id)?.output).toEqual({
          M: {
            Source: type === 'JSON'
              ? fromWireJsonText(value as string, 1_048_576)
              : decodeValue(JSON.parse(JSON.stringify(value))),
          },
        });
      }
    });

    it('foreach makes a key pair of the two members of each object', async () => {
      const { flow, result } = await run('foreach');
      const phrases: { s: string; p: string }[] = JSON.parse(settingsOf(constantOf(flow)).value as string);
      expect(result).toMatchObject({ ...success, output: { M: { keypairs: { A: phrases.map(deriveKeypair) } } } });
    });

    it.each([undefined, 'a password'])(
      'generate_keypair with the password %s reads the balance of its key',
      async (p) => {
        const flow = readFlow(folder, 'generate_keypair');
        const { S: words } = settingsOf(constantOf(flow)).value as { S: string };
        const input = flow.nodes.find(({ data }) => data.node_id === 'flow_input')!;
        const { form_label: usual } = input.data.targets_form.form_data as { form_label: string };
        const key = deriveKeypair({ s: words, p: p ?? usual });
        await chain.call('requestAirdrop', publicKeyOf(key), BALANCE);

        const inputs: ValueMap = p === undefined ? {} : { password: { S: p } };
        const { http, run: { network } } = chain.nodeCall();
        const result = await executeFlow(flow, inputs, { services: { http }, network });
        expect(result).toMatchObject({ ...success, output: { M: { balance: { U: String(BALANCE) }, key } } });
      },
    );

    it('interflow_simple calls subflow, whose label names its port, and leaves the edge with an unknown handle out', async () => {
      const options = { registry: withoutChain, flows: { 94: readFlow(folder, 'subflow') } };
      const { flow, result } = await run('interflow_simple', {}, options);
      const [{ id: callId } = { id: '' }] = flow.nodes.filter(({ data }) => data.node_id === 'interflow');
      expect(result).toMatchObject({ ...success, output: { M: {} } });
      expect(result.children).toMatchObject([{
        flow_id: 94,
        parent_node_id: callId,
        parent_times: 0,
        status: 'succeeded',
        inputs: { M: {} },
        output: { M: { balance: calledOutput } },
      }]);
      expect(result.logs).toMatchObject([{ log_level: 'Warn', content: expect.stringContaining('is left out') }]);
    });
  },
);

// As in flows that editors save, the sources in this flow have no member `optional`.
describe('a flow whose script sets one of its two outputs', () => {
  it.each<[string, ValueMap, string]>([
    ['7', { positive: { D: '7' }, merged: { S: 'a: 7' } }, 'negative'],
    ['-7', { negative: { A: [{ D: '7' }, { S: 'was negative' }] }, merged: { S: 'b: 7' } }, 'positive'],
  ])('runs the branch of %s, and not the other', async (n, output, skipped) => {
    const flow = readFlow(ownFlows, 'branch');
    const result = await executeFlow(flow, { n: { D: n } });
    expect(result).toMatchObject({ status: 'succeeded', errors: null, output: { M: output } });
    const labels = flow.nodes.filter(({ id }) => result.not_run.includes(id))
      .map(({ data }) => (data.targets_form.form_data as { label?: string }).label);
    expect(labels).toContain(skipped);
  });

  it('leaves the output unset, whatever the JSON says about it', async () => {
    const flow = readFlow(ownFlows, 'branch');
    for (const { data } of flow.nodes) for (const source of data.sources) source.optional = false;
    expect(await executeFlow(flow, { n: { D: '7' } })).toMatchObject({ status: 'succeeded', errors: null });
  });
});
