import { writeFile } from 'node:fs/promises';
import { StackError } from '../../supabase/local/stack_error.ts';
import { readOptions, UsageError } from './options.ts';
import { formatReport } from './report.ts';

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop.abort());

try {
  const options = readOptions(process.argv.slice(2));
  console.log(`Soak for ${options.minutes} minutes with --seed ${options.seed}`);
  // Late, since it takes its time.
  const { soak, soakLogFile } = await import('./soak.ts');
  const report = await soak(options, stop.signal);
  console.log(formatReport(report));
  if (options.jsonFile !== undefined) await writeFile(options.jsonFile, `${JSON.stringify(report, null, 2)}\n`);
  if (Object.keys(report.findings.counts).length > 0) {
    console.log(`What the stack and its workers logged is in ${soakLogFile(options.seed)}`);
    process.exitCode = 1;
  }
} catch (error) {
  console.error(error instanceof UsageError || error instanceof StackError ? error.message : error);
  process.exitCode = 1;
}
process.exit();
