import { inject } from 'vitest';
import { connect } from '../../dev/stack/postgres/postgres.ts';
import { quotas } from '../../types/limits/quotas.ts';
import type { Person } from './people.ts';

/** Stores the row of a file that leaves so many bytes of the person's quota of files. */
export async function fillFiles({ id }: Person, freeBytes: number): Promise<void> {
  const sql = connect(inject('stack').SUPERUSER_URL, { max: 1 });
  try {
    await sql`
      insert into storage.objects (bucket_id, name, version, metadata)
      values ('user-storages', ${`${id}/filling`}, 'none', ${sql.json({ size: quotas.file_bytes.value - freeBytes })})`;
  } finally {
    await sql.end();
  }
}
