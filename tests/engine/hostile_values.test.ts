import fc from 'fast-check';
import { expect, it } from 'vitest';
import { NodeError } from '../../runner/engine/node.ts';
import { nodeIds, nodeRegistry } from '../../runner/nodes/registry.ts';
import { ConversionError } from '../../types/values/conversion.ts';
import { decodeValueMap, type Value, ValueError, type ValueMap } from '../../types/values/value.ts';
import { fuzzCases } from '../support/fuzz_cases.ts';
import { runNode } from '../support/node_call.ts';
import { anyValue } from '../support/values.ts';

/** The classes of errors that tell the author of a flow what is wrong. */
const KNOWN_ERRORS = [NodeError, ConversionError, ValueError];

/** Nodes that use services. The tests of these nodes try hostile services. */
const USE_SERVICES = new RegExp(
  '^(api_input|das_api|flow_run_info|get_balance|http_request|interflow|kv_|postgrest_execute_query|' +
    'request_airdrop|rhai_|sql_function|storage_|wait)',
);

const tested = nodeIds().flatMap((id) => {
  const module = nodeRegistry(id)!;
  return 'run' in module && !USE_SERVICES.test(id) ? [{ id, module }] : [];
});

const nested = (levels: number): Value => Array.from({ length: levels }).reduce<Value>((A) => ({ A: [A] }), { N: 0 });

const hostile = fc.constantFrom<Value>(
  { S: '__proto__' },
  { S: 'constructor' },
  { S: 'a'.repeat(100_000) },
  { S: '((((((((((' },
  { S: '🦊\ud7ff' },
  { F: 'NaN' },
  { F: '-inf' },
  { U: '18446744073709551615' },
  { I: '-9223372036854775808' },
  { D: '-79228162514264337593543950335' },
  { D: '0.0000000000000000000000000001' },
  nested(60),
  { A: Array.from({ length: 10_000 }, (_, index) => ({ U: String(index) })) },
  { M: JSON.parse('{"__proto__":{"N":0},"constructor":{"S":"x"}}') },
);

it('there are nodes to test', () => expect(tested.length).toBeGreaterThan(30));

it.each(tested)('$id answers hostile values with outputs or an error for the author', async ({ module }) => {
  const value = fc.oneof(hostile, anyValue);
  const names = module.definition.targets.map(({ name }) => name);
  const inputs = fc.record(Object.fromEntries(names.map((name) => [name, value])), { requiredKeys: [] });
  await fc.assert(
    fc.asyncProperty(inputs, async (given) => {
      const outputs: ValueMap | Error = await runNode(module, given as ValueMap).catch((error: Error) => error);
      if (outputs instanceof Error) {
        expect(KNOWN_ERRORS.some((known) => outputs instanceof known), String(outputs.stack)).toBe(true);
      } else expect(decodeValueMap(outputs)).toEqual(outputs);
    }),
    { numRuns: fuzzCases(40) },
  );
});
