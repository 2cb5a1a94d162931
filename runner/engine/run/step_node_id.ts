const PRIME = 0x1000000000000000000013bn;
const OFFSET = 0x6c62272e07bb014262b821756295c58dn;

/** FNV-1a with 128 bits. The ids need no secrecy, only few collisions among the steps of one run. */
function hashOf(text: string): bigint {
  let hash = OFFSET;
  for (const byte of new TextEncoder().encode(text)) hash = BigInt.asUintN(128, (hash ^ BigInt(byte)) * PRIME);
  return hash;
}

/** Makes the id of a step's node from the id of the calling node and the name of the step: a UUID of version 8. */
export function stepNodeId(callerId: string, name: string): string {
  const digits = hashOf(`${callerId}/${name}`).toString(16).padStart(32, '0');
  const variant = '89ab'[Number.parseInt(digits.slice(16, 17), 16) % 4];
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-8${digits.slice(13, 16)}-${variant}${digits.slice(17, 20)}-${
    digits.slice(20)
  }`;
}
