/** Returns the segments of a path, without empty segments at its end. */
function segmentsOf(path: string): string[] {
  const segments = path.split('/').slice(1);
  while (segments.at(-1) === '') segments.pop();
  return segments;
}

/**
 * Decodes a text repeatedly until it has no percent-encoding. Returns undefined if the encoding is malformed or nested
 * more than five levels deep.
 */
function decodeFully(text: string): string | undefined {
  let decoded = text;
  for (let round = 0; round < 5; round++) {
    if (!decoded.includes('%')) return decoded;
    try {
      decoded = decodeURIComponent(decoded);
    } catch {
      return undefined;
    }
  }
  return decoded.includes('%') ? undefined : decoded;
}

/**
 * Tests whether a server may read the segment as a step to the parent folder. Some servers decode `%2f` and `%5c`
 * before they resolve `..`, and some ignore everything behind `;`.
 */
const mayLeaveFolder = (decoded: string): boolean =>
  decoded.split(/[/\\]/).some((part) => ['.', '..'].includes(part.split(';')[0] ?? ''));

/**
 * Matches characters that some servers drop, or read as a dot or a slash: control and format characters, blanks, dots of
 * other scripts, and wide slashes.
 */
const AMBIGUOUS = /[\p{Cc}\p{Cf}\p{Z}\u2024-\u2026\u3002\ufe52\ufe68\uff0e\uff0f\uff3c\uff61]/u;

function isWithinPath(path: string, prefix: string): boolean {
  const wanted = segmentsOf(prefix);
  if (wanted.length === 0) return true;
  const decoded = path.split('/').slice(1).map(decodeFully);
  if (decoded.some((segment) => segment === undefined || AMBIGUOUS.test(segment) || mayLeaveFolder(segment))) {
    return false;
  }
  return wanted.every((segment, index) => decoded[index] === segment);
}

/**
 * Tests whether a URL belongs to one of a connection's hosts. An entry of `hosts` has a host, and may have a port and a
 * path prefix: `api.example.com:8443/v1`. If the entry has no port, the scheme's default port counts. The prefix is
 * compared by whole segments.
 */
export const isWithinHosts = (url: URL, hosts: readonly string[]): boolean =>
  hosts.some((entry) => {
    const slash = entry.indexOf('/');
    const host = slash < 0 ? entry : entry.slice(0, slash);
    return url.host === host && (slash < 0 || isWithinPath(url.pathname, entry.slice(slash)));
  });
