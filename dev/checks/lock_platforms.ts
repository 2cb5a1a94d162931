import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { projectDir } from '../stack/paths.ts';

/**
 * The lock file. If npm's registry lacks packages for other platforms, npm omits them from the lock file, and `npm ci`
 * then refuses the file.
 */
const lockFile = join(projectDir, 'package-lock.json');

interface LockedPackage {
  version: string;
  dev?: boolean;
  optional?: boolean;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  optionalDependencies?: Record<string, string>;
}

interface Lock {
  packages: Record<string, LockedPackage>;
}

/** Operating systems: the name of each in names of packages, and its name for npm. */
const OPERATING_SYSTEMS: Record<string, string> = {
  darwin: 'darwin',
  linux: 'linux',
  win32: 'win32',
  windows: 'win32',
  freebsd: 'freebsd',
  android: 'android',
  openharmony: 'openharmony',
};
const PROCESSORS = ['arm64', 'x64', 'ia32', 'ppc64', 'riscv64', 's390x', 'loong64', 'mips64el', 'arm'];

/** Reads the platform of a package from its name, such as `@oxlint/binding-linux-x64-musl`. */
function platformOf(name: string): Pick<LockedPackage, 'os' | 'cpu' | 'libc'> | undefined {
  const words = name.split(/[/-]/);
  const os = words.map((word) => OPERATING_SYSTEMS[word]).find((known) => known !== undefined);
  const cpu = PROCESSORS.find((known) => words.includes(known));
  if (os === undefined || cpu === undefined) return undefined;
  const libc = words.some((word) => word.startsWith('musl'))
    ? ['musl']
    : words.some((word) => /^(gnu|glibc)/.test(word))
    ? ['glibc']
    : undefined;
  return { os: [os], cpu: [cpu], ...(libc && { libc }) };
}

/** Returns the platform packages that the packages of the lock need but the lock lacks, by their paths. */
function missingPackages({ packages }: Lock): Record<string, LockedPackage> {
  const entries = Object.values(packages).flatMap((parent) =>
    Object.entries(parent.optionalDependencies ?? {}).flatMap(([name, version]) => {
      const path = `node_modules/${name}`;
      const platform = platformOf(name);
      const isExact = /^v?\d+\.\d+\.\d+(?:[A-Za-z_.-][\w.-]*)?$/.test(version);
      if (packages[path] !== undefined || platform === undefined || !isExact) return [];
      const entry = {
        version: version.replace(/^v/, ''),
        ...(parent.dev && { dev: true }),
        optional: true,
        ...platform,
      };
      return [[path, entry] as const];
    })
  );
  return Object.fromEntries(entries);
}

/** True if the lock has every platform's packages, so that `npm ci` accepts it. */
export const hasAllPlatforms = (text: string): boolean => Object.keys(missingPackages(JSON.parse(text))).length === 0;

/** Adds an entry for each platform's package to the lock. npm downloads only those of its own platform. */
function withAllPlatforms(text: string): string {
  const lock = JSON.parse(text) as Lock;
  const all = Object.entries({ ...lock.packages, ...missingPackages(lock) });
  const packages = Object.fromEntries(all.toSorted(([a], [b]) => a < b ? -1 : a > b ? 1 : 0));
  return `${JSON.stringify({ ...lock, packages }, null, 2)}\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(lockFile, withAllPlatforms(readFileSync(lockFile, 'utf8')));
}
