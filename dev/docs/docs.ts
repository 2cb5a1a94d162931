import { writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { projectDir } from '../stack/paths.ts';
import { openapiFile, openapiText } from './openapi.ts';
import { clientPage } from './reference/client_page.ts';
import { environmentPage } from './reference/environment_page.ts';
import { errorsPage } from './reference/errors_page.ts';
import { limitsPage } from './reference/limits_page.ts';
import { metricsPage } from './reference/metrics_page.ts';
import { nodesPage } from './reference/nodes_page.ts';
import { referenceDir } from './reference/page.ts';
import { shellPage } from './reference/shell_page.ts';
import { statesPage } from './reference/states_page.ts';
import { rhaiFunctionsFile, rhaiFunctionsPage } from './rhai_docs.ts';

/** A file that is generated as a whole. */
export interface GeneratedFile {
  file: string;
  text: string;
}

/** Returns the generated documents with their texts. */
export const generatedDocs = (): GeneratedFile[] => [
  { file: openapiFile, text: openapiText() },
  { file: join(referenceDir, 'client.md'), text: clientPage() },
  { file: join(referenceDir, 'shell.md'), text: shellPage() },
  { file: join(referenceDir, 'errors.md'), text: errorsPage() },
  { file: join(referenceDir, 'nodes.md'), text: nodesPage() },
  { file: join(referenceDir, 'environment.md'), text: environmentPage() },
  { file: join(referenceDir, 'limits.md'), text: limitsPage() },
  { file: join(referenceDir, 'metrics.md'), text: metricsPage() },
  { file: join(referenceDir, 'states.md'), text: statesPage() },
  { file: rhaiFunctionsFile, text: rhaiFunctionsPage() },
];

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const files = generatedDocs();
  for (const { file, text } of files) writeFileSync(file, text);
  console.log(`Wrote ${files.map(({ file }) => relative(projectDir, file)).join(', ')}.`);
}
