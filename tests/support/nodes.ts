import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { Database } from '../../types/database.types.ts';
import { fixtureDefinitions, type JsonObject } from './node_definitions.ts';
import { rest, type RestRequest } from './rest.ts';

type NodeRow = Database['public']['Tables']['nodes']['Row'];
export type NodeInsert = Database['public']['Tables']['nodes']['Insert'];

/** Headers of an upsert that returns the row. */
export const merge = { prefer: 'resolution=merge-duplicates,return=representation' };

const [, complete] = fixtureDefinitions.find(([name]) => name === 'complete')!;

/** Makes the complete fixture under a new node_id. */
export const makeDefinition = (changes: JsonObject = {}): NodeInsert =>
  // SAFETY: every fixture is a definition; JsonObject is only less exact.
  ({
    ...complete,
    data: { ...complete.data as JsonObject, node_id: `test_${randomUUID()}` },
    ...changes,
  }) as unknown as NodeInsert;

export const nodeId = (definition: NodeInsert): string => (definition.data as { node_id: string }).node_id;

/** Posts a new definition and returns its row. */
export async function post(definition: NodeInsert, credential: RestRequest): Promise<NodeRow> {
  const headers = { ...merge, ...credential.headers };
  const { status, body } = await rest('nodes', { body: definition, ...credential, headers });
  expect({ status, ...(status >= 300 && { body }) }).toEqual({ status: 201 });
  return body[0];
}

/** Reads the rows of a definition's node_id that a credential may see. */
export const readBy = async (credential: RestRequest, definition: NodeInsert): Promise<NodeRow[]> =>
  (await rest(`nodes?node_id=eq.${nodeId(definition)}`, credential)).body;
