/**
 * True if the tests that take minutes run, too: `LONG_TESTS=1 npm test`. They try tools of the project (soak, bench,
 * uploads, new nodes, the recipe of the hosted guide), draw every node definition in a browser, measure the slots of
 * workers with hundreds of runs, compare requests of described nodes with those of other libraries, let the official
 * clients of models talk to the provider of the tests, and run the conformance suite of MCP. Run them after a change of
 * what they try.
 */
export const runsLongTests = process.env['LONG_TESTS'] === '1';

/** The test files of which all tests take long. */
export const LONG_TEST_FILES = [
  'tests/console/definitions.test.ts',
  'tests/durability/fair_slots.test.ts',
  'tests/hosted/recipe.test.ts',
  'tests/http/mcp_conformance.test.ts',
  'tests/tools/new_node.test.ts',
];
