import { type Credential, type HttpResponse, NodeError } from '../engine/node.ts';
import { TransientError } from '../engine/failures/transient_error.ts';
import { mediaTypeOf } from '../values/media_types.ts';
import { textOfBody } from '../values/response_text.ts';

/** The target and the headers of one request in a chain of redirects. */
interface HopHead {
  url: URL;
  headers: Headers;
}

/** Adds the secret of a connection to the hops of a request, and removes the secret from the answers to these hops. */
interface CredentialHops {
  /** Returns a copy of the hop with the secret, or the hop itself if it must not carry the secret. */
  add: <Hop extends HopHead>(hop: Hop) => Hop;
  /**
   * Returns the hop of a redirect. If the server has put the secret into its URL, the returned hop lacks the secret.
   */
  next: <Hop extends HopHead>(hop: Hop) => Promise<Hop>;
  /** True if a text of the server contains the secret. */
  repeatsSecret: (text: string) => Promise<boolean>;
  answer: (response: HttpResponse) => Promise<HttpResponse>;
  /** Replaces the secret in bytes of an answer. */
  redact: (bytes: Uint8Array) => Promise<Uint8Array>;
  error: (error: unknown) => Promise<unknown>;
}

const NO_CREDENTIAL: CredentialHops = {
  add: (hop) => hop,
  next: (hop) => Promise.resolve(hop),
  repeatsSecret: () => Promise.resolve(false),
  answer: (response) => Promise.resolve(response),
  redact: (bytes) => Promise.resolve(bytes),
  error: async (error) => error,
};

/** Headers by which a request asks for a part of the answer. The parts of a secret can't be found. */
const PART_HEADERS = ['range', 'if-range'];

/**
 * Replaces the secret in the body of an answer. The charset of a text may hide the secret, so the text is searched,
 * too. If the secret is in it, the returned body is in UTF-8.
 */
async function redactBody(
  given: HttpResponse,
  redact: (bytes: Uint8Array) => Promise<Uint8Array>,
): Promise<Pick<HttpResponse, 'headers' | 'body'>> {
  const { headers } = given;
  const body = await redact(given.body);
  const type = headers['content-type'] ?? '';
  const text = textOfBody(body, type);
  if (text === undefined) return { headers, body };
  const decoded = new TextEncoder().encode(text);
  if (isSameBytes(decoded, body)) return { headers, body };
  const redacted = await redact(decoded);
  if (redacted === decoded) return { headers, body };
  return { headers: { ...headers, 'content-type': `${mediaTypeOf(type)}; charset=utf-8` }, body: redacted };
}

function isSameBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at++) {
    if (a[at] !== b[at]) return false;
  }
  return true;
}

/**
 * Checks the first hop, and throws a NodeError if it may not carry the secret. Later hops carry the secret only if they
 * have the origin of the first hop.
 */
export function carryCredential(credential: Credential | undefined, first: HopHead): CredentialHops {
  if (credential === undefined) return NO_CREDENTIAL;
  const { redaction } = credential;
  credential.check(first.url, first.headers);
  // Asks for a body without an encoding, so that the secret can be found in it. If the server encodes the body
  // nevertheless, the client decodes gzip and deflate, and refuses all other encodings.
  first.headers.set('accept-encoding', 'identity');
  for (const name of PART_HEADERS) first.headers.delete(name);
  const repeatsSecret = async (text: string): Promise<boolean> => await redaction.text(text) !== text;
  let isOpen = true;
  /** True if the last hop had the secret. */
  let isCarried = false;
  return {
    add: (hop) => {
      const { url, headers } = isOpen ? credential.add(hop) : hop;
      isCarried = headers !== hop.headers;
      return { ...hop, url, headers };
    },
    next: async (hop) => {
      // Once a chain of redirects has left the origin, its later hops do not get the secret, even at that origin.
      isOpen &&= hop.url.origin === first.url.origin;
      const url = credential.remove(hop.url);
      if (await repeatsSecret(url.href)) {
        throw new NodeError('the server redirects to a URL that repeats the secret of the connection');
      }
      return { ...hop, url };
    },
    repeatsSecret,
    redact: redaction.bytes,
    answer: async (response) => {
      const { status, cookies = [] } = response;
      // If the secret can't be marked as refused, the failure is ignored: the next answer with status 401 marks it. The
      // node gets the present answer in any case.
      if (status === 401 && isCarried) await credential.refused?.().catch(() => {});
      const { headers, body } = await redactBody(response, redaction.bytes);
      const redacted = await Promise.all(
        Object.entries(headers).map((header) => Promise.all(header.map(redaction.text))),
      );
      return {
        status,
        headers: Object.fromEntries(redacted),
        cookies: await Promise.all(cookies.map(redaction.text)),
        body,
      };
    },
    error: async (error) => {
      if (!(error instanceof NodeError)) return error;
      const message = await redaction.text(error.message);
      if (message === error.message) return error;
      return error instanceof TransientError ? new TransientError(message, error.transience) : new NodeError(message);
    },
  };
}
