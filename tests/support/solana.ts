import {
  type Address,
  appendTransactionMessageInstructions,
  type Blockhash,
  createTransactionMessage,
  generateKeyPairSigner,
  getAddressEncoder,
  getBase64EncodedWireTransaction,
  type Instruction,
  type KeyPairSigner,
  lamports,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
} from '@solana/kit';
import { getTransferSolInstruction } from '@solana-program/system';
import { parse, parseNumberAndBigInt, stringify } from 'lossless-json';
import type { NodeCall } from '../../runner/engine/node.ts';
import { makeHttpClient } from '../../runner/reach/http_client.ts';
import { type Chain, type ChainOptions, startChain } from '../../dev/chain/server.ts';
import { HTTP_LIMITS } from './http_limits.ts';
import { testRun } from './node_call.ts';

export const SOL = 1_000_000_000n;

/** The SPL Memo program, version 2. Action identities use version 1. */
export const MEMO_V2 = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr' as Address;
export const MEMO_V1 = 'Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo' as Address;

export const memo = (text: string | Uint8Array, program = MEMO_V2): Instruction => ({
  programAddress: program,
  data: typeof text === 'string' ? new TextEncoder().encode(text) : text,
});

export const transfer = (source: KeyPairSigner, destination: Address, amount: bigint): Instruction =>
  getTransferSolInstruction({ source, destination, amount });

// oxlint-disable-next-line typescript/no-explicit-any -- answers are judged by the assertions on them
type RpcAnswer = { status: number; result?: any; error?: { code: number; message: string; data?: any } };

/** A chain for one test file, and the functions of its client. */
export interface TestChain extends Chain {
  /** Calls a method and returns the body, whole numbers as bigints. */
  call: (method: string, ...params: unknown[]) => Promise<RpcAnswer>;
  /** Makes a key with this many lamports. */
  fundedSigner: (amount?: bigint) => Promise<KeyPairSigner>;
  /** Signs a transaction, in base64, under the newest blockhash unless another is given. */
  sign: (feePayer: KeyPairSigner, instructions: Instruction[], blockhash?: string) => Promise<string>;
  balance: (address: string) => bigint;
  /** Makes the call of a node whose run uses this chain. */
  nodeCall: () => Pick<NodeCall, 'http' | 'run'>;
}

export async function startTestChain(options: ChainOptions = { slotMs: 0 }): Promise<TestChain> {
  const chain = await startChain(options);
  const call = async (method: string, ...params: unknown[]): Promise<RpcAnswer> => {
    const response = await fetch(chain.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: stringify({ jsonrpc: '2.0', id: 1, method, params })!,
    });
    const body = parse(await response.text(), undefined, parseNumberAndBigInt) as unknown as Omit<RpcAnswer, 'status'>;
    return { ...body, status: response.status };
  };
  return {
    ...chain,
    call,
    async fundedSigner(amount = 10n * SOL) {
      const signer = await generateKeyPairSigner();
      await call('requestAirdrop', signer.address, amount);
      return signer;
    },
    async sign(feePayer, instructions, blockhash = chain.ledger.clock.blockhash(chain.ledger.clock.slot())) {
      const lifetime = { blockhash: blockhash as Blockhash, lastValidBlockHeight: 0n };
      const message = pipe(
        createTransactionMessage({ version: 0 }),
        (draft) => setTransactionMessageFeePayerSigner(feePayer, draft),
        (draft) => setTransactionMessageLifetimeUsingBlockhash(lifetime, draft),
        (draft) => appendTransactionMessageInstructions(instructions, draft),
      );
      return getBase64EncodedWireTransaction(await signTransactionMessageWithSigners(message));
    },
    balance: (address) => chain.ledger.read(address)?.lamports ?? 0n,
    nodeCall: () => ({
      http: makeHttpClient({ ...HTTP_LIMITS, isAllowed: () => true }),
      run: { ...testRun, network: { url: chain.url, cluster: 'devnet' } },
    }),
  };
}

/** Writes a lookup table that was made long ago. Source of the layout: solana-sdk, `address-lookup-table-interface`. */
export async function writeLookupTable({ ledger }: Chain, addresses: Address[]): Promise<Address> {
  const { address } = await generateKeyPairSigner();
  const meta = Buffer.alloc(56);
  meta.writeUInt32LE(1, 0);
  meta.writeBigUInt64LE(2n ** 64n - 1n, 4);
  const data = Uint8Array.from([...meta, ...addresses.flatMap((entry) => [...getAddressEncoder().encode(entry)])]);
  ledger.write({
    address,
    data,
    executable: false,
    lamports: lamports(ledger.minimumBalance(BigInt(data.length))),
    programAddress: 'AddressLookupTab1e1111111111111111111111111' as Address,
    space: BigInt(data.length),
  });
  return address;
}
