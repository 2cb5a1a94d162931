import { getMimeType } from 'hono/utils/mime';
import type { FileUpload } from '../engine/owner_files.ts';
import { NodeError } from '../engine/node.ts';

/** A media type with parameters. Source: RFC 9110, section 8.3.1. */
const CONTENT_TYPE = /^[\w!#$&^.+-]{1,100}\/[\w!#$&^.+-]{1,100}(;[\x20-\x7e]{1,200})?$/;

/**
 * Returns the content type of a file to store. Prefers the given type. If no type is given, takes the type for the ending
 * of the file's name, or else the type for a text or for bytes.
 */
export function contentTypeOf(path: string, { contentType, isText }: FileUpload): string {
  if (contentType === undefined) {
    return getMimeType(path) ?? (isText ? 'text/plain; charset=utf-8' : 'application/octet-stream');
  }
  if (!CONTENT_TYPE.test(contentType)) throw new NodeError('content_type: must be a media type, such as image/png');
  return contentType;
}
