import fc from 'fast-check';

/**
 * The seed of generated values. It is the same in every run, so that a red test stays red. `FUZZ_SEED=N npm test`
 * generates other values. A failing property prints its seed.
 */
const seed = Number(process.env['FUZZ_SEED'] ?? 20_261_121);
if (!Number.isSafeInteger(seed)) throw new Error(`FUZZ_SEED must be an integer, not '${process.env['FUZZ_SEED']}'`);
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });
