import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectDir } from '../../dev/stack/paths.ts';

/**
 * Returns Node's arguments for the program of `npm run <name> -- <args>`. Without npm, a start takes a third of a
 * second less.
 */
export function npmScript(name: string, ...args: string[]): string[] {
  const { scripts } = JSON.parse(readFileSync(join(projectDir, 'package.json'), 'utf8')) as {
    scripts: Record<string, string | undefined>;
  };
  const [, words] = /^(?:exec )?node (.*)$/.exec(scripts[name] ?? '') ?? [];
  if (words === undefined) throw new Error(`npm run ${name} does not run Node`);
  return [...words.split(' '), ...args];
}
