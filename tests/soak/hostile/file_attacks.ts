import { randomUUID } from 'node:crypto';
import type { Attack } from './attack.ts';
import type { Attacker, Outcome } from './attacker.ts';

/** Returns the folder of the attacker's files. */
function folderOf({ authorization }: Attacker): string {
  const [, claims] = authorization.split('.');
  return (JSON.parse(Buffer.from(claims!, 'base64url').toString()) as { sub: string }).sub;
}

/** Returns a function that stores a file of so many bytes in the attacker's folder. */
function makeUpload(attacker: Attacker): (name: string, bytes: number) => Promise<Outcome> {
  const { authorization, send } = attacker;
  const folder = folderOf(attacker);
  return (name, bytes) =>
    send(`/storage/v1/object/user-storages/${folder}/${name}`, 'x'.repeat(bytes), {
      authorization,
      'content-type': 'text/plain',
    });
}

/** Attacks by files in Storage. */
export const fileAttacks: Attack[] = [
  {
    name: 'files until the quota and beyond it',
    lanes: 4,
    prepare: async (attacker) => {
      const upload = makeUpload(attacker);
      return () => upload(randomUUID(), 9_000_000);
    },
  },
  {
    name: 'lists of a folder with ten thousand files',
    lanes: 8,
    prepare: async (attacker) => {
      const upload = makeUpload(attacker);
      for (let count = 0; count < 10_000; count += 100) {
        await Promise.all(Array.from({ length: 100 }, (_, index) => upload(`many/${count + index}/x`, 1)));
      }
      const sortBy = { column: 'updated_at', order: 'desc' };
      const body = JSON.stringify({ prefix: `${folderOf(attacker)}/many`, limit: 1_000, sortBy });
      return () => attacker.send('/storage/v1/object/list/user-storages', body);
    },
  },
];
