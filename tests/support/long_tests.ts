/**
 * True if the tests that try a tool for minutes run, too: the soak, the bench, and the type check of every upload. Set
 * `LONG_TESTS=1` after a change of such a tool.
 */
export const runsLongTests = process.env['LONG_TESTS'] === '1';
