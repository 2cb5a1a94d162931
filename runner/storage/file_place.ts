import { nodeLimits } from '../../types/limits/nodes.ts';
import { codedError } from '../../types/run_errors.ts';
import { NodeError } from '../engine/node.ts';
import type { FileName } from '../engine/owner_files.ts';

/** A file or folder in a bucket. In a user bucket, the path begins with the owner's folder. */
export interface FilePlace {
  bucket: string;
  path: string;
}

/** The default bucket. Its files can be read only through signed URLs. */
const PRIVATE_BUCKET = 'user-storages';
/** The bucket of files that anybody who knows their URL may read. */
const PUBLIC_BUCKET = 'user-public-storages';

/** The buckets in which each owner has the folder `<owner id>/`. */
const USER_BUCKETS: ReadonlySet<string> = new Set([PRIVATE_BUCKET, PUBLIC_BUCKET]);

export const isUserBucket = (bucket: string): boolean => USER_BUCKETS.has(bucket);

/** The owner whose files are reached, and the buckets that all owners share. */
export interface BucketAccess {
  /** The UUID of the flow's owner, as the database writes it. */
  ownerId: string;
  /** The buckets that the flows of all owners may use. */
  sharedBuckets: ReadonlySet<string>;
}

/** A UUID in the only form in which it names a folder: lower case, with hyphens. */
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Matches a character that a path must not have, because Storage accepts only the characters in this list. The list
 * lacks `%`, `\`, NUL and all letters beyond ASCII, so no path can be decoded or normalised to another path. Source:
 * Supabase documentation, "Storage error codes", InvalidKey; Amazon S3, "Safe characters".
 */
const OTHER_CHARACTER = /[^\w/!\-.*'() &$@=;:+,?]/u;

const MAX_CHARACTERS = nodeLimits.storage_key_characters.value;

const denied = (text: string): NodeError => new NodeError(codedError('storage_denied', text));

/**
 * Returns the names on the way to a file. Slashes at both ends are dropped, and repeated slashes count as one, as in
 * supabase-js.
 */
function namesOf(input: 'key' | 'path', text: string): string[] {
  if (text.length > MAX_CHARACTERS) throw new NodeError(`${input}: has more than ${MAX_CHARACTERS} characters`);
  const other = OTHER_CHARACTER.exec(text)?.[0];
  if (other !== undefined) {
    throw new NodeError(`${input}: Storage does not take the character ${JSON.stringify(other)}`);
  }
  const names = text.split('/').filter((name) => name !== '');
  for (const name of names) {
    // Servers and URL parsers resolve names such as `..`, and some systems drop spaces and dots at the ends of a name.
    if (/^[. ]+$/.test(name) || name.startsWith(' ') || name.endsWith(' ')) {
      throw new NodeError(`${input}: the name ${JSON.stringify(name)} can't be used`);
    }
  }
  return names;
}

/** Makes the place of a file from its path in the owner's folder. Without a path, makes the place of that folder. */
function placeInBucket(bucket: string, names: string[], { ownerId, sharedBuckets }: BucketAccess): FilePlace {
  if (!UUID.test(ownerId)) throw new Error('the owner of the run has no UUID');
  if (!isUserBucket(bucket) && !sharedBuckets.has(bucket)) {
    throw denied(`flows may not use the bucket ${JSON.stringify(bucket.slice(0, 100))}`);
  }
  const path = (isUserBucket(bucket) ? [ownerId, ...names] : names).join('/');
  if (path.length > MAX_CHARACTERS) {
    throw new NodeError(`the path with the owner's folder has more than ${MAX_CHARACTERS} characters`);
  }
  return { bucket, path };
}

/** Makes the place of a file from its key, `<bucket>/<owner id>/<path>`. */
function placeOfKey(key: string, access: BucketAccess): FilePlace {
  const [bucket, ...names] = namesOf('key', key);
  if (bucket === undefined) throw new NodeError('key: names no file');
  const ownNames = isUserBucket(bucket) ? names.slice(1) : names;
  const place = placeInBucket(bucket, ownNames, access);
  if (isUserBucket(bucket) && names[0] !== access.ownerId) {
    throw denied("the key lies outside the folder of the flow's owner");
  }
  if (ownNames.length === 0) throw new NodeError('key: names no file');
  return place;
}

/** Finds the file that the inputs of a node name. Throws a NodeError if the owner's flows may not reach it. */
export function findFile({ key = '', bucket = '', path = '' }: FileName, access: BucketAccess): FilePlace {
  if (key !== '') {
    if (bucket !== '' || path !== '') throw new NodeError('give either key, or bucket and path');
    return placeOfKey(key, access);
  }
  const names = namesOf('path', path);
  if (names.length === 0) throw new NodeError('give key or path');
  return placeInBucket(bucket === '' ? PRIVATE_BUCKET : bucket, names, access);
}

/** Finds a folder. Without a path, it is the owner's folder, or the whole of a shared bucket. */
export const findFolder = (bucket: string, path: string | undefined, access: BucketAccess): FilePlace =>
  placeInBucket(bucket, namesOf('path', path ?? ''), access);

/** Returns the key of a file, by which other nodes can name it. */
export const keyOf = ({ bucket, path }: FilePlace): string => `${bucket}/${path}`;

/** Writes a place as the end of a URL. Throws if a URL parser would read another place from this URL. */
export function urlPathOf({ bucket, path }: FilePlace): string {
  const encoded = [bucket, ...path.split('/')].map(encodeURIComponent).join('/');
  const { pathname, search, hash } = new URL(`http://localhost/${encoded}`);
  if (pathname !== `/${encoded}` || search !== '' || hash !== '') {
    throw new Error('a URL parser would change the path');
  }
  return encoded;
}

/**
 * Words that the Storage API uses in the place of a bucket's name, as in `object/authenticated/<bucket>/<path>`. A
 * shared bucket with such a name would give access to the files of all other buckets. Source: Supabase Storage API, its
 * routes below `/object/`.
 */
const ROUTES = new Set(['authenticated', 'copy', 'info', 'list', 'list-v2', 'move', 'public', 'sign', 'upload']);

/**
 * Tests whether an operator may list a bucket as shared. The operator may not list a user bucket, because the flows of
 * all owners could then use the whole bucket.
 */
export const isShareable = (bucket: string): boolean =>
  /^[A-Za-z0-9][\w.-]{0,99}$/.test(bucket) && !isUserBucket(bucket) && !ROUTES.has(bucket.toLowerCase());
