import type { NewObject } from './object_store.ts';
import { invalidRequest } from './storage_error.ts';

/** Returns the file of a form, as browsers send it: the first field that is a file. */
async function readForm(request: Request): Promise<{ bytes: Uint8Array; type: string; cacheControl: unknown }> {
  const form = await request.formData().catch(() => undefined);
  const file = [...form?.values() ?? []].find((field) => typeof field !== 'string');
  if (form === undefined || file === undefined) throw invalidRequest('the form has no file');
  return {
    bytes: new Uint8Array(await file.arrayBuffer()),
    type: file.type || 'application/octet-stream',
    cacheControl: form.get('cacheControl'),
  };
}

/** Reads an upload: the body itself, or the file of a form. The gateway has already checked the size of the body. */
export async function readUpload(request: Request): Promise<NewObject> {
  const { headers, method } = request;
  const contentType = headers.get('content-type') ?? 'application/octet-stream';
  const { bytes, type, cacheControl } = contentType.startsWith('multipart/form-data') ? await readForm(request) : {
    bytes: new Uint8Array(await request.arrayBuffer()),
    type: contentType,
    cacheControl: headers.get('cache-control')?.replace(/^max-age=/, ''),
  };
  const seconds = typeof cacheControl === 'string' && /^\d{1,9}$/.test(cacheControl) ? cacheControl : undefined;
  return {
    bytes,
    type,
    cacheControl: seconds === undefined ? 'no-cache' : `max-age=${seconds}`,
    upsert: method === 'PUT' || headers.get('x-upsert') === 'true',
  };
}
