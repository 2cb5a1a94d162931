import { type Credential, type HttpResponse, NodeError } from '../engine/node.ts';
import { TransientError } from '../engine/transient_error.ts';

/** The target and the headers of one request in a chain of redirects. */
interface HopHead {
  url: URL;
  headers: Headers;
}

/** Adds the secret of a connection to the hops of a request, and removes the secret from the answers to these hops. */
export interface CredentialHops {
  /** Returns a copy of the hop with the secret, or the hop itself if it must not carry the secret. */
  add: <Hop extends HopHead>(hop: Hop) => Hop;
  /**
   * Returns the hop of a redirect. If the server has put the secret into its URL, the returned hop lacks the secret.
   */
  next: <Hop extends HopHead>(hop: Hop) => Hop;
  /** True if a text of the server contains the secret. */
  repeatsSecret: (text: string) => boolean;
  answer: (response: HttpResponse) => Promise<HttpResponse>;
  error: (error: unknown) => unknown;
}

const NO_CREDENTIAL: CredentialHops = {
  add: (hop) => hop,
  next: (hop) => hop,
  repeatsSecret: () => false,
  answer: (response) => Promise.resolve(response),
  error: (error) => error,
};

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
  let isOpen = true;
  /** True if the last hop had the secret. */
  let isCarried = false;
  return {
    add: (hop) => {
      const { url, headers } = isOpen ? credential.add(hop) : hop;
      isCarried = headers !== hop.headers;
      return { ...hop, url, headers };
    },
    next: (hop) => {
      // Once a chain of redirects has left the origin, its later hops do not get the secret, even at that origin.
      isOpen &&= hop.url.origin === first.url.origin;
      const url = credential.remove(hop.url);
      if (redaction.text(url.href) !== url.href) {
        throw new NodeError('the server redirects to a URL that repeats the secret of the connection');
      }
      return { ...hop, url };
    },
    repeatsSecret: (text) => redaction.text(text) !== text,
    answer: async ({ status, headers, cookies = [], body }) => {
      // If the secret can't be marked as refused, the failure is ignored: the next answer with status 401 marks it. The
      // node gets the present answer in any case.
      if (status === 401 && isCarried) await credential.refused?.().catch(() => {});
      const redacted = Object.entries(headers).map(([name, value]) => [redaction.text(name), redaction.text(value)]);
      return {
        status,
        headers: Object.fromEntries(redacted),
        cookies: cookies.map(redaction.text),
        body: redaction.bytes(body),
      };
    },
    error: (error) => {
      if (!(error instanceof NodeError)) return error;
      const message = redaction.text(error.message);
      if (message === error.message) return error;
      return error instanceof TransientError ? new TransientError(message, error.transience) : new NodeError(message);
    },
  };
}
