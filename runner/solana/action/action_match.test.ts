import {
  AccountRole,
  type Address,
  address,
  appendTransactionMessageInstructions,
  type Blockhash,
  compressTransactionMessageUsingAddressLookupTables,
  createKeyPairSignerFromBytes,
  createTransactionMessage,
  getBase64EncodedWireTransaction,
  type Instruction,
  type KeyPairSigner,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
} from '@solana/kit';
import { getSetComputeUnitLimitInstruction, getSetComputeUnitPriceInstruction } from '@solana-program/compute-budget';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ActionOptions, makeActionOrder, sendWire } from '../../../tests/support/action_order.ts';
import { type Keypair, makeKeypair } from '../../../tests/support/keypairs.ts';
import {
  memo,
  MEMO_V1,
  SOL,
  startTestChain,
  type TestChain,
  transfer,
  writeLookupTable,
} from '../../../tests/support/solana.ts';
import {
  bodyText,
  bytesOf,
  inValues,
  memberOf,
  signedMemo,
  transferFrom,
  wallet,
} from '../../../tests/support/transactions.ts';
import { waitFor } from '../../../tests/support/wait.ts';
import { signWire } from '../../../tests/support/wire.ts';

let chain: TestChain;
beforeAll(async () => {
  chain = await startTestChain();
});
afterAll(() => chain.stop());

/** The instructions and keys from which an action's signer makes transactions. */
interface Sender {
  signer: KeyPairSigner;
  recipient: Address;
  /** The memo with the text that the run looks for. */
  memo: Instruction;
  /** An instruction that has the reference among its accounts, so that the run finds the transaction. */
  naming: Instruction;
}

/** Makes and signs a new transaction of these instructions. */
async function sign(
  { signer }: Sender,
  instructions: Instruction[],
  { version = 0, tables = {} }: { version?: 0 | 'legacy'; tables?: { [table: Address]: Address[] } } = {},
): Promise<string> {
  const { clock } = chain.ledger;
  const lifetime = { blockhash: clock.blockhash(clock.slot('confirmed')) as Blockhash, lastValidBlockHeight: 0n };
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (draft) => setTransactionMessageFeePayerSigner(signer, draft),
    (draft) => setTransactionMessageLifetimeUsingBlockhash(lifetime, draft),
    (draft) => appendTransactionMessageInstructions(instructions, draft),
    (draft) => compressTransactionMessageUsingAddressLookupTables(draft, tables),
  );
  // SAFETY: without lookup tables both forms have the same members.
  const formed = { ...message, version } as typeof message;
  return getBase64EncodedWireTransaction(await signTransactionMessageWithSigners(formed));
}

/** Starts an action. The action's signer has got the action's transaction, and now makes other transactions from it. */
async function startAction(options: ActionOptions = {}) {
  const action = await makeActionOrder(chain, options);
  const end = action.execute();
  const wire = await action.request();
  const sender: Sender = {
    signer: await createKeyPairSignerFromBytes(bytesOf(action.signer)),
    recipient: address(action.recipient),
    memo: memo(action.world.store.stored()!.memo!, MEMO_V1),
    naming: {
      ...getSetComputeUnitPriceInstruction({ microLamports: 7n }),
      accounts: [{ address: address(action.identity.publicKey), role: AccountRole.READONLY }],
    },
  };
  /** Resolves when the run has looked at all transactions so far. */
  const looked = async () => {
    const isLook = (step: string) => step === 'getSignaturesForAddress';
    const count = () => action.world.steps.filter(isLook).length;
    const before = count();
    await waitFor(() => count() > before + 2 || undefined);
  };
  return { ...action, end, wire, sender, looked, sendRight: () => sendWire(chain, signWire(wire, action.signer)) };
}

const pay = ({ signer, recipient }: Sender, amount = SOL) => transfer(signer, recipient, amount);

