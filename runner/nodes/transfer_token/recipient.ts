import { type Address, isOffCurveAddress } from '@solana/kit';
import { SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system';
import type { ChainAccount } from '../../solana/rpc/rpc.ts';
import { assertTokenOf, asTokenAccount } from '../../solana/tokens/token_accounts.ts';
import { NodeError } from '../../engine/node.ts';

/** An address with its account on the chain; null if there is no such account. */
interface AddressedAccount {
  address: Address;
  account: ChainAccount | null;
}

interface RecipientRules {
  /** True if a wallet without SOL may receive tokens. Such a wallet has no account on the chain. */
  allowsUnfunded: boolean;
  /** True if a missing associated token account of the wallet may be created. */
  funds: boolean;
}

/** Throws unless an address is a wallet that may receive tokens. */
function assertWallet({ address, account }: AddressedAccount, { allowsUnfunded }: RecipientRules): void {
  if (account !== null) {
    if (account.owner === SYSTEM_PROGRAM_ADDRESS) return;
    throw new NodeError(
      `recipient: ${address} must be a wallet or a token account, but it belongs to the program ${account.owner}`,
    );
  }
  // The address may be a token account that the same transaction creates. If such an address owned the receiving token
  // account, nobody could ever move the tokens.
  if (isOffCurveAddress(address)) {
    throw new NodeError(
      `recipient: the account ${address} does not exist, and nobody can have a key for it; give the wallet, not its token account`,
    );
  }
  if (!allowsUnfunded) {
    throw new NodeError(`recipient: the wallet ${address} has no SOL, and allow_unfunded is false`);
  }
}

/**
 * Finds the token account that receives the tokens, and whether it must be created. Follows the rules of `spl-token
 * transfer`. If the recipient is a token account, it receives the tokens itself. Otherwise the wallet's associated
 * token account receives them.
 */
export function findDestination(
  recipient: AddressedAccount,
  associated: AddressedAccount,
  mint: Address,
  rules: RecipientRules,
): { address: Address; isMissing: boolean } {
  const given = recipient.account === null ? undefined : asTokenAccount(recipient.account);
  if (given !== undefined) {
    assertTokenOf(mint, given, 'recipient');
    return { address: recipient.address, isMissing: false };
  }
  assertWallet(recipient, rules);
  const token = associated.account === null ? undefined : asTokenAccount(associated.account);
  if (token !== undefined && token.owner !== recipient.address) {
    throw new NodeError(
      `recipient: the wallet's associated token account ${associated.address} now belongs to another owner, ${token.owner}`,
    );
  }
  if (token === undefined && !rules.funds) {
    throw new NodeError(
      `recipient: the wallet ${recipient.address} has no associated token account, and fund_recipient is false`,
    );
  }
  return { address: associated.address, isMissing: token === undefined };
}
