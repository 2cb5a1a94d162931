import {
  ConversionError,
  readField,
  readFieldOr,
  readOptionalField,
  toArray,
  toBoolean,
  toInteger,
  toMap,
  toMember,
  toText,
} from '../../../types/values/conversion.ts';
import type { Value, ValueMap } from '../../../types/values/value.ts';
import { addressOf, makeInstructionSet, toAddress } from '../../solana/building/instruction_nodes.ts';
import type { InstructionModule } from '../../solana/building/instruction_module.ts';
import { readSigner } from '../../solana/tokens/read_signer.ts';
import {
  createMetadata,
  metadataAddress,
  type TokenCreator,
  type TokenMetadata,
} from '../../solana/tokens/token_metadata.ts';
import definition from './definition.json' with { type: 'json' };

// The program refuses longer texts, more creators and larger fees.
const MAX_NAME_BYTES = 32;
const MAX_SYMBOL_BYTES = 10;
const MAX_URI_BYTES = 200;
const MAX_CREATORS = 5;
const MAX_BASIS_POINTS = 10_000;

const utf8 = new TextEncoder();

/** Makes a conversion to a text of at most this many bytes. */
const toShortText = (maxBytes: number) => (value: Value): string => {
  const text = toText(value);
  const { length } = utf8.encode(text);
  if (length > maxBytes) throw new ConversionError(`must have at most ${maxBytes} bytes, not ${length}`);
  return text;
};

function toBasisPoints(value: Value): number {
  const points = Number(toInteger('u16')(value));
  if (points > MAX_BASIS_POINTS) throw new ConversionError(`must be at most ${MAX_BASIS_POINTS}`);
  return points;
}

function toCreator(value: Value): TokenCreator {
  const creator = toMap(value);
  return {
    address: readField(creator, 'address', toAddress),
    verified: readFieldOr(creator, 'verified', false, toBoolean),
    share: Number(readField(creator, 'share', toInteger('u8'))),
  };
}

function toCreators(value: Value): TokenCreator[] | null {
  const creators = toArray(value).map(toCreator);
  if (creators.length === 0) return null;
  if (creators.length > MAX_CREATORS) throw new ConversionError(`must have at most ${MAX_CREATORS} creators`);
  const sum = creators.reduce((total, { share }) => total + share, 0);
  if (sum !== 100) throw new ConversionError(`the shares must add up to 100, not ${sum}`);
  return creators;
}

function toUses(value: Value): TokenMetadata['uses'] {
  const uses = toMap(value);
  return {
    useMethod: readField(uses, 'use_method', toMember({ Burn: 0, Multiple: 1, Single: 2 })),
    remaining: readField(uses, 'remaining', toInteger('u64')),
    total: readField(uses, 'total', toInteger('u64')),
  };
}

function readMetadata(inputs: ValueMap): TokenMetadata {
  const metadata = readField(inputs, 'metadata', toMap);
  const collection = readOptionalField(inputs, 'collection_mint_account', toAddress);
  return {
    name: readField(metadata, 'name', toShortText(MAX_NAME_BYTES)),
    symbol: readOptionalField(metadata, 'symbol', toShortText(MAX_SYMBOL_BYTES)) ?? '',
    uri: readField(inputs, 'metadata_uri', toShortText(MAX_URI_BYTES)),
    sellerFeeBasisPoints: readOptionalField(metadata, 'seller_fee_basis_points', toBasisPoints) ?? 0,
    creators: readOptionalField(inputs, 'creators', toCreators) ?? null,
    collection: collection === undefined ? null : { verified: false, key: collection },
    uses: readOptionalField(inputs, 'uses', toUses) ?? null,
  };
}

/** Creates the metadata of a token: its name, symbol and the address of its JSON file. */
export const createMetadataAccountNode: InstructionModule = {
  definition,
  buildInstructions: async (call) => {
    const feePayer = readSigner(call, 'fee_payer');
    const mintAuthority = readSigner(call, 'mint_authority');
    const updateAuthority = readSigner(call, 'update_authority');
    const mint = readField(call.inputs, 'mint_account', toAddress);
    const instruction = await createMetadata(
      {
        mint,
        mintAuthority: addressOf(mintAuthority),
        payer: addressOf(feePayer),
        updateAuthority: addressOf(updateAuthority),
      },
      readMetadata(call.inputs),
      readField(call.inputs, 'is_mutable', toBoolean),
    );
    return {
      instructions: makeInstructionSet(feePayer, [mintAuthority, updateAuthority], [instruction]),
      outputs: { metadata_account: { B3: await metadataAddress(mint) } },
    };
  },
};