describe('a transaction with the memo of the action', () => {
  it.each<[string, (sender: Sender) => Instruction[]]>([
    ['and nothing else', ({ naming, memo: its }) => [naming, its]],
    ['that pays less', (sender) => [sender.naming, pay(sender, SOL - 1n), sender.memo]],
    ['that pays somebody else', (sender) => [
      sender.naming,
      transfer(sender.signer, sender.signer.address, SOL),
      sender.memo,
    ]],
    ['that does it in another order', (sender) => [sender.naming, sender.memo, pay(sender)]],
    ['that calls another program', (sender) => [
      sender.naming,
      { ...signedMemo('', sender.signer.address), data: pay(sender).data! },
      sender.memo,
    ]],
  ])('%s is skipped, with one warning in the log', async (_says, instructions) => {
    const { end, sender, looked, sendRight, world } = await startAction();
    const signature = await sendWire(chain, await sign(sender, instructions(sender)), true);
    await looked();
    expect(world.logged).toEqual([
      `Warn: transaction ${signature} has the memo of the action, but not all of its instructions: it is passed over`,
    ]);
    expect(await Promise.race([end, Promise.resolve('open')])).toBe('open');
    expect(await sendRight().then(async (right) => [right, await end])).toEqual([
      expect.any(String),
      { status: 'confirmed', signature: chain.ledger.landed.at(-1)!.signature, hasFees: false },
    ]);
    expect(world.logged).toHaveLength(1);
  });

  it.each<[string, (sender: Sender) => Instruction[], { version: 'legacy' }?]>([
    ['at another price', (sender) => [sender.naming, pay(sender), sender.memo]],
    ['with a limit of its own', (sender) => [
      sender.naming,
      getSetComputeUnitLimitInstruction({ units: 90_000 }),
      pay(sender),
      sender.memo,
    ]],
    ['with other instructions around and between them', (sender) => [
      sender.naming,
      memo('before'),
      pay(sender),
      memo('between'),
      sender.memo,
      memo('behind'),
    ]],
    ['with accounts that have more rights', (sender) => [
      sender.naming,
      pay(sender),
      sender.memo,
      transfer(sender.signer, sender.naming.accounts![0]!.address, SOL / 10n),
    ]],
    ['in the legacy form', (sender) => [sender.naming, pay(sender), sender.memo], { version: 'legacy' }],
  ])("and all of its instructions is the action's transaction, even %s", async (_says, instructions, form) => {
    const { end, sender, world } = await startAction();
    const signature = await sendWire(chain, await sign(sender, instructions(sender), form), true);
    expect(await end).toEqual({ status: 'confirmed', signature, hasFees: false });
    expect(world.logged).toEqual([]);
  });

  it('and an instruction that lacks a signature is skipped', async () => {
    const other = makeKeypair();
    // The memo program does not check signatures of accounts that are not signers.
    const told = (role: AccountRole) => ({
      ...memo('told', MEMO_V1),
      accounts: [{ address: address(other.publicKey), role }],
    });
    const members = (pair: Keypair, to: string) => [
      memberOf(
        wallet(pair),
        [transferFrom(pair.publicKey, to, SOL / 10n), told(AccountRole.READONLY_SIGNER)],
        [inValues(other)],
      ),
    ];
    const { end, sender, looked, sendRight, world } = await startAction({ members });
    const unsigned = [sender.naming, pay(sender, SOL / 10n), told(AccountRole.READONLY), sender.memo];
    await sendWire(chain, await sign(sender, unsigned), true);
    await looked();
    expect(world.logged).toEqual([expect.stringContaining('passed over')]);
    const signature = await sendRight();
    expect(await end).toMatchObject({ status: 'confirmed', signature });
  });

  it('is compared by the addresses in its lookup tables', async () => {
    const recipient = (await chain.fundedSigner()).address;
    const table = await writeLookupTable(chain, [address('1'.repeat(32)), recipient]);
    const options = (environment: { [name: string]: string }): ActionOptions => ({
      members: (pair) => [memberOf(wallet(pair), [transferFrom(pair.publicKey, recipient)])],
      given: { environment },
    });
    const tables = { [table]: [address('1'.repeat(32)), recipient] };
    for (
      const [environment, form] of [
        [{ DEVNET_LOOKUP_TABLE: table }, {}],
        [{}, { tables }],
        [{ DEVNET_LOOKUP_TABLE: table }, { tables }],
      ] as const
    ) {
      const { end, sender } = await startAction(options(environment));
      const instructions = [sender.naming, transfer(sender.signer, recipient, SOL), sender.memo];
      const signature = await sendWire(chain, await sign(sender, instructions, form), true);
      expect(await end).toEqual({ status: 'confirmed', signature, hasFees: false });
    }
  });

  it('fails at the node whose instruction failed, wherever the sender has placed that instruction', async () => {
    const members = (pair: Keypair, to: string) => [
      memberOf(wallet(pair), [signedMemo('fine', pair.publicKey)]),
      memberOf(wallet(pair), [transferFrom(pair.publicKey, to, 50n * SOL)]),
    ];
    const { end, sender } = await startAction({ members });
    const instructions = [
      memo('first'),
      signedMemo('fine', sender.signer.address),
      sender.naming,
      pay(sender, 50n * SOL),
      sender.memo,
      memo('last'),
    ];
    const signature = await sendWire(chain, await sign(sender, instructions), true);
    expect(await end).toEqual({
      status: 'failed',
      signature,
      errors: [
        'transaction simulation failed',
        `transaction ${signature} failed: {"InstructionError":[3,{"Custom":1}]}`,
      ],
    });
  });
});

describe('an RPC server that does not show the transaction', () => {
  it('because it lacks the method makes the memo alone decide', async () => {
    const { end, sendRight, world } = await startAction();
    chain.faults.inject({ type: 'error', code: -32601, message: 'Method not found', method: 'getTransaction' });
    const signature = await sendRight();
    expect(await end).toEqual({ status: 'confirmed', signature, hasFees: false });
    expect(world.logged).toEqual([
      `Warn: transaction ${signature} is taken for the action's by its memo alone: the RPC server can't show it`,
    ]);
  });

  it('for now is asked again, and the other transactions are still checked', async () => {
    const { end, sender, sendRight, world } = await startAction();
    chain.faults.inject({ type: 'error', code: -32015, message: 'not for you', method: 'getTransaction', times: 3 });
    const wrong = await sendWire(chain, await sign(sender, [sender.naming, sender.memo]), true);
    await waitFor(() => world.logged.length === 2 || undefined);
    expect(world.logged).toEqual([
      `Warn: transaction ${wrong} has the memo of the action, but: not for you (code -32015)`,
      expect.stringContaining('passed over'),
    ]);
    chain.faults.inject({ type: 'error', code: -32015, message: 'not yet', method: 'getTransaction' });
    const signature = await sendRight();
    expect(await end).toMatchObject({ status: 'confirmed', signature });
  });

  it('though another node behind its address listed it is asked again', async () => {
    const { http } = chain.nodeCall();
    let isBehind = true;
    const { end, sendRight } = await startAction({
      options: {
        http: {
          async request(request) {
            chain.ledger.clock.advance(1n);
            const isAsked = bodyText(request).includes('"getTransaction"');
            const response = await http.request(request);
            if (!isAsked || !isBehind) return response;
            isBehind = false;
            return { ...response, body: new TextEncoder().encode('{"jsonrpc":"2.0","id":1,"result":null}') };
          },
        },
      },
    });
    const signature = await sendRight();
    expect(await end).toMatchObject({ status: 'confirmed', signature });
    expect(isBehind).toBe(false);
  });
});
