import fc from 'fast-check';

/**
 * Properties are asked of the same random values in every run, so that a red test is red again. Others are asked with
 * `FUZZ_SEED=N npm test`; a property that fails prints its seed.
 */
const seed = Number(process.env['FUZZ_SEED'] ?? 20_261_121);
if (!Number.isSafeInteger(seed)) throw new Error(`FUZZ_SEED is an integer, not '${process.env['FUZZ_SEED']}'`);
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });
