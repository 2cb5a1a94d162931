/** Formats a number: `100000` → `100,000`. */
export const countText = (count: number): string => count.toLocaleString('en-US');

/** Formats a size: `16777216` → `16 MiB`. A size that is not a whole number of KiB is written in bytes. */
export function sizeText(bytes: number): string {
  for (const [unit, size] of [['GiB', 2 ** 30], ['MiB', 2 ** 20], ['KiB', 2 ** 10]] as const) {
    if (bytes >= size && bytes % size === 0) return `${bytes / size} ${unit}`;
  }
  return `${countText(bytes)} bytes`;
}
