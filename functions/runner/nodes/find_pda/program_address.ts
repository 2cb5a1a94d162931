import { ed25519 } from '@noble/curves/ed25519.js';

/** Bytes that a seed may have. */
export const MAX_SEED_LENGTH = 32;

const MARKER = new TextEncoder().encode('ProgramDerivedAddress');

/** Whether the bytes are a public key that somebody may hold the secret key of. By ZIP 215, as the validators decide it. */
function isOnCurve(bytes: Uint8Array): boolean {
  try {
    ed25519.Point.fromBytes(bytes, true);
    return true;
  } catch {
    return false;
  }
}

/**
 * The program-derived address of a Solana program and its seeds, of at most 32 bytes each: the first SHA-256 of seeds, bump, program
 * and a marker that is no public key, counting the bump down from 255.
 */
export async function findProgramAddress(
  programId: Uint8Array,
  seeds: Uint8Array[],
): Promise<{ address: Uint8Array; bump: number }> {
  for (let bump = 255; bump >= 0; bump--) {
    const preimage = new Uint8Array([...seeds.flatMap((seed) => [...seed]), bump, ...programId, ...MARKER]);
    const address = new Uint8Array(await crypto.subtle.digest('SHA-256', preimage));
    if (!isOnCurve(address)) return { address, bump };
  }
  throw new Error('no bump gives an address off the curve');
}
