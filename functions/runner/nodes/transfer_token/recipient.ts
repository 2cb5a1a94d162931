import { type Address, isOffCurveAddress } from '@solana/kit';
import { SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system';
import type { ChainAccount } from '../../solana/rpc.ts';
import { assertTokenOf, asTokenAccount } from '../../solana/token_accounts.ts';
import { NodeError } from '../../engine/node.ts';

/** An address, and what the chain has there. */
export interface Place {
  address: Address;
  account: ChainAccount | null;
}

export interface RecipientRules {
  /** A wallet may get tokens that has no SOL, and so does not exist. */
  allowsUnfunded: boolean;
  /** The associated token account of a wallet may be created. */
  funds: boolean;
}

/** Throws when an address is no wallet that may get tokens. */
function assertWallet({ address, account }: Place, { allowsUnfunded }: RecipientRules): void {
  if (account !== null) {
    if (account.owner === SYSTEM_PROGRAM_ADDRESS) return;
    throw new NodeError(
      `recipient: ${address} is neither a wallet nor a token account: it belongs to the program ${account.owner}`,
    );
  }
  // Such as a token account that the same transaction creates: a token account of its own would never be emptied.
  if (isOffCurveAddress(address)) {
    throw new NodeError(
      `recipient: there is no account ${address}, and nobody can have its key; give the wallet, not its token account`,
    );
  }
  if (!allowsUnfunded) {
    throw new NodeError(`recipient: the wallet ${address} has no SOL, and allow_unfunded is false`);
  }
}

/**
 * The token account that gets the tokens, and whether it must be created: the recipient itself when it is a token account, else the
 * wallet's associated one. As `spl-token transfer` does it.
 */
export function findDestination(
  recipient: Place,
  associated: Place,
  mint: Address,
  rules: RecipientRules,
): { address: Address; isMissing: boolean } {
  const own = recipient.account === null ? undefined : asTokenAccount(recipient.account);
  if (own !== undefined) {
    assertTokenOf(mint, own, 'recipient');
    return { address: recipient.address, isMissing: false };
  }
  assertWallet(recipient, rules);
  const token = associated.account === null ? undefined : asTokenAccount(associated.account);
  if (token !== undefined && token.owner !== recipient.address) {
    throw new NodeError(
      `recipient: the associated token account ${associated.address} was handed over to another owner, ${token.owner}`,
    );
  }
  if (token === undefined && !rules.funds) {
    throw new NodeError(
      `recipient: the wallet ${recipient.address} has no associated token account, and fund_recipient is false`,
    );
  }
  return { address: associated.address, isMissing: token === undefined };
}
