import type { DeploymentInput } from 'flow-deployments-client';
import { expect, test } from 'vitest';
import { linkWithValues, MAX_LINK_CHARACTERS, readLinkValues } from './link_values.ts';

const input = (name: string, type: string, json_schema: object): DeploymentInput =>
  ({ name, type_bounds: [type], required: true, default: null, description: '', json_schema }) as DeploymentInput;

const INPUTS = [
  input('item', 'string', { type: 'string' }),
  input('count', 'u64', { type: 'integer', minimum: 0 }),
  input('key', 'keypair', { type: 'string' }),
];

const PAGE = 'https://example.com/console/start/7';

test('a copied link gives its values to the form again, but no secret', () => {
  const link = linkWithValues(`${PAGE}#inputs=old`, { item: 'tea & "cake" #1 %', count: 3, key: 'secret' }, INPUTS)!;
  expect(link).not.toContain('secret');
  expect(readLinkValues(new URL(link).hash, INPUTS)).toEqual({
    values: { item: 'tea & "cake" #1 %', count: 3 },
    remarks: [],
  });
  expect(linkWithValues(PAGE, {}, INPUTS)).toBe(PAGE);
  expect(linkWithValues(PAGE, { item: 'a'.repeat(MAX_LINK_CHARACTERS) }, INPUTS)).toBeUndefined();
});

test.for(
  [
    ['', 0],
    ['#other', 0],
    ['#inputs=%7B%22item%22%3A5%7D', 1],
    ['#inputs=%7B%22unknown%22%3A5%7D', 1],
    ['#inputs=%7B%22key%22%3A%22abc%22%7D', 1],
    ['#inputs=%7B%22__proto__%22%3A%7B%22item%22%3A%22a%22%7D%7D', 1],
    ['#inputs=[1]', 1],
    ['#inputs=%E0%A4%A', 1],
    [`#inputs=${'a'.repeat(MAX_LINK_CHARACTERS + 1)}`, 1],
  ] as const,
)('the values of the address %s are left out', ([hash, remarks]) => {
  const link = readLinkValues(hash, INPUTS);
  expect([link.values, link.remarks.length]).toEqual([{}, remarks]);
});
