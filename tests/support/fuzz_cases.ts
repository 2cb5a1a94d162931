const factor = Number(process.env['FUZZ_CASES'] ?? 1);
if (!(factor > 0)) throw new Error(`FUZZ_CASES must be a number greater than 0, not '${process.env['FUZZ_CASES']}'`);

/**
 * Returns the number of cases that a test generates: the usual number times `FUZZ_CASES`. Each run of the tests
 * generates the same cases. To find something new, set `FUZZ_SEED` or generate more cases.
 */
export const fuzzCases = (usual: number): number => Math.ceil(usual * factor);
