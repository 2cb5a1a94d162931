import { describe, expect, it } from 'vitest';
import { makeKeypair } from '../../tests/support/keypairs.ts';
import { NodeError } from '../engine/node.ts';
import { readTransactionSettings } from './read_transaction_settings.ts';

const { publicKey, keypair } = makeKeypair();

describe('the settings of transactions', () => {
  it('have defaults, which also replace empty values', () => {
    const defaults = {
      overwriteFeePayer: undefined,
      computeBudget: 'auto',
      fallbackComputeBudget: undefined,
      priorityFee: 'auto',
      simulationCommitment: 'finalized',
      txCommitment: 'confirmed',
      waitCommitment: 'confirmed',
      lookupTables: {},
    };
    expect(readTransactionSettings({ RUST_LOG: 'debug' })).toEqual(defaults);
    expect(readTransactionSettings({ PRIORITY_FEE: '', OVERWRITE_FEEPAYER: '' })).toEqual(defaults);
  });

  it('are read from the environment', () => {
    expect(readTransactionSettings({
      OVERWRITE_FEEPAYER: publicKey,
      COMPUTE_BUDGET: '1',
      FALLBACK_COMPUTE_BUDGET: '4294967295',
      PRIORITY_FEE: 'no',
      SIMULATION_COMMITMENT_LEVEL: 'processed',
      TX_COMMITMENT_LEVEL: 'finalized',
      WAIT_COMMITMENT_LEVEL: 'processed',
      DEVNET_LOOKUP_TABLE: publicKey,
      MAINNET_LOOKUP_TABLE: publicKey,
    })).toEqual({
      overwriteFeePayer: publicKey,
      computeBudget: 1n,
      fallbackComputeBudget: 4_294_967_295n,
      priorityFee: 'no',
      simulationCommitment: 'processed',
      txCommitment: 'finalized',
      waitCommitment: 'processed',
      lookupTables: { devnet: publicKey, 'mainnet-beta': publicKey },
    });
  });

  it.each([
    ['OVERWRITE_FEEPAYER', 'a key pair', 'a public key'],
    ['OVERWRITE_FEEPAYER', 'auto', 'a public key'],
    ['COMPUTE_BUDGET', '1.5', 'auto, no or an integer from 0 to 2^32-1'],
    ['COMPUTE_BUDGET', '-1', 'auto, no or an integer from 0 to 2^32-1'],
    ['COMPUTE_BUDGET', '4294967296', 'auto, no or an integer from 0 to 2^32-1'],
    ['PRIORITY_FEE', '18446744073709551616', 'auto, no or an integer from 0 to 2^64-1'],
    ['PRIORITY_FEE', 'Auto', 'auto, no or an integer from 0 to 2^64-1'],
    ['FALLBACK_COMPUTE_BUDGET', 'no', 'an integer from 0 to 2^32-1'],
    ['FALLBACK_COMPUTE_BUDGET', '4294967296', 'an integer from 0 to 2^32-1'],
    ['SIMULATION_COMMITMENT_LEVEL', 'max', 'processed, confirmed or finalized'],
    ['TX_COMMITMENT_LEVEL', '1', 'processed, confirmed or finalized'],
    ['WAIT_COMMITMENT_LEVEL', 'Confirmed', 'processed, confirmed or finalized'],
    ['DEVNET_LOOKUP_TABLE', 'x', 'a public key'],
    ['MAINNET_LOOKUP_TABLE', 'a key pair', 'a public key'],
  ])('are refused with %s=%s, by an error that names the variable and hides its value', (name, text, expected) => {
    const value = text === 'a key pair' ? keypair : text;
    expect(() => readTransactionSettings({ [name]: value })).toThrow(
      new NodeError(`wrong in the flow's environment: ${name} must be ${expected}`),
    );
  });

  it('list all faults in one error', () => {
    expect(() => readTransactionSettings({ PRIORITY_FEE: 'x', WAIT_COMMITMENT_LEVEL: 'y' })).toThrow(
      /PRIORITY_FEE must be .*; WAIT_COMMITMENT_LEVEL must be/,
    );
  });
});
