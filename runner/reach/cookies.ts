import { headerText } from './http_message.ts';

/**
 * The cookies that servers set in one chain of redirects. Each cookie goes only to the host that set it, whatever
 * domain it names. Source: RFC 6265, section 5.
 */
interface CookieJar {
  /** Keeps the headers `Set-Cookie` of an answer from this URL. */
  keep: (url: URL, lines: readonly string[]) => Promise<void>;
  /** Returns a copy of the hop with the cookies for its URL, or the hop itself if there are none. */
  add: <Hop extends { url: URL; headers: Headers }>(hop: Hop) => Hop;
  /** Returns the headers `Set-Cookie` that the host of this URL has sent, as text. */
  received: (url: URL) => string[];
}

interface Cookie {
  host: string;
  name: string;
  /** The name, an equals sign and the value. */
  pair: string;
  path: string;
  isSecure: boolean;
}

/** Returns the folder of a URL, which is the path of a cookie that names none. */
const folderOf = ({ pathname }: URL): string => pathname.slice(0, pathname.lastIndexOf('/')) || '/';

const hasExpired = (maxAge: string | undefined, expires: string | undefined): boolean =>
  maxAge !== undefined && /^-?\d+$/.test(maxAge) ? Number(maxAge) <= 0 : Date.parse(expires ?? '') <= Date.now();

/** Reads a header `Set-Cookie`; undefined if it names no cookie. */
function readCookie(line: string, url: URL): Cookie & { isOver: boolean } | undefined {
  const [first = '', ...rest] = line.split(';');
  const equals = first.indexOf('=');
  const name = first.slice(0, Math.max(equals, 0)).trim();
  if (name === '') return undefined;
  const attributes = new Map(rest.map((part) => {
    const [key = '', ...value] = part.split('=');
    return [key.trim().toLowerCase(), value.join('=').trim()];
  }));
  const path = attributes.get('path') ?? '';
  return {
    host: url.hostname,
    name,
    pair: `${name}=${first.slice(equals + 1).trim()}`,
    path: path.startsWith('/') ? path : folderOf(url),
    isSecure: attributes.has('secure'),
    isOver: hasExpired(attributes.get('max-age'), attributes.get('expires')),
  };
}

const isWithin = (pathname: string, path: string): boolean =>
  pathname === path || pathname.startsWith(path.endsWith('/') ? path : `${path}/`);

/** Makes an empty jar. It never sends on a cookie that repeats the secret of a connection. */
export function makeCookieJar(repeatsSecret: (text: string) => Promise<boolean>): CookieJar {
  /** By host, path and name. */
  const cookies = new Map<string, Cookie>();
  const received: { host: string; line: string }[] = [];
  return {
    keep: async (url, lines) => {
      for (const line of lines) {
        received.push({ host: url.hostname, line });
        const cookie = readCookie(line, url);
        if (cookie === undefined || await repeatsSecret(headerText(line))) continue;
        const key = JSON.stringify([cookie.host, cookie.path, cookie.name]);
        if (cookie.isOver) cookies.delete(key);
        else cookies.set(key, cookie);
      }
    },
    add: (hop) => {
      const { url } = hop;
      const fitting = [...cookies.values()].filter(({ host, path, isSecure }) =>
        host === url.hostname && isWithin(url.pathname, path) && (!isSecure || url.protocol === 'https:')
      ).toSorted((a, b) => b.path.length - a.path.length);
      if (fitting.length === 0) return hop;
      const names = new Set(fitting.map(({ name }) => name));
      const given = (hop.headers.get('cookie') ?? '').split(';').map((pair) => pair.trim())
        .filter((pair) => pair !== '' && !names.has(pair.split('=')[0]!));
      const headers = new Headers(hop.headers);
      headers.set('cookie', [...given, ...fitting.map(({ pair }) => pair)].join('; '));
      return { ...hop, headers };
    },
    received: ({ hostname }) => received.filter(({ host }) => host === hostname).map(({ line }) => headerText(line)),
  };
}
