/** Reads bytes in order. */
export interface Reader {
  readonly at: number;
  byte: () => number;
  take: (count: number) => Uint8Array;
  rest: () => Uint8Array;
}

export function reader(bytes: Uint8Array, begin: number): Reader {
  let at = begin;
  const take = (count: number): Uint8Array => {
    if (at + count > bytes.length) throw new Error('the module ends too early');
    at += count;
    return bytes.subarray(at - count, at);
  };
  return {
    get at() {
      return at;
    },
    byte: () => take(1)[0]!,
    take,
    rest: () => take(bytes.length - at),
  };
}

/** Reads an unsigned LEB128 number of up to 32 bits. */
export function readLeb(bytes: Reader): number {
  let number = 0;
  for (let unit = 1;; unit *= 128) {
    const byte = bytes.byte();
    number += (byte & 127) * unit;
    if (byte < 128) return number;
  }
}

/** Reads a LEB128 number without decoding it. */
export function takeLeb(bytes: Reader): number[] {
  const taken: number[] = [];
  do taken.push(bytes.byte()); while (taken.at(-1)! >= 128);
  return taken;
}

/** Writes an unsigned LEB128 number. */
export function leb(number: number): number[] {
  const low = number % 128;
  const high = Math.floor(number / 128);
  return high === 0 ? [low] : [low | 128, ...leb(high)];
}

/** Writes a signed LEB128 number of 32 bits. */
export function signedLeb(number: number): number[] {
  const low = number & 127;
  const high = number >> 7;
  const isLast = high === 0 && low < 64 || high === -1 && low >= 64;
  return isLast ? [low] : [low | 128, ...signedLeb(high)];
}

/** Writes the number of entries, and then the entries. */
export const writeVector = (entries: number[][]): number[] => {
  const written = leb(entries.length);
  for (const entry of entries) for (const byte of entry) written.push(byte);
  return written;
};
