import type { KeyPairSigner } from '@solana/kit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { build, missing, send, signerKeys, walletOf } from '../../../tests/support/instruction_node.ts';
import { startTestChain, type TestChain } from '../../../tests/support/solana.ts';
import type { ValueMap } from '../../../types/values/value.ts';
import { memoNode } from './index.ts';

let chain: TestChain;
let feePayer: KeyPairSigner;
beforeAll(async () => {
  chain = await startTestChain();
  feePayer = await chain.fundedSigner();
});
afterAll(() => chain.stop());

const memoOf = (inputs: ValueMap) =>
  build(memoNode, chain, { fee_payer: walletOf(feePayer), memo: { S: 'x' }, ...inputs });

it.each([['a text', 'für 🥨\n"quoted"', 18], ['the empty text', '', 0]])(
  'memo writes %s into the log, signed by the fee payer',
  async (_name, text, length) => {
    const built = await memoOf({ memo: { S: text } });
    expect([signerKeys(built), built.outputs]).toEqual([[feePayer.address], {}]);
    const { logs, memo } = await send(chain, [feePayer], built);
    expect(logs.slice(1, 5)).toEqual(
      ['Signed by:', feePayer.address, `Memo (len ${length})`, text].map((line) => `Program log: ${line}`),
    );
    expect(memo).toBe(`[${length}] ${text}`);
  },
);

it.each<[string, ValueMap]>([
  ...missing('fee_payer', 'memo'),
  ['memo: invalid type: integer `5`, expected a string', { memo: { U: '5' } }],
])('memo refuses wrong inputs with "%s"', async (message, inputs) => {
  await expect(memoOf(inputs)).rejects.toThrow(message);
});
