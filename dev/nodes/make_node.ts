import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StackError } from '../stack/stack_error.ts';

const USAGE = 'npm run nodes:new -- <node_id>';
const MAX_ID_LENGTH = 64;

/** `my_node` → `myNodeNode`, the name under which a node's module is exported. */
const exportName = (nodeId: string): string => `${nodeId.replace(/_+(.)/g, (_, letter) => letter.toUpperCase())}Node`;

/** `my_node` → `My Node`. */
const displayName = (nodeId: string): string =>
  nodeId.split('_').map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(' ');

const definition = (nodeId: string) => ({
  type: 'native',
  data: {
    node_id: nodeId,
    version: '0.1',
    display_name: displayName(nodeId),
    description: '',
    effects: 'none',
    tags: [],
  },
  sources: [{ name: 'output', type: 'free', tooltip: '' }],
  targets: [{ name: 'input', type_bounds: ['free'], required: true, tooltip: '' }],
});

const example = { says: 'Gives its input.', inputs: { input: 3 }, outputs: { output: 3 } };

const indexSource = (nodeId: string) =>
  `import { type NodeModule, requireInput } from '../../engine/node.ts';
import definition from './definition.json' with { type: 'json' };

/** Outputs its input. */
export const ${exportName(nodeId)}: NodeModule = {
  definition,
  run: ({ inputs }) => ({ output: requireInput(inputs, 'input') }),
};
`;

const testSource = (nodeId: string) =>
  `import { expect, it } from 'vitest';
import { runNode } from '../../../tests/support/node_call.ts';
import { ${exportName(nodeId)} } from './index.ts';

it('${nodeId} outputs its input, and fails without one', async () => {
  expect(await runNode(${exportName(nodeId)}, { input: { U: '3' } })).toEqual({ output: { U: '3' } });
  await expect(runNode(${exportName(nodeId)}, {})).rejects.toThrow('missing field \`input\`');
});
`;

/**
 * Inserts a line in the order of names: before the first matching line with a later name, otherwise after the last
 * matching line.
 */
function insertLine(lines: string[], line: string, name: string, pattern: RegExp): string[] {
  const places = lines.flatMap((text, index) => {
    const found = pattern.exec(text)?.[1];
    return found === undefined ? [] : [{ index, found }];
  });
  const last = places.at(-1);
  if (last === undefined) throw new StackError(`registry.ts has no line like ${pattern}: add the node by hand.`);
  const place = places.find(({ found }) => found > name)?.index ?? last.index + 1;
  return lines.toSpliced(place, 0, line);
}

/** Returns the source of the registry with the node added. */
function addToRegistry(source: string, nodeId: string): string {
  const name = exportName(nodeId);
  if (source.split(/\W/).includes(name)) {
    throw new StackError(
      `Another node has the name ${name} already. Choose an id that differs in more than underscores.`,
    );
  }
  const importLine = `import { ${name} } from './${nodeId}/index.ts';`;
  const withImport = insertLine(source.split('\n'), importLine, nodeId, /^import .* from '\.\/([^/']+)\//);
  return insertLine(withImport, `  ${name},`, name, /^ {2}(\w+Node),$/).join('\n');
}

const nextSteps = (nodeId: string) => `
Next:
  runner/nodes/${nodeId}/index.ts         what it does
  runner/nodes/${nodeId}/definition.json  its name, description and ports, as editors show them
  runner/nodes/${nodeId}/example.json     an example with values, for the reference and the editor
  npm test -- nodes/${nodeId}/                      its test, which needs no stack
  npm run docs                                      lists it in docs/reference/nodes.md
  npm run check                                     format, types and all else that must hold
  npm start                                         adds the definition to the local database and runs the node
  npm run nodes:publish -- --url … --key …          adds it to another project`;

/**
 * Makes the folder of a native node that returns its input as its output, and adds the node to the registry. Returns a
 * message about the changes.
 */
export function makeNode([nodeId, ...rest]: string[], projectDir: string): string {
  if (rest.length > 0) throw new StackError(USAGE);
  if (nodeId === undefined || nodeId.length > MAX_ID_LENGTH || !/^[a-z][A-Za-z0-9]*(_[A-Za-z0-9]+)*$/.test(nodeId)) {
    throw new StackError(
      `${USAGE}\n\nA node_id is a name such as my_node: a small letter, then letters, digits and single _, ` +
        `${MAX_ID_LENGTH} at most.`,
    );
  }
  const nodesDir = join(projectDir, 'runner/nodes');
  const registryFile = join(nodesDir, 'registry.ts');
  // The comparison ignores case, because some file systems do.
  const folder = readdirSync(nodesDir).find((name) => name.toLowerCase() === nodeId.toLowerCase());
  if (folder !== undefined) throw new StackError(`There is a node ${folder} already: runner/nodes/${folder}`);
  // The new registry is made before any file is written, so that an unreadable registry leaves no half of a node
  // behind.
  const registry = addToRegistry(readFileSync(registryFile, 'utf8'), nodeId);
  const files = {
    'definition.json': `${JSON.stringify(definition(nodeId), null, 2)}\n`,
    'example.json': `${JSON.stringify(example, null, 2)}\n`,
    'index.ts': indexSource(nodeId),
    'index.test.ts': testSource(nodeId),
  };
  mkdirSync(join(nodesDir, nodeId));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(nodesDir, nodeId, name), content);
  writeFileSync(registryFile, registry);
  return [
    ...Object.keys(files).map((name) => `Wrote runner/nodes/${nodeId}/${name}`),
    'Added it to runner/nodes/registry.ts',
    nextSteps(nodeId),
  ].join('\n');
}
