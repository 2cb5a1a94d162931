import { writeFile } from 'node:fs/promises';
import { StackError } from '../../dev/stack/stack_error.ts';
import { readOptions, type SoakOptions, UsageError } from './options.ts';
import { formatReport } from './report.ts';

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop.abort());

// Loaded here, so that a wrong option is reported before the slow imports.
async function run(options: SoakOptions) {
  const { soak, soakLogFile } = await import('./soak.ts');
  const report = await soak(options, stop.signal);
  const logNote = `What the stack and its workers logged is in ${soakLogFile(options.seed)}`;
  const isClean = Object.keys(report.findings.counts).length === 0;
  return { report, text: isClean ? formatReport(report) : `${formatReport(report)}\n${logNote}` };
}

async function runHostile(options: SoakOptions) {
  const [{ soakHostile }, { formatHostileReport }] = await Promise.all([
    import('./hostile/hostile_soak.ts'),
    import('./hostile/hostile_report.ts'),
  ]);
  const report = await soakHostile(options, stop.signal);
  return { report, text: formatHostileReport(report) };
}

try {
  const options = readOptions(process.argv.slice(2));
  console.log(
    `${options.isHostile ? 'Hostile soak' : 'Soak'} for ${options.minutes} minutes with --seed ${options.seed}`,
  );
  const { report, text } = options.isHostile ? await runHostile(options) : await run(options);
  console.log(text);
  if (options.jsonFile !== undefined) await writeFile(options.jsonFile, `${JSON.stringify(report, null, 2)}\n`);
  if (Object.keys(report.findings.counts).length > 0) process.exitCode = 1;
} catch (error) {
  console.error(error instanceof UsageError || error instanceof StackError ? error.message : error);
  process.exitCode = 1;
}
process.exit();
