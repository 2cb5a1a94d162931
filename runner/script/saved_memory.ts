export const PAGE_BYTES = 65_536;
/** The number of pages in the sandbox's memory at the beginning. The stack takes 5 MiB of this memory. */
export const FIRST_PAGES = 112;

/** The parts of a memory that are not zero. */
export interface SavedMemory {
  pages: { at: number; bytes: Uint8Array }[];
  /** The length of the memory up to the end of the last of these parts. */
  length: number;
}

const isZero = (bytes: Uint8Array): boolean => {
  const words = new BigUint64Array(bytes.buffer, bytes.byteOffset, bytes.length / 8);
  return words.every((word) => word === 0n);
};

/** Copies a memory, without its pages of zeros. */
export function saveMemory({ buffer }: WebAssembly.Memory): SavedMemory {
  const pages: SavedMemory['pages'] = [];
  for (let at = 0; at < buffer.byteLength; at += PAGE_BYTES) {
    const bytes = new Uint8Array(buffer, at, PAGE_BYTES);
    if (!isZero(bytes)) pages.push({ at, bytes: bytes.slice() });
  }
  const last = pages.at(-1);
  return { pages, length: last === undefined ? 0 : last.at + PAGE_BYTES };
}

/**
 * Restores a saved memory. The memory may have grown since it was saved and can't shrink, so the added part is cleared.
 * The memory must be as long as the saved one. The caller knows that the part `unused` is zero, so this part is not cleared.
 */
export function restoreMemory(
  memory: WebAssembly.Memory,
  saved: SavedMemory,
  unused: { from: number; to: number },
): void {
  const bytes = new Uint8Array(memory.buffer);
  bytes.fill(0, 0, unused.from).fill(0, unused.to);
  for (const page of saved.pages) bytes.set(page.bytes, page.at);
}
