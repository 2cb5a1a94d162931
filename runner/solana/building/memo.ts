import { AccountRole, address, type Instruction } from '@solana/kit';
import { addressOf } from './instruction_nodes.ts';
import type { ChainSigner } from '../transaction_order.ts';

/** The SPL Memo program, version 1. It accepts accounts that don't sign, unlike version 2. */
export const MEMO_V1 = address('Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo');

/** The SPL Memo program, version 2. */
export const MEMO_V2 = address('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');

/** Makes a memo that a wallet signs. The transaction's log shows its text. */
export const memoInstruction = (text: string, signer: ChainSigner): Instruction => ({
  programAddress: MEMO_V2,
  accounts: [{ address: addressOf(signer), role: AccountRole.READONLY_SIGNER }],
  data: new TextEncoder().encode(text),
});
