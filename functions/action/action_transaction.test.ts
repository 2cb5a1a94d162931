import { base64 } from '@scure/base';
import { TransactionMessage, VersionedTransaction } from '@solana/web3.js';
import { describe, expect, it } from 'vitest';
import { makeKeypair } from '../../tests/support/keypairs.ts';
import { transferFrom } from '../../tests/support/transactions.ts';
import { signWire } from '../../tests/support/wire.ts';
import { compileMessage, encodeTransaction } from '../../runner/solana/building/message.ts';
import { toActionTransaction } from './action_transaction.ts';

const [buyer, shop] = [makeKeypair(), makeKeypair()];
const blockhash = '1'.repeat(32);

const wireOf = (signers: string[], lookupTables = {}) => {
  const instructions = signers.map((signer) => transferFrom(signer, shop.publicKey));
  const message = compileMessage({ feePayer: buyer.publicKey, instructions, blockhash, lookupTables });
  return base64.encode(encodeTransaction(message));
};

const read = (text: string) => VersionedTransaction.deserialize(base64.decode(text));

describe('the transaction in the answer of an action', () => {
  it('takes the legacy form if nobody has signed', () => {
    const wire = wireOf([buyer.publicKey]);
    const answered = read(toActionTransaction(wire, buyer.publicKey));
    const { message } = read(wire);
    expect(answered.version).toBe('legacy');
    const instructions = (one: typeof message) => TransactionMessage.decompile(one).instructions;
    expect(instructions(answered.message)).toEqual(instructions(message));
    expect(answered.message.staticAccountKeys).toEqual(message.staticAccountKeys);
    expect(answered.message.header).toEqual(message.header);
    expect(answered.message.recentBlockhash).toBe(blockhash);
    expect(answered.signatures).toEqual([new Uint8Array(64)]);
  });

  it('stays as it is if somebody has signed', () => {
    const wire = signWire(wireOf([buyer.publicKey, shop.publicKey]), shop);
    expect(toActionTransaction(wire, buyer.publicKey)).toBe(wire);
  });

  it('stays as it is if it uses a lookup table', () => {
    const wire = wireOf([buyer.publicKey], { [makeKeypair().publicKey]: [shop.publicKey] });
    expect(read(wire).message.addressTableLookups).toHaveLength(1);
    expect(toActionTransaction(wire, buyer.publicKey)).toBe(wire);
  });

  it.each([
    ['lacks the signature of somebody else', wireOf([buyer.publicKey, shop.publicKey]), buyer.publicKey],
    ['is for another wallet', wireOf([buyer.publicKey]), shop.publicKey],
  ])('is refused when it %s', (_says, wire, account) => {
    expect(() => toActionTransaction(wire, account)).toThrow("your wallet alone can't sign");
  });

  it.each(['', 'x', 'AQ==', base64.encode(new Uint8Array(200).fill(1))])(
    'is refused if the text is no transaction: %j',
    (text) => {
      expect(() => toActionTransaction(text, buyer.publicKey)).toThrow('The action made no transaction');
    },
  );
});
