import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { Sql } from '../postgres/postgres.ts';
import { asCaller, type StorageClaims, type Transaction } from './callers.ts';
import { checkName, type Place } from './places.ts';
import { noBucket, noObject, tooLarge, wrongType } from './storage_error.ts';

/** The data of a stored object, under Storage's names. */
interface ObjectMetadata {
  eTag: string;
  size: number;
  mimetype: string;
  cacheControl: string;
  lastModified: string;
  contentLength: number;
  httpStatusCode: number;
}

/** A row of storage.objects. */
export interface StoredObject {
  id: string;
  bucket_id: string;
  name: string;
  version: string;
  metadata: ObjectMetadata;
  created_at: Date;
  updated_at: Date;
  last_accessed_at: Date;
}

/** An object to store. */
export interface NewObject {
  bytes: Uint8Array;
  type: string;
  cacheControl: string;
  upsert: boolean;
}

interface Bucket {
  public: boolean;
  file_size_limit: string | null;
  allowed_mime_types: string[] | null;
}

/** The order in which a request lists a folder, and the part of the list that it asks for. */
interface Listing {
  prefix: string;
  search: string;
  limit: number;
  offset: number;
  column: 'name' | 'created_at' | 'updated_at' | 'last_accessed_at';
  isDescending: boolean;
}

/**
 * Stores objects. Their rows are in the database, where policies protect them. The bytes of each version are in a file
 * whose name is a UUID, so that no name that a caller has chosen becomes a path.
 */
export function makeObjectStore(sql: Sql, dir: string) {
  const fileOf = (version: string) => join(dir, version);
  const removeFiles = (versions: string[]) =>
    Promise.all(versions.map((version) => rm(fileOf(version), { force: true })));

  const findBucket = async (id: string): Promise<Bucket> => {
    const [bucket] = await sql<Bucket[]>`
      select public, file_size_limit, allowed_mime_types from storage.buckets where id = ${id}`;
    if (bucket === undefined) throw noBucket();
    return bucket;
  };
  const findObject = async (tx: Sql | Transaction, { bucket, name }: Place): Promise<StoredObject> => {
    const [object] = await tx<StoredObject[]>`
      select * from storage.objects where bucket_id = ${bucket} and name = ${name}`;
    if (object === undefined) throw noObject();
    return object;
  };

  return {
    /** Finds an object that the caller may read. */
    find: async (place: Place, claims: StorageClaims) => {
      await findBucket(place.bucket);
      return await asCaller(sql, claims, (tx) => findObject(tx, place));
    },

    /** Finds an object of a public bucket. */
    findPublic: async (place: Place) => {
      if (!(await findBucket(place.bucket)).public) throw noBucket();
      return await findObject(sql, place);
    },

    /** Finds an object without checking the caller, because a signed URL already grants access. */
    findSigned: async (place: Place) => await findObject(sql, place),

    /** Returns the id of the stored object. */
    put: async (place: Place, { bytes, type, cacheControl, upsert }: NewObject, claims: StorageClaims) => {
      checkName(place.name);
      const bucket = await findBucket(place.bucket);
      if (bucket.file_size_limit !== null && bytes.length > Number(bucket.file_size_limit)) throw tooLarge();
      if (bucket.allowed_mime_types !== null && !bucket.allowed_mime_types.includes(type)) throw wrongType(type);
      const version = randomUUID();
      const metadata: ObjectMetadata = {
        eTag: `"${createHash('md5').update(bytes).digest('hex')}"`,
        size: bytes.length,
        mimetype: type,
        cacheControl,
        lastModified: new Date().toISOString(),
        contentLength: bytes.length,
        httpStatusCode: 200,
      };
      await mkdir(dir, { recursive: true });
      await writeFile(fileOf(version), bytes, { mode: 0o600 });
      try {
        const { id, replaced } = await asCaller(sql, claims, async (tx) => {
          const former = upsert
            ? await tx<{ version: string }[]>`
                select version from storage.objects
                where bucket_id = ${place.bucket} and name = ${place.name} for update`
            : [];
          const ownerId = typeof claims.sub === 'string' ? claims.sub : null;
          const onConflict = upsert
            ? tx`on conflict (bucket_id, name) do update
                set version = excluded.version, metadata = excluded.metadata, updated_at = now()`
            : tx``;
          const [row] = await tx<{ id: string }[]>`
            insert into storage.objects (bucket_id, name, owner_id, version, metadata)
            values (${place.bucket}, ${place.name}, ${ownerId}, ${version}, ${tx.json({ ...metadata })})
            ${onConflict} returning id`;
          return { id: row!.id, replaced: former.map((one) => one.version) };
        });
        await removeFiles(replaced);
        return id;
      } catch (error) {
        await removeFiles([version]);
        throw error;
      }
    },

    /** Deletes the objects that the caller may delete, and returns them. */
    remove: async (bucket: string, names: string[], claims: StorageClaims) => {
      await findBucket(bucket);
      const removed = await asCaller(sql, claims, (tx) =>
        tx<StoredObject[]>`
          delete from storage.objects where bucket_id = ${bucket} and name = any(${names}::text[]) returning *`);
      await removeFiles(removed.map(({ version }) => version));
      return removed;
    },

    /**
     * Lists the objects and folders in a folder. The entry of a folder has no id. The index of the names finds the
     * folder, also under the policies: they allow it comparisons only, and no `starts_with`.
     */
    list: async (bucket: string, listing: Listing, claims: StorageClaims) => {
      const { prefix, search, limit, offset, column, isDescending } = listing;
      await findBucket(bucket);
      const order = (tx: Transaction, of: string) => tx`order by ${tx(of)} ${isDescending ? tx`desc` : tx`asc`}, name`;
      return await asCaller(sql, claims, (tx) =>
        tx`
          with below as not materialized (
            select *, substr(name, ${prefix.length + 1}::integer) as rest from storage.objects
            where bucket_id = ${bucket} and name >= ${prefix + search} and name < ${prefix + search} || chr(1114111)
          )
          select * from (
            (
              select rest as name, id, updated_at, created_at, last_accessed_at, metadata from below
              where strpos(rest, '/') = 0 ${order(tx, `below.${column}`)} limit ${limit + offset}
            )
            union all
            select distinct split_part(rest, '/', 1), null::uuid, null::timestamptz, null::timestamptz,
              null::timestamptz, null::jsonb from below
            where strpos(rest, '/') > 0
          ) entries
          ${order(tx, column)} limit ${limit} offset ${offset}`);
    },

    /** Opens the bytes of an object. */
    // SAFETY: both streams have the same methods; the types of Node and of the DOM are declared apart.
    read: ({ version }: StoredObject) => Readable.toWeb(createReadStream(fileOf(version))) as ReadableStream,
  };
}

export type ObjectStore = ReturnType<typeof makeObjectStore>;
