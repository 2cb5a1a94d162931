import { lookup } from 'node:dns/promises';
import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectSecure } from 'node:tls';
import { NodeError } from '../engine/node.ts';
import { TransientError } from '../engine/failures/transient_error.ts';
import type { IsAllowed } from './address_rules.ts';

/** Resolves a host name to its IP addresses, in the order in which to try them. */
export type Resolve = (hostname: string) => Promise<string[]>;

export interface ConnectOptions {
  isAllowed: IsAllowed;
  resolve: Resolve;
  /** Certificate authorities to trust instead of the platform's, in PEM. */
  ca?: string | undefined;
}

/** The time limit for an address to accept a connection if other addresses are left to try. */
const ATTEMPT_MS = 5_000;

/** Resolves by the operating system, which also uses hosts files and search domains. */
export const resolveBySystem: Resolve = async (hostname) =>
  (await lookup(hostname, { all: true })).map(({ address }) => address);

/** Settles like the promise. If the signal is aborted first, throws the signal's reason. */
export async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  // After an abort no caller waits for the promise, and an unhandled rejection would end the process.
  promise.catch(() => {});
  signal.throwIfAborted();
  let abort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort);
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/**
 * Returns the host of a URL, without the brackets of an IPv6 address. The class URL has already normalised numeric
 * hosts.
 */
const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '');

/** Resolves a host. Throws a NodeError if one of its addresses is not allowed. */
async function allowedAddresses(host: string, { resolve, isAllowed }: ConnectOptions): Promise<string[]> {
  const addresses = isIP(host) === 0 ? await resolve(host).catch(() => []) : [host];
  if (addresses.length === 0) throw new TransientError(`can't resolve the host ${host}`);
  const refused = addresses.find((address) => !isAllowed(address));
  if (refused !== undefined) throw new NodeError(`IP address not allowed: ${refused}`);
  return addresses;
}

/** Connects to one address. TLS verifies the certificate for the URL's host. */
function connectTo(address: string, url: URL, ca: string | undefined, signal: AbortSignal): Promise<Socket> {
  const isSecure = url.protocol === 'https:';
  const target = { host: address, port: Number(url.port) || (isSecure ? 443 : 80) };
  const host = hostOf(url);
  // A server name must not be an IP address, and has no trailing dot. Source: RFC 6066, section 3.
  const servername = isIP(host) === 0 ? host.replace(/\.$/, '') : undefined;
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const socket = isSecure
      ? connectSecure({ ...target, servername, ALPNProtocols: ['http/1.1'], ...(ca && { ca }) })
      : connectPlain(target);
    const abort = () => socket.destroy(signal.reason);
    signal.addEventListener('abort', abort);
    // This listener stays after the connection, because an error event without a listener would end the process. A
    // later error is also thrown to those who read from the socket.
    socket.on('error', reject);
    socket.once('close', () => reject(new Error('closed')));
    socket.once(isSecure ? 'secureConnect' : 'connect', () => {
      signal.removeEventListener('abort', abort);
      resolve(socket);
    });
  });
}

/**
 * Opens a connection for a URL. The host is resolved once, every address is checked, and only these addresses are
 * tried, in order. A name that later resolves to another address is therefore no danger. Throws a NodeError, or the
 * signal's reason.
 */
export async function openConnection(url: URL, options: ConnectOptions, signal: AbortSignal): Promise<Socket> {
  const addresses = await unlessAborted(allowedAddresses(hostOf(url), options), signal);
  let failure: unknown;
  for (const [index, address] of addresses.entries()) {
    const isLast = index === addresses.length - 1;
    const attempt = isLast ? signal : AbortSignal.any([signal, AbortSignal.timeout(ATTEMPT_MS)]);
    try {
      return await connectTo(address, url, options.ca, attempt);
    } catch (error) {
      signal.throwIfAborted();
      failure = error;
    }
  }
  throw new TransientError(`can't connect to ${url.host}: ${reasonOf(failure)}`);
}

/**
 * Describes a failure for the flow's author. If the error has a code, the description is only this code, because the
 * message may name internal addresses.
 */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown reason';
  const { code } = error as { code?: unknown };
  if (typeof code === 'string') return code;
  // TLS failures have no code in Deno before 2.3.
  return /certificate/i.test(error.message) ? 'invalid certificate' : error.name;
}
