import { ed25519 } from '@noble/curves/ed25519.js';
import { base58 } from '@scure/base';
import { generateMnemonic, mnemonicToSeedWebcrypto, validateMnemonic } from '@scure/bip39';
import { readOptionalField, toText } from '../../../types/values/conversion.ts';
import { type Signer, toWalletOrPubkey, walletToValue } from '../../../types/values/keys.ts';
import { NodeError, type NodeModule } from '../../engine/node.ts';
import { english, wordlists } from './wordlists.ts';
import definition from './definition.json' with { type: 'json' };

/**
 * Normalizes a BIP-39 phrase for the derivation. The error for an invalid phrase does not repeat a word of the phrase,
 * because the phrase is secret.
 */
function readPhrase(text: string): string {
  const phrase = text.normalize('NFKD').trim().split(/\s+/).join(' ');
  if (wordlists.some((wordlist) => validateMnemonic(phrase, wordlist))) return phrase;
  throw new NodeError('seed: must be a BIP-39 phrase of 12 to 24 words of one language with a correct checksum');
}

/** Makes the key pair whose secret half is the first 32 bytes of a phrase's BIP-39 seed. */
async function derive(phrase: string, passphrase: string): Promise<Signer> {
  const seed = (await mnemonicToSeedWebcrypto(phrase, passphrase)).subarray(0, 32);
  const publicKey = ed25519.getPublicKey(seed);
  return { type: 'keypair', publicKey: base58.encode(publicKey), keypair: new Uint8Array([...seed, ...publicKey]) };
}

function checkKeypair(signer: Signer): void {
  if (signer.type === 'adapter') return;
  if (base58.encode(ed25519.getPublicKey(signer.keypair.subarray(0, 32))) !== signer.publicKey) {
    throw new NodeError('private_key: the public half of the key pair does not belong to its secret half');
  }
}

/**
 * Outputs the given key, or else the key pair of a BIP-39 phrase. Without a phrase, the node makes a phrase of twelve
 * random words.
 */
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
