const factor = Number(process.env['FUZZ_CASES'] ?? 1);
if (!(factor > 0)) throw new Error(`FUZZ_CASES is a number greater than 0, not '${process.env['FUZZ_CASES']}'`);

/**
 * Returns the number of cases that a test generates: the usual number times `FUZZ_CASES`. Every run generates the same
 * cases, so more of them find nothing new; to search further, set `FUZZ_SEED` or generate more.
 */
export const fuzzCases = (usual: number): number => Math.ceil(usual * factor);
