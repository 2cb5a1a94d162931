/** Returns the entity tag of an answer: a hash of its text. */
export async function etagOf(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return `"${Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')}"`;
}

/**
 * Tests whether an If-None-Match header lists the tag, or is `*`. A weak form of the tag also matches, because a proxy
 * that compresses an answer makes its tag weak. Source: RFC 9110, section 13.1.2.
 */
export const matchesEtag = (header: string | undefined, etag: string): boolean =>
  header !== undefined &&
  header.split(',').map((tag) => tag.trim()).some((tag) => tag === '*' || tag === etag || tag === `W/${etag}`);
