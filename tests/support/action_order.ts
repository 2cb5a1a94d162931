import { base58, base64 } from '@scure/base';
import type { TransactionMember, TransactionOrder } from '../../runner/solana/transaction_order.ts';
import { type Keypair, makeKeypair } from './keypairs.ts';
import { SOL, type TestChain } from './solana.ts';
import { fundedKeypair, makeWorld, memberOf, transferFrom, wallet, type WorldOptions } from './transactions.ts';
import { waitFor } from './wait.ts';
import { decode } from './wire.ts';

export async function sendWire(chain: TestChain, wire: string, skipPreflight = false): Promise<string> {
  const { result, error } = await chain.call('sendTransaction', wire, {
    encoding: 'base64',
    preflightCommitment: 'confirmed',
    skipPreflight,
  });
  if (error !== undefined) throw new Error(error.message);
  return result;
}

export type ActionOptions = WorldOptions & {
  members?: (signer: Keypair, recipient: string) => TransactionMember[];
  given?: Partial<TransactionOrder>;
};

/** Makes an action. By default the action is a transfer of 1 SOL by its signer; `members` can replace the transfer. */
export async function makeActionOrder(chain: TestChain, { members, given, ...options }: ActionOptions = {}) {
  const [signer, identity, recipient] = [await fundedKeypair(chain, 3n * SOL), makeKeypair(), makeKeypair().publicKey];
  const settings = { ...options.settings, action_identity: identity.publicKey, action_signer: signer.publicKey };
  const storedKeys = [identity, ...options.storedKeys ?? []];
  const world = makeWorld(chain, { ...options, settings, storedKeys });
  const build = members ?? (() => [memberOf(wallet(signer), [transferFrom(signer.publicKey, recipient)])]);
  const order = world.order(build(signer, recipient), given);
  /** Waits until the signer is asked. Returns the wire format of the transaction that the signer got. */
  const request = () =>
    waitFor(() => {
      const asked = world.store.requests().find(({ pubkey }) => pubkey === signer.publicKey);
      if (asked === undefined) return undefined;
      const count = base64.decode(asked.msg)[1]!;
      const bytes = new Uint8Array([count, ...new Uint8Array(64 * count), ...base64.decode(asked.msg)]);
      const keys = Object.keys(decode(base64.encode(bytes)).signed);
      for (const known of asked.signatures ?? []) {
        bytes.set(base58.decode(known.signature), 1 + 64 * keys.indexOf(known.pubkey));
      }
      return base64.encode(bytes);
    });
  return { world, order, signer, identity, recipient, request, execute: () => world.execute(order) };
}
