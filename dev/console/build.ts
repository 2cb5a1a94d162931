import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { projectDir } from '../stack/paths.ts';
import { isUsageError, StackError, usageFault } from '../stack/stack_error.ts';
import { buildStaticConsole } from './static_build.ts';

const USAGE = 'npm run console:build -- --url <project> --key <publishable key> [--base /console/] [--out <folder>]';

try {
  const { values } = parseArgs({
    options: { url: { type: 'string' }, key: { type: 'string' }, base: { type: 'string' }, out: { type: 'string' } },
  });
  const { url, key, base = '/console/', out } = values;
  if (url === undefined || key === undefined) throw new StackError(USAGE);
  const outDir = out === undefined ? join(projectDir, 'console/dist') : resolve(out);
  await buildStaticConsole({ url, key, base, outDir });
  console.log(`The console is in ${outDir}. Serve it under ${base}, with index.html for every path that is no file.`);
} catch (error) {
  if (error instanceof StackError) console.error(error.message);
  else if (isUsageError(error)) console.error(`${usageFault(error)}\n${USAGE}`);
  else throw error;
  process.exit(1);
}
