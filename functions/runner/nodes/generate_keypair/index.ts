import { ed25519 } from '@noble/curves/ed25519.js';
import { base58 } from '@scure/base';
import { generateMnemonic, mnemonicToSeedWebcrypto, validateMnemonic } from '@scure/bip39';
import { readOptionalField, toText } from '../../../../types/values/conversion.ts';
import { type Signer, toWalletOrPubkey, walletToValue } from '../../../../types/values/keys.ts';
import { NodeError, type NodeModule } from '../../engine/node.ts';
import { english, wordlists } from './wordlists.ts';
import definition from './definition.json' with { type: 'json' };

/** The words of a phrase, in the form that word lists and the derivation take; throws without repeating a word of it. */
function readPhrase(text: string): string {
  const phrase = text.normalize('NFKD').trim().split(/\s+/).join(' ');
  if (wordlists.some((wordlist) => validateMnemonic(phrase, wordlist))) return phrase;
  throw new NodeError('seed: takes a BIP-39 phrase of 12 to 24 words of one language with a right checksum');
}

/** The key pair of which the first 32 bytes of a BIP-39 seed are the secret half. */
async function derive(phrase: string, passphrase: string): Promise<Signer> {
  const seed = (await mnemonicToSeedWebcrypto(phrase, passphrase)).subarray(0, 32);
  const publicKey = ed25519.getPublicKey(seed);
  return { type: 'keypair', publicKey: base58.encode(publicKey), keypair: new Uint8Array([...seed, ...publicKey]) };
}

function checkKeypair(signer: Signer): void {
  if (signer.type === 'adapter') return;
  if (base58.encode(ed25519.getPublicKey(signer.keypair.subarray(0, 32))) !== signer.publicKey) {
    throw new NodeError("private_key: the key pair's public half does not belong to its secret one");
  }
}

/** Gives the key that it was given, else the key pair of a BIP-39 phrase, of twelve random words when there is none. */
export const generateKeypairNode: NodeModule = {
  definition,
  handsOnKeysOf: 'private_key',
  run: async ({ inputs }) => {
    const given = readOptionalField(inputs, 'private_key', toWalletOrPubkey);
    if (given !== undefined) checkKeypair(given);
    const signer = given ?? await derive(
      readOptionalField(inputs, 'seed', (value) => readPhrase(toText(value))) ?? generateMnemonic(english),
      readOptionalField(inputs, 'passphrase', toText) ?? '',
    );
    return { pubkey: { B3: signer.publicKey }, keypair: walletToValue(signer) };
  },
};
