import {
  type AccountMeta,
  AccountRole,
  addEncoderSizePrefix,
  type Address,
  address,
  getAddressEncoder,
  getArrayEncoder,
  getBooleanEncoder,
  getNullableEncoder,
  getProgramDerivedAddress,
  getStructEncoder,
  getU16Encoder,
  getU32Encoder,
  getU64Encoder,
  getU8Encoder,
  getUtf8Encoder,
  type Instruction,
} from '@solana/kit';
import { SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system';
import { TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';

// Instructions of the Token Metadata program of Metaplex. Source: https://docs.rs/mpl-token-metadata

const PROGRAM = address('metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s');
const CREATE_METADATA_ACCOUNT_V3 = 33;
const CREATE_MASTER_EDITION_V3 = 17;

export interface TokenCreator {
  address: Address;
  verified: boolean;
  /** The share of the royalties in percent. */
  share: number;
}

export interface TokenMetadata {
  name: string;
  symbol: string;
  uri: string;
  sellerFeeBasisPoints: number;
  creators: TokenCreator[] | null;
  collection: { verified: boolean; key: Address } | null;
  uses: { useMethod: number; remaining: bigint; total: bigint } | null;
}

/** The wallets that sign, and the mint of the token. */
interface MetadataAccounts {
  mint: Address;
  mintAuthority: Address;
  payer: Address;
  updateAuthority: Address;
}

const textEncoder = addEncoderSizePrefix(getUtf8Encoder(), getU32Encoder());

const metadataEncoder = getStructEncoder([
  ['name', textEncoder],
  ['symbol', textEncoder],
  ['uri', textEncoder],
  ['sellerFeeBasisPoints', getU16Encoder()],
  [
    'creators',
    getNullableEncoder(getArrayEncoder(getStructEncoder([
      ['address', getAddressEncoder()],
      ['verified', getBooleanEncoder()],
      ['share', getU8Encoder()],
    ]))),
  ],
  [
    'collection',
    getNullableEncoder(getStructEncoder([['verified', getBooleanEncoder()], ['key', getAddressEncoder()]])),
  ],
  [
    'uses',
    getNullableEncoder(getStructEncoder([
      ['useMethod', getU8Encoder()],
      ['remaining', getU64Encoder()],
      ['total', getU64Encoder()],
    ])),
  ],
]);

async function deriveAddress(mint: Address, ...more: string[]): Promise<Address> {
  const encoder = getAddressEncoder();
  const seeds = ['metadata', encoder.encode(PROGRAM), encoder.encode(mint), ...more];
  const [derived] = await getProgramDerivedAddress({ programAddress: PROGRAM, seeds });
  return derived;
}

/** The address of the metadata of a mint. */
export const metadataAddress = (mint: Address): Promise<Address> => deriveAddress(mint);

/** The address of the master edition of a mint. */
export const masterEditionAddress = (mint: Address): Promise<Address> => deriveAddress(mint, 'edition');

const account = (role: AccountRole) => (of: Address): AccountMeta => ({ address: of, role });
const readonly = account(AccountRole.READONLY);
const writable = account(AccountRole.WRITABLE);
const signer = account(AccountRole.READONLY_SIGNER);
const payer = account(AccountRole.WRITABLE_SIGNER);

/** Makes the instruction that creates the metadata of a mint. */
export async function createMetadata(
  accounts: MetadataAccounts,
  metadata: TokenMetadata,
  isMutable: boolean,
): Promise<Instruction> {
  return {
    programAddress: PROGRAM,
    accounts: [
      writable(await metadataAddress(accounts.mint)),
      readonly(accounts.mint),
      signer(accounts.mintAuthority),
      payer(accounts.payer),
      signer(accounts.updateAuthority),
      readonly(SYSTEM_PROGRAM_ADDRESS),
    ],
    // The last byte says that there are no details of a collection.
    data: Uint8Array.of(CREATE_METADATA_ACCOUNT_V3, ...metadataEncoder.encode(metadata), Number(isMutable), 0),
  };
}

/** Makes the instruction that creates the master edition of a mint. If `maxSupply` is null, any number can be printed. */
export async function createMasterEdition(accounts: MetadataAccounts, maxSupply: bigint | null): Promise<Instruction> {
  return {
    programAddress: PROGRAM,
    accounts: [
      writable(await masterEditionAddress(accounts.mint)),
      writable(accounts.mint),
      signer(accounts.updateAuthority),
      signer(accounts.mintAuthority),
      payer(accounts.payer),
      writable(await metadataAddress(accounts.mint)),
      readonly(TOKEN_PROGRAM_ADDRESS),
      readonly(SYSTEM_PROGRAM_ADDRESS),
    ],
    data: Uint8Array.of(CREATE_MASTER_EDITION_V3, ...getNullableEncoder(getU64Encoder()).encode(maxSupply)),
  };
}
