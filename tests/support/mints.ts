import { type Address, generateKeyPairSigner, type Instruction, type KeyPairSigner } from '@solana/kit';
import { getCreateAccountInstruction } from '@solana-program/system';
import {
  findAssociatedTokenPda,
  getCreateAssociatedTokenInstruction,
  getInitializeMint2Instruction,
  getMintSize,
  getMintToInstruction,
  type Mint,
  type Token,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token';
import { asMint, asTokenAccount } from '../../dev/chain/account_encoding.ts';
import { land } from './instruction_node.ts';
import type { TestChain } from './solana.ts';

/** Returns the mint at an address, or undefined. */
export function mintAt(chain: TestChain, address: string): Mint | undefined {
  const account = chain.ledger.read(address);
  return account && asMint(account);
}

/** Returns the token account at an address, or undefined. */
export function tokenAt(chain: TestChain, address: string): Token | undefined {
  const account = chain.ledger.read(address);
  return account && asTokenAccount(account);
}

const landAll = async (chain: TestChain, payer: KeyPairSigner, instructions: Instruction[]) =>
  await land(chain, await chain.sign(payer, instructions));

/** Makes a new mint of the authority, without the code under test. */
export async function createMint(chain: TestChain, authority: KeyPairSigner, decimals: number): Promise<Address> {
  const mint = await generateKeyPairSigner();
  const space = getMintSize();
  await landAll(chain, authority, [
    getCreateAccountInstruction({
      payer: authority,
      newAccount: mint,
      lamports: chain.ledger.minimumBalance(BigInt(space)),
      space,
      programAddress: TOKEN_PROGRAM_ADDRESS,
    }),
    getInitializeMint2Instruction({ mint: mint.address, decimals, mintAuthority: authority.address }),
  ]);
  return mint.address;
}

export async function associatedAddress(owner: Address, mint: Address): Promise<Address> {
  return (await findAssociatedTokenPda({ owner, mint, tokenProgram: TOKEN_PROGRAM_ADDRESS }))[0];
}

/** Makes the owner's associated token account, with this many of the smallest units of the authority's mint. */
export async function createTokenAccount(
  chain: TestChain,
  authority: KeyPairSigner,
  mint: Address,
  owner: Address,
  amount = 0n,
): Promise<Address> {
  const ata = await associatedAddress(owner, mint);
  await landAll(chain, authority, [
    getCreateAssociatedTokenInstruction({ payer: authority, ata, owner, mint }),
    ...(amount > 0n ? [getMintToInstruction({ mint, token: ata, mintAuthority: authority, amount })] : []),
  ]);
  return ata;
}
