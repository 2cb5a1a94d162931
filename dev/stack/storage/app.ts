import { type Context, Hono } from 'hono';
import { sign, verify } from 'hono/jwt';
import { z } from 'zod';
import { readClaims } from './callers.ts';
import type { ObjectStore, StoredObject } from './object_store.ts';
import { readPlace } from './places.ts';
import { invalidRequest, invalidToken, ofCaller, StorageError } from './storage_error.ts';
import { readUpload } from './uploads.ts';

const listBody = z.object({
  prefix: z.string().max(1_024).default(''),
  search: z.string().max(1_024).default(''),
  limit: z.number().int().min(1).max(1_000).default(100),
  offset: z.number().int().min(0).default(0),
  sortBy: z.object({
    column: z.enum(['name', 'created_at', 'updated_at', 'last_accessed_at']).default('name'),
    order: z.enum(['asc', 'desc']).default('asc'),
  }).default({ column: 'name', order: 'asc' }),
});
const removeBody = z.object({ prefixes: z.array(z.string()).min(1).max(1_000) });
const signBody = z.object({ expiresIn: z.number().int().min(1), transform: z.object({}).loose().optional() });

async function readBody<T>(request: Request, schema: z.ZodType<T>): Promise<T> {
  const json: unknown = await request.json().catch(() => undefined);
  const { success, data, error } = schema.safeParse(json);
  if (success) return data;
  const [issue] = error.issues;
  throw invalidRequest(`body/${issue?.path.join('/') ?? ''} ${issue?.message ?? 'is invalid'}`);
}

/** Returns the path of a request without its first `words` segments. The returned path is still encoded. */
const pathAfter = (c: Context, words: number): string =>
  new URL(c.req.url).pathname.split('/').slice(words + 1).join('/');

/** Writes a name for a header. Source: RFC 8187, section 3.2.1. */
const headerName = (name: string): string =>
  encodeURIComponent(name).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

/** Browsers must not run scripts in a file of a user, because the file has the origin of the console. */
const SAFE_HEADERS = { 'content-security-policy': "default-src 'none'; sandbox", 'x-content-type-options': 'nosniff' };

/** Makes the answer with an object's bytes. The URL parameter `download` makes browsers save the file. */
function send(store: ObjectStore, object: StoredObject, c: Context): Response {
  const { metadata, name } = object;
  const download = c.req.query('download');
  const saveAs = download === undefined ? undefined : headerName(download || name.split('/').at(-1)!);
  return new Response(c.req.method === 'HEAD' ? null : store.read(object), {
    headers: {
      'content-type': metadata.mimetype,
      'content-length': String(metadata.size),
      'cache-control': metadata.cacheControl,
      'last-modified': new Date(metadata.lastModified).toUTCString(),
      etag: metadata.eTag,
      ...saveAs !== undefined && { 'content-disposition': `attachment; filename*=UTF-8''${saveAs}` },
      ...SAFE_HEADERS,
    },
  });
}

/** The Storage API, for the methods of `storage.from(…)` that the nodes of flows need. Paths begin with `/object`. */
export function makeStorageApp(store: ObjectStore, jwtSecret: string): Hono {
  const app = new Hono();
  const claimsOf = (c: Context) => readClaims(c.req.raw, jwtSecret);

  app.get('/object/public/*', async (c) => send(store, await store.findPublic(readPlace(pathAfter(c, 2))), c));

  app.get('/object/sign/*', async (c) => {
    const place = readPlace(pathAfter(c, 2));
    let url: unknown;
    try {
      ({ url } = await verify(c.req.query('token') ?? '', jwtSecret, 'HS256'));
    } catch (error) {
      throw invalidToken(error instanceof Error && error.name === 'JwtTokenExpired' ? 'jwt expired' : 'Invalid JWT');
    }
    if (url !== `${place.bucket}/${place.name}`) throw new StorageError(400, 'InvalidSignature', 'Invalid signature');
    return send(store, await store.findSigned(place), c);
  });

  app.post('/object/sign/*', async (c) => {
    const claims = await claimsOf(c);
    const place = readPlace(pathAfter(c, 2));
    const { expiresIn, transform } = await readBody(c.req.raw, signBody);
    if (transform !== undefined) {
      throw new StorageError(400, 'FeatureNotEnabled', 'feature not enabled for this tenant');
    }
    await store.find(place, claims);
    const iat = Math.floor(Date.now() / 1_000);
    const url = `${place.bucket}/${place.name}`;
    const token = await sign({ url, iat, exp: iat + expiresIn }, jwtSecret, 'HS256');
    return c.json({ signedURL: `/object/sign/${url.split('/').map(encodeURIComponent).join('/')}?token=${token}` });
  });

  app.get('/object/info/*', async (c) => {
    const { id, bucket_id, name, version, metadata, created_at } = await store.find(
      readPlace(pathAfter(c, 2)),
      await claimsOf(c),
    );
    return c.json({
      id,
      name,
      version,
      bucket_id,
      size: metadata.size,
      content_type: metadata.mimetype,
      cache_control: metadata.cacheControl,
      etag: metadata.eTag,
      metadata: {},
      last_modified: metadata.lastModified,
      created_at,
    });
  });

  app.post('/object/list/:bucket', async (c) => {
    const claims = await claimsOf(c);
    const { prefix, search, limit, offset, sortBy } = await readBody(c.req.raw, listBody);
    const listing = {
      prefix: prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`,
      search,
      limit,
      offset,
      column: sortBy.column,
      isDescending: sortBy.order === 'desc',
    };
    return c.json(await store.list(c.req.param('bucket'), listing, claims));
  });

  app.delete('/object/:bucket', async (c) => {
    const claims = await claimsOf(c);
    const { prefixes } = await readBody(c.req.raw, removeBody);
    return c.json(await store.remove(c.req.param('bucket'), prefixes, claims));
  });

  app.get(
    '/object/authenticated/*',
    async (c) => send(store, await store.find(readPlace(pathAfter(c, 2)), await claimsOf(c)), c),
  );
  app.get('/object/*', async (c) => send(store, await store.find(readPlace(pathAfter(c, 1)), await claimsOf(c)), c));

  app.on(['POST', 'PUT'], '/object/*', async (c) => {
    const claims = await claimsOf(c);
    const place = readPlace(pathAfter(c, 1));
    const Id = await store.put(place, await readUpload(c.req.raw), claims);
    return c.json({ Id, Key: `${place.bucket}/${place.name}` });
  });

  app.notFound((c) => {
    const message = `Route ${c.req.method}:${c.req.path} not found`;
    return c.json({ message, error: 'Not Found', statusCode: 404 }, 404);
  });
  app.onError((thrown) => {
    const error = ofCaller(thrown);
    if (error instanceof StorageError) return error.toResponse();
    console.error(error);
    return new StorageError(500, 'Internal', 'Internal Server Error').toResponse();
  });
  return app;
}
