import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { projectDir } from '../../supabase/local/paths.ts';
import { measureBoot } from './boot.ts';
import { measureEngine } from './engine.ts';
import { printFigures } from './figure.ts';
import { measureLatency } from './latency.ts';

const { values } = parseArgs({ options: { json: { type: 'string' } } });
const engine = await measureEngine();
const { figure: boot, stack } = await measureBoot(join(projectDir, '.stack', `bench-${process.pid}`));
try {
  const figures = [boot, await measureLatency(stack), ...engine];
  printFigures(figures);
  if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify(figures, null, 2)}\n`);
} finally {
  await stack.remove();
}
process.exit();
