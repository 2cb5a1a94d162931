import type { NodeModule, NodeRegistry } from '../engine/node.ts';
import { constNode } from './const/index.ts';
import { flowInputNode } from './flow_input/index.ts';
import { flowOutputNode } from './flow_output/index.ts';
import { rhaiScriptNodes } from './rhai_script/index.ts';
import { toStringNode } from './to_string/index.ts';

/** Every native node; a new one is a folder beside this file and a line here. A folder may make several. */
const modules: NodeModule[] = [
  constNode,
  flowInputNode,
  flowOutputNode,
  ...rhaiScriptNodes,
  toStringNode,
];

const byId = new Map(
  modules.map((module) => [module.definition.data.node_id, module]),
);

/** Finds a native node by its node_id. */
export const nodeRegistry: NodeRegistry = (nodeId) => byId.get(nodeId);

/** The ids of all native nodes. */
export const nodeIds = (): string[] => [...byId.keys()];
