import { expect, it } from 'vitest';
import { createFlowClient } from '../create_flow_client.ts';

it('lists all flows, in as many requests as PostgREST needs', async () => {
  const ids = Array.from({ length: 2_001 }, (_, index) => 3 * index + 1);
  const asked: string[] = [];
  const client = createFlowClient({
    url: 'https://project.example',
    key: 'sb_publishable_x',
    fetch: async (input) => {
      const { search, searchParams } = new URL(String(input));
      asked.push(search);
      const after = Number(searchParams.get('id')!.slice('gt.'.length));
      return Response.json(ids.filter((id) => id > after).slice(0, 1_000).map((id) => ({ id })));
    },
  });
  expect((await client.flows()).map(({ id }) => id)).toEqual(ids);
  expect(asked).toHaveLength(3);
});
