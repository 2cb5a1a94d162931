import { expect, it } from 'vitest';
import { makeNodeCall, runNode } from '../../../tests/support/node_call.ts';
import { flowRunInfoNode } from './index.ts';

const { run } = makeNodeCall(flowRunInfoNode);

it.each([['11111111111111111111111111111111', '11111111111111111111111111111111'], [null, '']])(
  'flow_run_info describes a run that was started by %s, without its RPC address',
  async (startedBy, expected) => {
    const network = { url: 'https://rpc.example.com/?key=secret', cluster: 'mainnet-beta' };
    expect(await runNode(flowRunInfoNode, {}, { run: { ...run, ownerId: 'owner', startedBy, network } })).toEqual({
      flow_owner: { S: 'owner' },
      started_by: { S: expected },
      solana_net: { S: 'mainnet-beta' },
    });
  },
);
