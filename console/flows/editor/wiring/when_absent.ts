import { type DrawnInput, isObject, objectAt, type PlainObject } from '../../../shared/graph/drawn_node.ts';

const targetsOf = (json: PlainObject): unknown[] => {
  const { targets } = objectAt(json, 'data');
  return Array.isArray(targets) ? targets : [];
};

const isTarget = (port: unknown, inputId: string): port is PlainObject => isObject(port) && port.id === inputId;

/** Sets whether a node runs if this input gets no value. */
export const withWhenAbsent = (json: PlainObject, inputId: string, runs: boolean): PlainObject => ({
  ...json,
  data: {
    ...objectAt(json, 'data'),
    targets: targetsOf(json).map((port) => {
      if (!isTarget(port, inputId)) return port;
      const { when_absent: _, ...rest } = port;
      return runs ? { ...rest, when_absent: 'run' } : rest;
    }),
  },
});

/**
 * Tests whether the user can choose if the node runs without a value of this input. A node without effects always runs
 * without an optional value, and no node runs without a required value, so neither leaves a choice.
 */
export function mayRunWhenAbsent(json: PlainObject, { isRequired, runsWhenAbsent }: DrawnInput): boolean {
  const { effects, node_id } = objectAt(json, 'data');
  const hasEffects = effects === 'idempotent' || effects === 'once' || node_id === 'interflow';
  return runsWhenAbsent || (hasEffects && !isRequired);
}
