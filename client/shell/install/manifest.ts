import { createHash } from 'node:crypto';
import { UsageError } from '../usage_error.ts';

/** The file in `supabase/` that tells a later `flows install` what this one wrote. */
export const MANIFEST = 'flows.json';

/** The record of an installation. */
export interface Manifest {
  version: string;
  /** The hash of each file as it was written, by its path below `supabase/`. */
  files: Record<string, string>;
  /** The hash of the lines in config.toml. */
  config: string;
}

/** Returns the SHA-256 of a text in hex. Line breaks count as `\n`, because Git may change them in a checkout. */
export const hashOf = (text: string): string =>
  createHash('sha256').update(text.replaceAll('\r\n', '\n')).digest('hex');

const isHash = (value: unknown): boolean => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);

/** Paths of other forms may lead out of the folder. */
const isPath = (path: string): boolean =>
  /^(?:migrations|functions)\//.test(path) && path.split('/').every((name) => !['', '.', '..'].includes(name)) &&
  !/[\\:]/.test(path);

/** Parses a manifest. Throws a UsageError if `flows install` did not write it. */
export function parseManifest(text: string): Manifest {
  try {
    const { version, files, config } = JSON.parse(text) as Manifest;
    const isValid = /^\d+\.\d+\.\d+$/.test(version) && isHash(config) && typeof files === 'object' && files !== null &&
      Object.entries(files).every(([path, hash]) => isPath(path) && isHash(hash));
    if (isValid) return { version, files, config };
  } catch {
    // The error below describes all faults.
  }
  throw new UsageError(
    `supabase/${MANIFEST} is not as \`flows install\` writes it. Restore it from version control, because it tells ` +
      'which files are of the installation.',
  );
}

/** Formats a manifest. */
export const manifestText = (manifest: Manifest): string => `${JSON.stringify(manifest, null, 2)}\n`;

/** True if version `a` is newer than `b`. */
export function isNewer(a: string, b: string): boolean {
  const parts = (version: string) => version.split('.').map((part) => Number.parseInt(part, 10));
  const [one, other] = [parts(a), parts(b)];
  const at = one.findIndex((part, index) => part !== other[index]);
  return at !== -1 && one[at]! > other[at]!;
}
