import { invalidKey } from './storage_error.ts';

/** An object's bucket and name. */
export interface Place {
  bucket: string;
  name: string;
}

/** The characters that the hosted API takes in names. */
const NAME = /^[\w/!\-.*'() &$@=;:+,?]+$/;
const MAX_CHARACTERS = 1_024;

/** Checks the name of an object to store. */
export function checkName(name: string): void {
  if (name.length > MAX_CHARACTERS || !NAME.test(name) || name.endsWith('/')) throw invalidKey(name.slice(0, 100));
}

/** Reads bucket and name from the end of a path, which is still percent-encoded. */
export function readPlace(encoded: string): Place {
  let decoded: string;
  try {
    decoded = decodeURIComponent(encoded);
  } catch {
    throw invalidKey(encoded.slice(0, 100));
  }
  const slash = decoded.indexOf('/');
  if (slash < 1 || slash === decoded.length - 1) throw invalidKey(decoded.slice(0, 100));
  return { bucket: decoded.slice(0, slash), name: decoded.slice(slash + 1) };
}
