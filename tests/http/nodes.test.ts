import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { nodeDefinitionSchema } from '../../types/node_definition.ts';
import { asStored, definitionOf, fixtureDefinitions, sharedDefinitions } from '../support/node_definitions.ts';
import { makeDefinition, merge, nodeId, post, readBy } from '../support/nodes.ts';
import { type Person, signUp } from '../support/people.ts';
import { rest, type RestRequest } from '../support/rest.ts';
import { asSuperuser } from '../support/tokens.ts';

let service: RestRequest;
let user: Person;
let other: Person;
let publisher: Person;

beforeAll(async () => {
  service = { apikey: inject('stack').SERVICE_ROLE_KEY };
  [user, other, publisher] = await Promise.all([signUp(), signUp(), signUp()]);
  await asSuperuser((sql) => sql`insert into private.node_publishers values (${publisher.id})`);
});

describe('POST /rest/v1/nodes', () => {
  it.each(fixtureDefinitions)('accepts the fixture %s and reads it back equal', async (_name, definition) => {
    const posted = await post(definition as never, { token: user.token });
    const [read] = (await rest(`nodes?id=eq.${posted.id}`, { token: user.token })).body;
    expect(definitionOf(read)).toEqual(asStored(definition));
    expect(nodeDefinitionSchema.safeParse(definitionOf(read)).success).toBe(true);
  });

  it.skipIf(sharedDefinitions.length === 0)('accepts all shared definitions and reads them back equal', async () => {
    expect(sharedDefinitions.length).toBeGreaterThanOrEqual(60);
    for (const [, definition] of sharedDefinitions) {
      const posted = await post(definition as never, { token: other.token });
      const [read] = (await rest(`nodes?id=eq.${posted.id}`, { token: other.token })).body;
      expect(definitionOf(read)).toEqual(asStored(definition));
    }
  });

  it('answers 201 to a first post and 200 to a repeated one without a change', async () => {
    const definition = makeDefinition();
    const first = await post(definition, service);
    for (const query of ['', '?on_conflict=owner_key,node_id,version']) {
      const { status, body } = await rest(`nodes${query}`, { body: definition, ...service, headers: merge });
      expect([status, body]).toEqual([200, [first]]);
    }
  });

  it('merges a repeated post column by column', async () => {
    const definition = makeDefinition();
    const first = await post(definition, service);
    const { 'targets_form.extra': kept, ...others } = definition;
    const changed = { ...others, type: 'custom', sources: [{ name: 'only', type: 'free' }] };
    const { status, body } = await rest('nodes', { body: changed, ...service, headers: merge });
    expect(status).toBe(200);
    expect(definitionOf(body[0])).toEqual({ ...changed, 'targets_form.extra': kept });
    expect([body[0].id, body[0].created_at]).toEqual([first.id, first.created_at]);
    expect(Date.parse(body[0].updated_at)).toBeGreaterThan(Date.parse(first.updated_at));
  });

  it('refuses a repeated post with 409 without Prefer: resolution, and can ignore it with one', async () => {
    const definition = makeDefinition();
    await post(definition, service);
    expect(await rest('nodes', { body: definition, ...service })).toMatchObject({
      status: 409,
      body: { code: '23505' },
    });
    const ignored = await rest('nodes', {
      body: { ...definition, type: 'custom' },
      ...service,
      headers: { prefer: 'resolution=ignore-duplicates,return=representation' },
    });
    expect([ignored.status, ignored.body]).toEqual([201, []]);
    expect(await readBy(service, definition)).toMatchObject([{ type: 'native' }]);
  });

  it('stores several definitions, all or none', async () => {
    const many = Array.from({ length: 50 }, () => makeDefinition());
    expect((await rest('nodes', { body: many, ...service })).status).toBe(201);
    const more = Array.from({ length: 3 }, () => makeDefinition());
    const bad = { ...more[2], sources: [{ name: 'a' }] };
    const refused = await rest('nodes', { body: [more[0], more[1], bad], ...service });
    expect(refused).toMatchObject({ status: 400, body: { code: 'node_definition_invalid' } });
    expect(refused.body.hint).toContain(nodeId(more[2]!));
    expect(await readBy(service, more[0]!)).toEqual([]);
  });

  it("ignores a payload's values for columns that the database sets", async () => {
    const definition = makeDefinition();
    const kept = {
      id: randomUUID(),
      user_id: other.id,
      is_public: true,
      owner_key: other.id,
      node_id: 'another',
      version: '9',
      created_at: '2001-01-01T00:00:00Z',
      updated_at: '2001-01-01T00:00:00Z',
    };
    const row = await post({ ...definition, ...kept }, { token: user.token });
    expect(row).toMatchObject({
      user_id: user.id,
      is_public: false,
      owner_key: user.id,
      node_id: nodeId(definition),
      version: '0.1',
    });
    expect(row.id).not.toBe(kept.id);
    expect(Date.parse(row.created_at)).toBeGreaterThan(Date.now() - 60_000);
    expect(row.updated_at).toBe(row.created_at);
    const { status } = await rest(`nodes?id=eq.${row.id}`, { method: 'PATCH', body: kept, token: user.token });
    expect(status).toBe(204);
    expect(await readBy({ token: user.token }, definition)).toEqual([row]);
  });

  it("copies another user's public definition as a whole row", async () => {
    const original = await post(makeDefinition(), service);
    const copy = await post(original, { token: user.token });
    expect(copy).toMatchObject({ ...definitionOf(original), user_id: user.id, is_public: false });
    expect(copy.id).not.toBe(original.id);
  });

  it('updates the key columns when data.node_id and data.version change', async () => {
    const definition = makeDefinition();
    const row = await post(definition, { token: user.token });
    const data = { ...definition.data as object, version: '0.2' };
    const { body } = await rest(`nodes?id=eq.${row.id}`, {
      method: 'PATCH',
      body: { data },
      token: user.token,
      headers: { prefer: 'return=representation' },
    });
    expect(body).toMatchObject([{ id: row.id, version: '0.2', data }]);
  });

  it("refuses a publisher's definition if it is already public", async () => {
    const definition = makeDefinition();
    await post(definition, service);
    const { status, body } = await rest('nodes', { body: definition, token: publisher.token, headers: merge });
    expect([status, body.code]).toEqual([409, '23505']);
    expect(body.message).toContain('nodes_node_id_version_public_idx');
  });
});

