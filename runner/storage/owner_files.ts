import { isObject, isStorable } from '../../types/values/value.ts';
import { nodeLimits } from '../../types/limits/nodes.ts';
import { type HttpClient, NodeError } from '../engine/node.ts';
import type { OwnerFiles, UrlOptions } from '../engine/owner_files.ts';
import { contentTypeOf } from './content_type.ts';
import { type BucketAccess, findFile, findFolder, isUserBucket, keyOf, urlPathOf } from './file_place.ts';
import type { CheckFileQuota } from './file_quota.ts';
import { readStorageProject } from './project.ts';
import { makeStorageApi, type StorageApi } from './storage_api.ts';

const LISTED_NAMES = nodeLimits.storage_listed_names.value;

/** The beginning of a signed URL's path, for a file or for an image that Storage transforms. */
const SIGNED_ROUTE = /^\/(object|render\/image)\/sign\//;

/**
 * The most characters of a URL that Storage may sign. A path has at most 1,024 characters, each of which takes up to 3
 * characters in the URL.
 */
const MAX_URL_CHARACTERS = 8_192;

const unexpected = (): NodeError => new NodeError('Storage answered with an unknown form of JSON');

const isText = (value: unknown): value is string => typeof value === 'string' && isStorable(value);

/** Reads the name in one entry of a list. If the entry is a folder, Storage gives null as its id. */
function listedName(entry: unknown): string {
  if (!isObject(entry) || !isText(entry.name)) throw unexpected();
  return entry.id === null ? `${entry.name}/` : entry.name;
}

/**
 * Adds the parameter `download`, which makes browsers save the file, to a signed URL. The signature does not cover this
 * parameter.
 */
function addDownload(url: string, download: UrlOptions['download']): string {
  if (download === false) return url;
  const parsed = new URL(url);
  parsed.searchParams.append('download', download === true ? '' : download);
  return parsed.href;
}

function readSignedUrl(answer: unknown, api: StorageApi): string {
  const path = isObject(answer) ? answer.signedURL : undefined;
  if (!isText(path) || !SIGNED_ROUTE.test(path) || path.length > MAX_URL_CHARACTERS) throw unexpected();
  return api.publicUrlOf(path.slice(1));
}

/** The environment and services of an owner's files. */
interface OwnerFilesOptions extends BucketAccess {
  /** A client that reaches the project even at a private address. */
  http: HttpClient;
  env: (name: string) => string | undefined;
  /** Throws if the owner has no room for a file of this size. */
  checkQuota: CheckFileQuota;
}

/**
 * Makes the files of a flow's owner. The requests carry the project's secret key, to which row-level security does not
 * apply. Therefore each method first finds the place that the owner may use, and makes requests only to that place.
 */
export function makeOwnerFiles({ http, env, checkQuota, ...access }: OwnerFilesOptions): OwnerFiles {
  const makeApi = () => makeStorageApi(http, readStorageProject(env));

  return {
    upload: async (file, upload, signal) => {
      const place = findFile(file, access);
      const contentType = contentTypeOf(place.path, upload);
      if (isUserBucket(place.bucket)) await checkQuota(place, upload.bytes.length);
      await makeApi().call({
        ...place,
        method: 'POST',
        route: 'object',
        headers: [['content-type', contentType], ['x-upsert', String(upload.overwrite)]],
        body: upload.bytes,
        signal,
      });
      return { key: keyOf(place), contentType };
    },
    download: async (file, maxResponseBytes, signal) => {
      const place = findFile(file, access);
      const { body, headers } = await makeApi().call({
        ...place,
        method: 'GET',
        route: 'object',
        maxResponseBytes,
        signal,
      });
      return { bytes: body, contentType: headers['content-type'] ?? 'application/octet-stream' };
    },
    list: async ({ bucket, path }, signal) => {
      const folder = findFolder(bucket, path, access);
      const answer = await makeApi().callForJson({
        bucket: folder.bucket,
        method: 'POST',
        route: 'object/list',
        body: {
          // The slash excludes folders whose names begin with the name of this folder but are longer.
          prefix: folder.path === '' ? '' : `${folder.path}/`,
          limit: LISTED_NAMES,
          offset: 0,
          sortBy: { column: 'name', order: 'asc' },
        },
        signal,
      });
      if (!Array.isArray(answer) || answer.length > LISTED_NAMES) throw unexpected();
      return { names: answer.map(listedName), isCut: answer.length === LISTED_NAMES };
    },
    remove: async (file, signal) => {
      const place = findFile(file, access);
      await makeApi().call({
        bucket: place.bucket,
        method: 'DELETE',
        route: 'object',
        body: { prefixes: [place.path] },
        signal,
      });
      return keyOf(place);
    },
    signUrl: async (file, { expiresInSeconds: expiresIn, transform, download }, signal) => {
      const place = findFile(file, access);
      const api = makeApi();
      const answer = await api.callForJson({
        ...place,
        method: 'POST',
        route: 'object/sign',
        body: { expiresIn, transform },
        signal,
      });
      return addDownload(readSignedUrl(answer, api), download);
    },
    publicUrl: (file) => makeApi().publicUrlOf(`object/public/${urlPathOf(findFile(file, access))}`),
    metadata: async (file, signal) => {
      const place = findFile(file, access);
      const answer = await makeApi().callForJson({ ...place, method: 'GET', route: 'object/info', signal });
      if (!isObject(answer) || !isText(answer.content_type) || !isText(answer.last_modified)) throw unexpected();
      return { key: keyOf(place), contentType: answer.content_type, lastModified: answer.last_modified };
    },
  };
}
