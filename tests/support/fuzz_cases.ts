const factor = Number(process.env['FUZZ_CASES'] ?? 1);
if (!(factor > 0)) throw new Error(`FUZZ_CASES is a number greater than 0, not '${process.env['FUZZ_CASES']}'`);

/**
 * How many cases a test generates: so many as usual, times `FUZZ_CASES`. Every run generates the same ones, so that many of
 * them are asked again and again for nothing: who looks for what none of them shows sets `FUZZ_SEED` or generates more.
 */
export const fuzzCases = (usual: number): number => Math.ceil(usual * factor);
