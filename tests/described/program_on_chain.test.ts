import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Address, generateKeyPairSigner, lamports } from '@solana/kit';
import { expect, onTestFinished, test } from 'vitest';
import { describeIdl } from '../../client/describing/index.ts';
import { fetchPackage } from '../../dev/tools/fetch_package.ts';
import { makeModule } from '../../runner/described/solana/index.ts';
import type { NodeModule } from '../../runner/engine/node.ts';
import type { InstructionModule } from '../../runner/solana/building/instruction_module.ts';
import { freeze } from '../support/idls/read_idl.ts';
import { build, send, walletOf } from '../support/instruction_node.ts';
import { runsLongTests } from '../support/long_tests.ts';
import { runNode } from '../support/node_call.ts';
import { startTestChain } from '../support/solana.ts';

const PROGRAM = 'compr6CUsB5m2jS4Y3831ztGSTnDpnKJTKS95d64XVq' as Address;
const discriminator = (name: string) => [...createHash('sha256').update(name).digest().subarray(0, 8)];
const ofAuthority = ['authority', 'seed'].map((name) => ({ name, type: 'pubkey' }));

/** The part of the program's IDL that the test uses. The package has programs without their IDLs. */
const IDL = {
  address: PROGRAM,
  metadata: { name: 'account_compression', version: '2.0.0', spec: '0.1.0' },
  instructions: [{
    name: 'initialize_group_authority',
    discriminator: discriminator('global:initialize_group_authority'),
    accounts: [
      { name: 'authority', writable: true, signer: true },
      { name: 'seed', signer: true },
      {
        name: 'group_authority',
        writable: true,
        pda: {
          seeds: [{ kind: 'const', value: [...Buffer.from('group_authority')] }, { kind: 'account', path: 'seed' }],
        },
      },
      { name: 'system_program', address: '11111111111111111111111111111111' },
    ],
    args: [{ name: 'authority', type: 'pubkey' }],
  }],
  accounts: [{ name: 'GroupAuthority', discriminator: discriminator('account:GroupAuthority') }],
  types: [{ name: 'GroupAuthority', type: { kind: 'struct', fields: ofAuthority } }],
};

test.runIf(runsLongTests)(
  'an Anchor program of @lightprotocol/zk-compression-cli runs a described instruction on the chain',
  async () => {
    const dir = fetchPackage('zk-compression-cli', '@lightprotocol/zk-compression-cli', '0.28.3');
    const chain = await startTestChain();
    onTestFinished(() => chain.stop());
    const data = new Uint8Array(readFileSync(join(dir, 'bin/account_compression.so')));
    chain.ledger.write({
      address: PROGRAM,
      data,
      executable: true,
      lamports: lamports(chain.ledger.minimumBalance(BigInt(data.length))),
      programAddress: 'BPFLoader2111111111111111111111111111111111' as Address,
      space: BigInt(data.length),
    });
    const { definitions, refused } = await describeIdl(IDL);
    expect(refused).toEqual([]);
    const [initialize, account] = definitions.map((definition) => makeModule(freeze(definition)));
    const [payer, seed] = [await chain.fundedSigner(), await generateKeyPairSigner()];
    const made = await build(initialize as InstructionModule, chain, {
      fee_payer: walletOf(payer),
      authority: walletOf(payer),
      seed: walletOf(seed),
      authority_argument: { B3: payer.address },
    });
    const { error, logs } = await send(chain, [payer, seed], made);
    expect([error, logs.join('\n')]).toEqual([null, expect.stringContaining('Instruction: InitializeGroupAuthority')]);
    const address = made.outputs.group_authority!;
    expect(await runNode(account as NodeModule, { address }, chain.nodeCall())).toMatchObject({
      authority: { B3: payer.address },
      seed: { B3: seed.address },
    });
  },
  600_000,
);
