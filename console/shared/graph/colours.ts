/** The parts of a colour, each 0 to 255. */
function channels(hex: string): [number, number, number] {
  const digits = hex.length === 4 ? hex.slice(1).replace(/./g, '$&$&') : hex.slice(1);
  const number = Number.parseInt(digits, 16);
  return [number >> 16, (number >> 8) & 255, number & 255];
}

/** The relative luminance of WCAG 2, 0 to 1. */
function luminance(hex: string): number {
  const [red, green, blue] = channels(hex).map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Returns black or white, whichever is more readable on a colour. The contrast is at least 4.5 on every colour. */
export const textOn = (hex: string): '#000000' | '#ffffff' => luminance(hex) > 0.179 ? '#000000' : '#ffffff';