describe('supabase-js', () => {
  it('upserts definitions, one or many, and reads them whole', async () => {
    const [one, two] = [makeDefinition(), makeDefinition()];
    const nodes = () => user.client.from('nodes');
    for (const expected of [201, 200]) {
      const { error, status } = await nodes().upsert(one);
      expect([error, status]).toEqual([null, expected]);
    }
    // Only the first row has the third form column; the union of the columns is written.
    const { 'targets_form.extra': _left, ...without } = two;
    const upserted = await nodes().upsert([one, without], { onConflict: 'owner_key,node_id,version' }).select('*');
    expect(upserted.error).toBeNull();
    expect(upserted.data!.map(definitionOf)).toEqual([one, { ...without, 'targets_form.extra': null }]);
  });

  it('writes back a whole row, changed or unchanged', async () => {
    const definition = makeDefinition();
    await user.client.from('nodes').insert(definition).throwOnError();
    const read = async () =>
      (await user.client.from('nodes').select('*').eq('node_id', nodeId(definition)).single().throwOnError()).data;
    const row = await read();
    await user.client.from('nodes').upsert(row).throwOnError();
    await user.client.from('nodes').update(row).eq('id', row.id).throwOnError();
    expect(await read()).toEqual(row);
    const data = { ...row.data as object, description: 'Changed' };
    await user.client.from('nodes').upsert({ ...row, data }).throwOnError();
    expect(await read()).toEqual({ ...row, data, updated_at: expect.not.stringContaining(row.updated_at) });
  });

  it('reads and filters columns with a dot in their names by double quotes', async () => {
    const definition = makeDefinition();
    await user.client.from('nodes').insert(definition).throwOnError();
    const filtered = await user.client.from('nodes')
      .select(
        'node_id, "targets_form.json_schema", extra:"targets_form.extra", title:"targets_form.json_schema"->>title',
      )
      .eq('node_id', nodeId(definition))
      .not('"targets_form.extra"', 'is', null)
      .filter('"targets_form.json_schema"->>type', 'eq', 'object')
      .order('"targets_form.ui_schema"' as 'type');
    expect(filtered.error).toBeNull();
    expect(filtered.data).toEqual([{
      node_id: nodeId(definition),
      'targets_form.json_schema': definition['targets_form.json_schema'],
      extra: definition['targets_form.extra'],
      title: 'Complete',
    }]);
    const unquoted = await user.client.from('nodes').select('targets_form.json_schema');
    expect(unquoted.status).toBe(400);
  });
});
