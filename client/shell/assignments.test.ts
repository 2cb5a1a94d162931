import { expect, it } from 'vitest';
import type { DeploymentDescription, DeploymentInput } from '../flow_client.ts';
import { readAssignments, readJsonValue } from './assignments.ts';

const NUMERIC = { anyOf: [{ type: 'integer' }, { type: 'string', pattern: '^[0-9]{1,20}$' }] };
const schemas: Record<string, [schema: object, fallback?: unknown]> = {
  u64: [NUMERIC],
  f64: [{ type: 'number' }],
  bool: [{ type: 'boolean' }],
  text: [{ type: 'string' }],
  map: [{ type: 'object' }],
  list: [{ type: 'array' }],
  listOrText: [{ anyOf: [{ type: 'array' }, { type: 'string' }] }],
  any: [{}],
  anyNumber: [{}, 2],
  anyBoolean: [{}, false],
  size: [{ enum: ['7', 8] }],
  either: [{ anyOf: [{ type: 'boolean' }, { type: 'string' }] }],
};
const inputs = Object.entries(schemas).map(([name, [json_schema, fallback = null]]) =>
  ({ name, json_schema, default: fallback, type_bounds: [name] }) as Partial<DeploymentInput> as DeploymentInput
);
const read = (...args: string[]) => readAssignments(args, async () => ({ inputs }) as DeploymentDescription);

it.each([
  ['u64=7', 7],
  ['u64=18446744073709551615', '18446744073709551615'],
  ['f64=1.5', 1.5],
  ['f64=-1e3', -1000],
  ['bool=true', true],
  ['text=7', '7'],
  ['text=', ''],
  ['text=a=b', 'a=b'],
  ['any=7', 7],
  ['size=7', '7'],
  ['size=8', 8],
  ['any=1.50', 1.5],
  ['any=007', '007'],
  ['anyNumber=007', 7],
  ['any=[1,2,3]', [1, 2, 3]],
  ['any={"a":[1.5,"x"]}', { a: [1.5, 'x'] }],
  ['any=[1,2', '[1,2'],
  ['any=true', 'true'],
  ['any=1 or 2', '1 or 2'],
  ['list=[1,2,3]', [1, 2, 3]],
  ['list= [ ]', []],
  ['map={"a":[1]}', { a: [1] }],
  ['listOrText=[1]', [1]],
  ['listOrText={"a":1}', '{"a":1}'],
  ['text=[1,2,3]', '[1,2,3]'],
  ['text={"a":1}', '{"a":1}'],
  ['anyNumber=7', 7],
  ['anyNumber=seven', 'seven'],
  ['anyBoolean=true', true],
  ['either=true', true],
  ['either=maybe', 'maybe'],
  ['map:={"a":[1]}', { a: [1] }],
  ['anything:=null', null],
])('%s is %j', async (argument, value) => {
  const { values, inputs } = await read(argument);
  expect([Object.values(values), Object.keys(inputs)]).toEqual([[value], []]);
});

it('converts JSON to a plain value in which integers keep all their digits', () => {
  expect(readJsonValue('{"a": [1.50, 18446744073709551615, null, "x"]}')).toEqual({
    a: [1.5, 18446744073709551615n, null, 'x'],
  });
  expect(() => readJsonValue('0.12345678901234567890123')).toThrow(/^:= takes JSON: .* has more digits than a number/);
  expect(() => readJsonValue('yes')).toThrow(/^:= takes JSON/);
});

it.each([
  ['any=18446744073709551615', { U: '18446744073709551615' }],
  ['any=0.1234567890123456789', { D: '0.1234567890123456789' }],
  ['anyNumber=18446744073709551615', { U: '18446744073709551615' }],
  ['any=[18446744073709551615, 1]', { A: [{ U: '18446744073709551615' }, expect.anything()] }],
  ['list=[0.1234567890123456789]', { A: [{ D: '0.1234567890123456789' }] }],
  ['map={"a": 18446744073709551615}', { M: { a: { U: '18446744073709551615' } } }],
])('%s keeps all its digits', async (argument, value) => {
  const { values, inputs } = await read(argument);
  expect([Object.values(inputs), Object.keys(values)]).toEqual([[value], []]);
});

it('sends JSON with more digits than a JavaScript number holds as a tagged value', async () => {
  expect(await read('a:=[18446744073709551615]')).toEqual({
    values: {},
    inputs: { a: { A: [{ U: '18446744073709551615' }] } },
  });
});

it.each([
  ['u64=seven', /u64=seven must be u64\./],
  ['bool=yes', /bool=yes must be bool/],
  ['map=x', /map=x must be map, as JSON\./],
  ['map=[1]', /map=\[1\] must be map, as JSON/],
  ['map={"a"', /^map takes JSON/],
  ['list={}', /must be list, as JSON/],
  ['other=1', /has no input other; it has u64, f64/],
  ['__proto__=1', /has no input __proto__/],
  ['=1', /=1 must be key=value/],
  [':=1', /:=1 has no key/],
  ['a:=', /a:= takes JSON/],
  [`a:=${'['.repeat(100)}`, /nested deeper/],
])('%s is refused', async (argument, says) => {
  await expect(read(argument)).rejects.toThrow(says);
});

it('reads the types of the deployment only if a value is not JSON', async () => {
  const never = () => Promise.reject(new Error('asked'));
  await readAssignments(['a:=1'], never);
  await expect(readAssignments(['a=1'], never)).rejects.toThrow('asked');
});
