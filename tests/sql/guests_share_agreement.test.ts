import { expect, it } from 'vitest';
import { guestsShare } from '../../types/start_limits.ts';
import { cloneDatabase } from '../support/database.ts';

it('the console shows the share of guests that the database computes', async () => {
  const database = await cloneDatabase();
  const limits = [0, 1, 3, 1_200, 2_000, 60_000];
  const rows = await database.connect()`
    select private.share_of_limit('guests', l.value)::integer as share
    from unnest(${limits}::integer[]) with ordinality as l (value, position) order by l.position`;
  await database.close();
  expect(rows.map(({ share }) => share)).toEqual(limits.map(guestsShare));
});
