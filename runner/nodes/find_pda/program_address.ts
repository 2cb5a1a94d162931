import { ed25519 } from '@noble/curves/ed25519.js';

/** The most bytes that a seed may have. */
export const MAX_SEED_LENGTH = 32;

const MARKER = new TextEncoder().encode('ProgramDerivedAddress');

/**
 * Tests whether the bytes are a point of the curve, so that a secret key may exist for them. Validators also decode by
 * ZIP 215.
 */
function isOnCurve(bytes: Uint8Array): boolean {
  try {
    ed25519.Point.fromBytes(bytes, true);
    return true;
  } catch {
    return false;
  }
}

/**
 * Finds the program-derived address of a Solana program and its seeds. Each seed has at most 32 bytes. The address is
 * the SHA-256 of seeds, bump, program and a marker. The bump is the greatest for which this hash is not on the curve.
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
  throw new Error('no bump from 0 to 255 gives an address off the curve');
}
