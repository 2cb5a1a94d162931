import { base58, hex } from '@scure/base';
import { AccountRole, address, type Instruction } from '@solana/kit';
import { NodeError } from '../../engine/node.ts';
import { MEMO_V1, MEMO_V2 } from '../building/memo.ts';
import { type OpenWallet, signWithStored } from '../signing/signing.ts';

const MEMO_PROGRAMS: ReadonlySet<string> = new Set([MEMO_V1, MEMO_V2]);

/**
 * Makes the reference of an action's memo, which has 32 bytes: seconds since 1970 as a little-endian i64, the 16 bytes
 * of the run's id, and 8 zero bytes.
 */
export function memoReference(runId: string, unixSeconds: bigint): Uint8Array {
  const reference = new Uint8Array(32);
  new DataView(reference.buffer).setBigInt64(0, unixSeconds, true);
  reference.set(hex.decode(runId.replaceAll('-', '').toLowerCase()), 8);
  return reference;
}

/** The memo text that identifies an action's transaction. Source: Solana Actions specification, "Action Identity". */
export const memoText = (identity: string, reference: Uint8Array, signature: Uint8Array): string =>
  ['solana-action', identity, base58.encode(reference), base58.encode(signature)].join(':');

/** The memo of one transaction, signed by the action's identity. */
interface SignedMemo {
  text: string;
  /**
   * The reference in base58. It is also one of the transaction's accounts, so that others can find the transaction by
   * the reference.
   */
  reference: string;
}

/** Makes and signs the memo of one transaction. Throws if the owner has not stored the key of the identity. */
export async function signMemo(
  identity: string,
  { runId, now, openWallet }: { runId: string; now: number; openWallet: OpenWallet },
): Promise<SignedMemo> {
  const reference = memoReference(runId, BigInt(Math.floor(now / 1_000)));
  const signature = await signWithStored(openWallet, identity, reference);
  if (signature === undefined) {
    throw new NodeError(`the owner has stored no key pair for the action identity ${identity}`);
  }
  return { text: memoText(identity, reference, signature), reference: base58.encode(reference) };
}

/**
 * Appends a memo to instructions. Adds the action's identity and the memo's reference to the accounts of the first
 * instruction that is not a memo. Throws if there is no such instruction. Source: Solana Actions SDK,
 * `createPostResponse`.
 */
export function appendMemo(
  instructions: readonly Instruction[],
  identity: string,
  { text, reference }: SignedMemo,
): Instruction[] {
  const memo = { programAddress: MEMO_V1, data: new TextEncoder().encode(text) };
  const host = instructions.findIndex(({ programAddress }) => !MEMO_PROGRAMS.has(programAddress));
  if (host === -1) throw new NodeError('at least 1 non-memo instruction is required');
  const listed = new Set(
    instructions.flatMap(({ accounts = [] }) => accounts.map((account) => String(account.address))),
  );
  const added = [identity, reference].filter((key) => !listed.has(key))
    .map((key) => ({ address: address(key), role: AccountRole.READONLY }));
  const changed = instructions.map((instruction, index) =>
    index === host ? { ...instruction, accounts: [...(instruction.accounts ?? []), ...added] } : instruction
  );
  return [...changed, memo];
}

const UNPARSEABLE = '(unparseable)';
const SEPARATOR = '; ';

/**
 * Reads a transaction's memos from the list of an RPC node, which has the form `[length in bytes] text; …`. Source:
 * Agave, `extract_memos.rs`.
 */
export function readMemos(listed: string | null): string[] {
  const memos: string[] = [];
  let rest = listed ?? '';
  for (let head = /^\[(\d+)\] /.exec(rest); head !== null; head = /^\[(\d+)\] /.exec(rest)) {
    const body = rest.slice(head[0].length);
    // The lengths, which count bytes, are needed because a memo's text may itself look like a list.
    const bytes = new TextEncoder().encode(body);
    const length = body.startsWith(UNPARSEABLE) ? UNPARSEABLE.length : Number(head[1]);
    const after = new TextDecoder().decode(bytes.subarray(length));
    if (length > bytes.length || (after !== '' && !after.startsWith(SEPARATOR))) break;
    memos.push(new TextDecoder().decode(bytes.subarray(0, length)));
    rest = after.slice(SEPARATOR.length);
  }
  return memos;
}
