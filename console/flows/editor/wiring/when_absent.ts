import { type DrawnInput, isObject, objectAt, type PlainObject } from '../../../shared/graph/drawn_node.ts';

const targetsOf = (json: PlainObject): unknown[] => {
  const { targets } = objectAt(json, 'data');
  return Array.isArray(targets) ? targets : [];
};

const isTarget = (port: unknown, inputId: string): port is PlainObject => isObject(port) && port.id === inputId;

/** Sets the word by which a node runs if this input gets no value. */
export const withWhenAbsent = (json: PlainObject, inputId: string, word: DrawnInput['whenAbsent']): PlainObject => ({
  ...json,
  data: {
    ...objectAt(json, 'data'),
    targets: targetsOf(json).map((port) => {
      if (!isTarget(port, inputId)) return port;
      const { when_absent: _, ...rest } = port;
      return word === undefined ? rest : { ...rest, when_absent: word };
    }),
  },
});

/** True if the node may have effects, as far as the JSON of the flow tells. */
export function mayAct(json: PlainObject): boolean {
  const { effects, node_id } = objectAt(json, 'data');
  return effects === 'idempotent' || effects === 'once' || node_id === 'interflow' || node_id === 'api_input';
}

/**
 * Describes what the node does without a word for this input, if the edge into the input gives no value. `isOnly` tells
 * whether no other input of the node has an edge.
 */
export function describeWithoutWord(json: PlainObject, { isRequired }: DrawnInput, isOnly: boolean): string {
  const { node_id } = objectAt(json, 'data');
  if (node_id === 'collect' || node_id === 'merge') return 'By the rule of the node';
  return mayAct(json) || isRequired || isOnly ? 'Do not run' : 'Run if another edge gives a value';
}
