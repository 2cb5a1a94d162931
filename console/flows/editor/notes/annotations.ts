import {
  isObject,
  objectAt,
  type PlainObject,
  type Point,
  readEdge,
  readNode,
  readPosition,
} from '../../../shared/graph/drawn_node.ts';
import { NODE_WIDTH, nodeHeight } from '../../../shared/graph/node_size.ts';
import { connectedPorts } from '../../../shared/graph/shown_ports.ts';
import { type FlowDocument, moveNodes, nodeIdOf } from '../flow_document.ts';

// Notes and groups are nodes of the type `note`. The text of a note and the members of a group are in `data`. Snapshots
// contain neither, so a changed text or group does not count as a change of the flow.

/** The size of a note. */
export const NOTE_SIZE = { width: 260, height: 150 };
/** The distance of a group's frame from its nodes. The height of the title is added above. */
const PADDING = 20;
const TITLE_HEIGHT = 34;

export interface Box extends Point {
  width: number;
  height: number;
}

export const isAnnotation = (json: PlainObject): boolean => objectAt(json, 'data').node_id === 'note';

/** Returns the ids of a group's nodes; undefined for a node that is no group. */
export function membersOf(json: PlainObject): string[] | undefined {
  const { group } = isAnnotation(json) ? objectAt(json, 'data') : {};
  if (!isObject(group)) return undefined;
  return Array.isArray(group.members) ? group.members.filter((id) => typeof id === 'string') : [];
}

/** Returns the text of a note, in Markdown. */
export function textOfNote(json: PlainObject): string {
  const { text } = objectAt(json, 'data');
  return typeof text === 'string' ? text : '';
}

export const withText = (json: PlainObject, text: string): PlainObject => ({
  ...json,
  data: { ...objectAt(json, 'data'), text },
});

/** Makes a group of nodes. A group is stored as a node of the flow. */
export const makeGroup = (members: readonly string[]): PlainObject => ({
  id: crypto.randomUUID(),
  type: 'native',
  position: { x: 0, y: 0 },
  data: {
    type: 'native',
    node_id: 'note',
    version: '0.1',
    unique_node_id: 'note.0.1',
    display_name: 'Group',
    sources: [],
    targets: [],
    targets_form: { form_data: {} },
    group: { members: [...members] },
  },
});

/** Returns the frame around the nodes of a group. A group without nodes stays at its own position. */
export function frameOf({ nodes, edges }: FlowDocument, json: PlainObject): Box {
  const ids = new Set(membersOf(json));
  const connected = connectedPorts(edges.map(readEdge));
  const boxes = nodes.filter((node) => ids.has(nodeIdOf(node)) && membersOf(node) === undefined).map((node) => {
    const { x, y } = readPosition(node) ?? { x: 0, y: 0 };
    const size = isAnnotation(node) ? NOTE_SIZE : { width: NODE_WIDTH, height: nodeHeight(readNode(node), connected) };
    return { left: x, top: y, right: x + size.width, bottom: y + size.height };
  });
  if (boxes.length === 0) return { ...readPosition(json) ?? { x: 0, y: 0 }, ...NOTE_SIZE };
  const x = Math.min(...boxes.map(({ left }) => left)) - PADDING;
  const y = Math.min(...boxes.map(({ top }) => top)) - PADDING - TITLE_HEIGHT;
  return {
    x,
    y,
    width: Math.max(...boxes.map(({ right }) => right)) + PADDING - x,
    height: Math.max(...boxes.map(({ bottom }) => bottom)) + PADDING - y,
  };
}

/** Moves nodes to their places in `places`. If a group moves, its nodes that have no place in `places` move with it. */
export function moveWithGroups(document: FlowDocument, places: ReadonlyMap<string, Point>): FlowDocument {
  const all = new Map(places);
  const positions = new Map(document.nodes.map((json) => [nodeIdOf(json), readPosition(json) ?? { x: 0, y: 0 }]));
  for (const json of document.nodes) {
    const place = places.get(nodeIdOf(json));
    const members = place && membersOf(json);
    if (place === undefined || members === undefined) continue;
    const { x, y } = frameOf(document, json);
    for (const id of members) {
      const from = positions.get(id);
      if (from !== undefined && !places.has(id)) all.set(id, { x: from.x + place.x - x, y: from.y + place.y - y });
    }
  }
  return moveNodes(document, all);
}
