import type { NodeExample } from '../../../types/node_example.ts';

const examples = import.meta.glob<NodeExample>('../../../runner/nodes/*/example.json', { import: 'default' });

const notes = import.meta.glob<string>('../../../runner/nodes/*/notes.md', { query: '?raw', import: 'default' });

/** The folder of a native node in the project. */
const folderOf = (nodeId: string): string => nodeId.startsWith('rhai_script') ? 'rhai_script' : nodeId;

const exampleFile = (nodeId: string): string => `../../../runner/nodes/${folderOf(nodeId)}/example.json`;

export const isNativeNode = (nodeId: string): boolean => Object.hasOwn(examples, exampleFile(nodeId));

/** Loads the example of a native node; undefined for any other node. */
export const nativeExample = (nodeId: string): Promise<NodeExample> | undefined => examples[exampleFile(nodeId)]?.();

/** Loads the notes of a native node, in Markdown; undefined for a node without notes. */
export const nativeNotes = (nodeId: string): Promise<string> | undefined =>
  notes[`../../../runner/nodes/${folderOf(nodeId)}/notes.md`]?.();
