import { existsSync, readFileSync } from 'node:fs';
import { parse } from 'lossless-json';
import { expect, test } from 'vitest';
import { runNode } from '../../tests/support/node_call.ts';
import { type NodeExample, nodeExampleSchema } from '../../types/node_example.ts';
import { fromReadableJson, toReadableJson } from '../../types/values/json/readable_json.ts';
import type { LosslessJson, Value } from '../../types/values/value.ts';
import type { NodeModule } from '../engine/node.ts';
import { nodeIds, nodeRegistry } from './registry.ts';

/**
 * Nodes without effects that this test can't run alone. Their outputs come from services, from the engine or from
 * chance.
 */
const NOT_ALONE = new Set([
  'ai_agent',
  'ai_chat',
  'api_input',
  'collect',
  'flow_input',
  'flow_output',
  'flow_run_info',
  'foreach',
  'generate_keypair',
  'get_balance',
  'interflow',
  'interflow_instructions',
  'kv_read_item',
  'random',
  'storage_create_signed_url',
  'storage_download',
  'storage_get_file_metadata',
  'storage_get_public_url',
  'storage_list',
  'wait',
  'wallet',
]);

const lossless = (json: unknown): LosslessJson => parse(JSON.stringify(json)) as LosslessJson;

/**
 * Converts a value of an example to one of the types of an input or output. Fails if the value fits none of these
 * types.
 */
function valueOf(name: string, json: unknown, types: readonly string[]): Value {
  const value = fromReadableJson(lossless(json), types, true);
  expect(value, `${name} of ${types.join(' or ')}`).toBeDefined();
  return value!;
}

function readExample(folder: string): NodeExample {
  const file = new URL(`./${folder}/example.json`, import.meta.url);
  expect(existsSync(file), `runner/nodes/${folder}/example.json`).toBe(true);
  return nodeExampleSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
}

const ids = nodeIds().filter((id) => !id.startsWith('rhai_script_'));

test.for(ids)('the example of %s fits the ports of the node, and has the outputs that the node gives', async (id) => {
  const { form = {}, inputs, outputs } = readExample(id);
  // SAFETY: every module of a node that runs alone has `run`.
  const module = nodeRegistry(id) as NodeModule;
  const { definition: { data, sources, targets }, takesPortsFromFlow } = module;
  const inputTypes = new Map(targets.map(({ name, type_bounds }) => [name, type_bounds]));
  const outputTypes = new Map([
    ...sources.map(({ name, type }): [string, string[]] => [name, [type]]),
    ...targets.filter(({ passthrough }) => passthrough === true)
      .map(({ name, type_bounds }): [string, string[]] => [name, type_bounds]),
  ]);
  const isNamedByFlow = takesPortsFromFlow !== undefined || inputTypes.has('') || outputTypes.has('');
  for (const name of Object.keys(inputs)) expect(isNamedByFlow || inputTypes.has(name), name).toBe(true);
  for (const name of Object.keys(outputs)) expect(isNamedByFlow || outputTypes.has(name), name).toBe(true);
  const required = targets.filter((target) => target.required === true && target.name !== '').map(({ name }) => name);
  expect(Object.keys(inputs)).toEqual(expect.arrayContaining(required));

  const read = Object.entries(inputs).map(([name, json]): [string, Value] => [
    name,
    valueOf(name, json, inputTypes.get(name) ?? ['free']),
  ]);
  for (const [name, json] of Object.entries(outputs)) valueOf(name, json, outputTypes.get(name) ?? ['free']);
  if (NOT_ALONE.has(id) || data.effects !== 'none') return;
  const result = await runNode(module, Object.fromEntries(read), {
    formData: lossless(form),
    inputNames: [...new Set([...inputTypes.keys(), ...Object.keys(inputs)])],
    outputNames: [...new Set([...outputTypes.keys(), ...Object.keys(outputs)])],
  });
  const readable = Object.entries(result).map(([name, value]) => [
    name,
    toReadableJson(value, outputTypes.get(name) ?? ['free']),
  ]);
  expect(Object.fromEntries(readable)).toEqual(outputs);
});
