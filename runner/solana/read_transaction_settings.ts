import type { Commitment } from '@solana/kit';
import { decodeBase58 } from '../../types/values/base58.ts';
import { NodeError } from '../engine/node.ts';

/** A flow's settings for its transactions. */
export interface TransactionSettings {
  /** Public key of an owner's wallet that pays the fees. It overrides the fee payer that the nodes name. */
  overwriteFeePayer: string | undefined;
  /** Compute units. `auto` takes them from a simulation, and `no` uses the network's default. */
  computeBudget: 'auto' | 'no' | bigint;
  /** Compute units if the simulation fails. */
  fallbackComputeBudget: bigint | undefined;
  /** Micro-lamports for each compute unit. */
  priorityFee: 'auto' | 'no' | bigint;
  simulationCommitment: Commitment;
  /** Commitment of the blockhash and the preflight. */
  txCommitment: Commitment;
  /** Commitment that a transaction must reach before the flow continues. */
  waitCommitment: Commitment;
  /** Addresses of lookup tables, by cluster. */
  lookupTables: { readonly [cluster: string]: string | undefined };
}

/** Reads a setting's text. Returns undefined if the text is wrong. `expected` describes the right texts. */
interface Reader<T> {
  expected: string;
  read: (text: string) => T | undefined;
}

/** Reads an unsigned integer of this many bits. */
const unsignedInteger = (bits: 32 | 64): Reader<bigint> => ({
  expected: `an integer from 0 to 2^${bits}-1`,
  read: (text) => {
    const value = /^\d{1,20}$/.test(text) ? BigInt(text) : undefined;
    return value !== undefined && value < 2n ** BigInt(bits) ? value : undefined;
  },
});

const automaticOr = <T>({ expected, read }: Reader<T>): Reader<'auto' | 'no' | T> => ({
  expected: `auto, no or ${expected}`,
  read: (text) => text === 'auto' || text === 'no' ? text : read(text),
});

/** Solana stores the compute units of a transaction in 32 bits, and the price of a unit in 64. */
const computeUnits = unsignedInteger(32);
const unitPrice = unsignedInteger(64);

const commitment: Reader<Commitment> = {
  expected: 'processed, confirmed or finalized',
  read: (text) => text === 'processed' || text === 'confirmed' || text === 'finalized' ? text : undefined,
};

const publicKey: Reader<string> = {
  expected: 'a public key',
  read: (text) => decodeBase58(text, 32) && text,
};

/**
 * Reads the settings from a flow's environment. Missing and empty variables have their defaults. Throws a NodeError
 * that names all wrong variables without their values, which may be secrets.
 */
export function readTransactionSettings(environment: { readonly [name: string]: string }): TransactionSettings {
  const wrong: string[] = [];
  const setting = <T>(name: string, { expected, read }: Reader<T>): T | undefined => {
    const text = Object.hasOwn(environment, name) ? environment[name] : undefined;
    if (text === undefined || text === '') return undefined;
    const value = read(text);
    if (value === undefined) wrong.push(`${name} must be ${expected}`);
    return value;
  };
  const settings: TransactionSettings = {
    overwriteFeePayer: setting('OVERWRITE_FEEPAYER', publicKey),
    computeBudget: setting('COMPUTE_BUDGET', automaticOr(computeUnits)) ?? 'auto',
    fallbackComputeBudget: setting('FALLBACK_COMPUTE_BUDGET', computeUnits),
    priorityFee: setting('PRIORITY_FEE', automaticOr(unitPrice)) ?? 'auto',
    simulationCommitment: setting('SIMULATION_COMMITMENT_LEVEL', commitment) ?? 'finalized',
    txCommitment: setting('TX_COMMITMENT_LEVEL', commitment) ?? 'confirmed',
    waitCommitment: setting('WAIT_COMMITMENT_LEVEL', commitment) ?? 'confirmed',
    lookupTables: {
      devnet: setting('DEVNET_LOOKUP_TABLE', publicKey),
      'mainnet-beta': setting('MAINNET_LOOKUP_TABLE', publicKey),
    },
  };
  if (wrong.length > 0) throw new NodeError(`wrong in the flow's environment: ${wrong.join('; ')}`);
  return settings;
}
