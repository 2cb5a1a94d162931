import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectDir } from '../../dev/stack/paths.ts';

/** The versions of Node in `engines` of package.json. */
export function supportedNodes(): string[] {
  const { engines } = JSON.parse(readFileSync(join(projectDir, 'package.json'), 'utf8')) as {
    engines: { node: string };
  };
  return engines.node.split(' || ');
}
