import type { Address, Instruction } from '@solana/kit';
import { getCreateAccountInstruction } from '@solana-program/system';
import {
  AccountState,
  findAssociatedTokenPda,
  getMintDecoder,
  getMintSize,
  getTokenDecoder,
  getTokenSize,
  type Mint,
  type Token,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token';
import type { ValueMap } from '../../../types/values/value.ts';
import { readOptionalField, toInteger } from '../../../types/values/conversion.ts';
import { type NodeCall, NodeError } from '../../engine/node.ts';
import type { ChainSigner } from '../transaction_order.ts';
import { signatureOf } from '../building/instruction_nodes.ts';
import { type ChainAccount, makeChainRpc } from '../rpc/rpc.ts';

const toU8 = toInteger('u8');

/** Returns the associated token address of an owner and a mint, whether or not the account exists. */
export async function associatedTokenAddress(owner: Address, mint: Address): Promise<Address> {
  const [address] = await findAssociatedTokenPda({ owner, mint, tokenProgram: TOKEN_PROGRAM_ADDRESS });
  return address;
}

function asMint({ owner, data }: ChainAccount): Mint | undefined {
  if (owner !== TOKEN_PROGRAM_ADDRESS || data.length !== getMintSize()) return undefined;
  const mint = getMintDecoder().decode(data);
  return mint.isInitialized ? mint : undefined;
}

/** Decodes an account of the chain as a token account; undefined if it is not one. */
export function asTokenAccount({ owner, data }: ChainAccount): Token | undefined {
  if (owner !== TOKEN_PROGRAM_ADDRESS || data.length !== getTokenSize()) return undefined;
  const token = getTokenDecoder().decode(data);
  return token.state === AccountState.Uninitialized ? undefined : token;
}

/**
 * Returns the decimals of a mint. If the mint exists, the input `decimals` must not differ from the mint's decimals. If
 * the same transaction creates the mint, the input must be given.
 */
export function readDecimals(inputs: ValueMap, mint: Address, account: ChainAccount | null): number {
  const input = readOptionalField(inputs, 'decimals', toU8);
  const given = input === undefined ? undefined : Number(input);
  if (account === null) {
    if (given !== undefined) return given;
    throw new NodeError(
      `mint_account: there is no account ${mint}; for a mint that the same transaction creates, decimals must be given`,
    );
  }
  const decimals = asMint(account)?.decimals;
  if (decimals === undefined) {
    throw new NodeError(
      `mint_account: ${mint} must be a mint of the token program` +
        (account.owner === TOKEN_PROGRAM_ADDRESS ? '' : `: it belongs to the program ${account.owner}`),
    );
  }
  if (given !== undefined && given !== decimals) {
    throw new NodeError(`decimals: the mint ${mint} has ${decimals}, not ${given}`);
  }
  return decimals;
}

/** Throws if a token account is not of this mint; `input` names the input in the error. */
export function assertTokenOf(mint: Address, token: Token, input: string): void {
  if (token.mint !== mint) {
    throw new NodeError(`${input}: must be a token account of the mint ${mint}, not of ${token.mint}`);
  }
}

/**
 * Makes the instruction that creates an account of the token program, with the rent that the chain requires. Throws if
 * the address already has an account. `input` names the input in the error.
 */
export async function createTokenProgramAccount(
  call: NodeCall,
  input: string,
  { feePayer, account, size }: { feePayer: ChainSigner; account: ChainSigner; size: number },
): Promise<Instruction> {
  const rpc = makeChainRpc(call);
  const [existing, lamports] = await Promise.all([
    rpc.getMultipleAccounts([account.publicKey], 'confirmed'),
    rpc.getMinimumBalanceForRentExemption(size, 'confirmed'),
  ]);
  if (existing[0] !== null) throw new NodeError(`${input}: the account ${account.publicKey} exists already`);
  return getCreateAccountInstruction({
    payer: signatureOf(feePayer),
    newAccount: signatureOf(account),
    lamports,
    space: size,
    programAddress: TOKEN_PROGRAM_ADDRESS,
  });
}
